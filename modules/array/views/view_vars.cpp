module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// The Vars of a buffer's views: how a buffer comes to have them, and how it loses them.
namespace tessera {

std::mutex& views_mutex() noexcept {
  static std::mutex mutex;
  return mutex;
}

bool ViewVar::is_quiet() const noexcept {
  const schedule::VarCondition condition = schedule::condition_of(written);
  return condition.is_idle && !condition.failure && (!reading || schedule::condition_of(*reading).is_idle);
}

void ViewVar::look_again() noexcept {
  if (may_be_written) {
    const schedule::VarCondition condition = schedule::condition_of(written);
    may_be_written = !condition.is_idle || condition.failure;
  }
  if ((was_read || is_joined) && schedule::condition_of(*reading).is_idle) was_read = is_joined = false;
}

void ViewVar::take_over() noexcept {
  may_be_written = may_be_written || is_written_now;
  if (is_written_now) was_read = is_joined = false;  // the op waits for them, and others wait for it
  was_read = was_read || is_read_now;
}

void ViewVars::trim() noexcept {
  if (list.size() < trim_at) return;
  list.erase(std::remove_if(list.begin() + 1, list.end(), [](const ViewVar& view) { return view.is_quiet(); }),
             list.end());
  trim_at = std::max<std::size_t>(64, 2 * list.size());
}

std::size_t ViewVars::find_or_add(const Footprint& bytes) {
  const auto found = std::ranges::find(list, bytes, &ViewVar::bytes);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.emplace_back(bytes);
  return list.size() - 1;
}

Footprint storage::footprint_of(const Buffer& buffer) noexcept {
  const std::ptrdiff_t bytes = buffer.bytes(), stride = 1;
  return Footprint({.data = buffer.data(), .shape = {&bytes, 1}, .strides = {&stride, 1}, .item = 1});
}

void reunite_views(BufferVar& shared, Engine* engine, schedule::HeldSubmissions& held) {
  ViewVars& views = *shared.views.load(std::memory_order_relaxed);
  bool is_idle = true;
  schedule::SharedFailure failure;
  for (const ViewVar& view : views.list) {
    const schedule::VarCondition condition = schedule::condition_of(view.written);
    is_idle = is_idle && condition.is_idle && (!view.reading || schedule::condition_of(*view.reading).is_idle);
    if (!failure) failure = condition.failure;
  }
  if (is_idle) {
    schedule::reunite(shared.var, failure);
  } else {
    schedule::AccessList accesses;
    accesses.writes(shared.var);
    for (const ViewVar& view : views.list) {
      accesses.changes(view.written);
      if (view.reading) accesses.writes(*view.reading);
    }
    held.submit_join(*engine, accesses);
    schedule::reunite(shared.var);
  }
  shared.last_named.store(engine, std::memory_order_release);
  shared.views.store(nullptr, std::memory_order_release);
  delete &views;
}

ViewVars& divide_views(const Buffer& buffer, BufferVar& shared, Engine& engine, schedule::HeldSubmissions& held) {
  auto views = std::make_unique<ViewVars>();
  views->engine = &engine;
  views->list.reserve(8);
  ViewVar& all = views->list.emplace_back(footprint_of(buffer));
  all.reading.emplace();
  const schedule::VarCondition before = schedule::reserve_for_joins(shared.var);
  try {
    if (!before.is_idle || before.failure) {
      schedule::AccessList after_writers;
      after_writers.reads(shared.var);
      after_writers.writes(all.written);
      held.submit_join(engine, after_writers);
      all.may_be_written = true;
    }
    if (before.has_readers) {
      schedule::AccessList after_readers;
      after_readers.writes(shared.var);
      after_readers.writes(*all.reading);
      held.submit_join(engine, after_readers);
      all.is_joined = true;
    }
  } catch (...) {
    schedule::reunite(shared.var);
    throw;
  }
  shared.views.store(views.get(), std::memory_order_release);
  return *views.release();
}

}  // namespace tessera
