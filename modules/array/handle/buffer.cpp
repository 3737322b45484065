module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// The Var of a buffer or those of its parts: naming them and waiting for them; and giving up a share of a buffer.
namespace tessera {

BufferVar::~BufferVar() { delete views.load(std::memory_order_relaxed); }

BufferVar& Buffer::shared_var() const {
  BufferVar* var = var_.load(std::memory_order_acquire);
  if (var != nullptr) return *var;
  auto fresh = std::make_unique<BufferVar>();
  buffers_have_vars.store(true, std::memory_order_relaxed);
  if (var_.compare_exchange_strong(var, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *var;  // another thread was faster
}

const Var& Buffer::var_for(Engine& engine) const {
  BufferVar& shared = shared_var();
  shared.last_named.store(&engine, std::memory_order_release);
  return shared.var;
}

void Buffer::wait_for_streams(schedule::Purpose purpose) const {
  if (uses() == nullptr) return;
  purpose == schedule::Purpose::read ? uses()->wait_for_reading() : uses()->wait_for_writing();
}

void Buffer::add_unreached(schedule::Purpose purpose, std::vector<device::StreamMark>& marks) const {
  if (uses() == nullptr) return;
  for (const device::StreamMark& mark : purpose == schedule::Purpose::read ? uses()->writes() : uses()->marks()) {
    if (!mark.is_reached()) marks.push_back(mark);
  }
}

void BufferShare::give_up(std::uintptr_t tagged) noexcept {
  auto* const buffer = reinterpret_cast<Buffer*>(tagged & ~hold_tag);
  const std::uint64_t own = (tagged & hold_tag) != 0 ? Buffer::one_hold : Buffer::one_name;
  if (buffer->subtract(own)) delete buffer;
}

bool Buffer::subtract(std::uint64_t share) const noexcept {
  // Who sees itself alone stays alone, because a share is only made of another.
  const std::uint64_t before = shares_.load(std::memory_order_acquire);
  if (before == share) return true;
  if (!core::is_single_threaded()) return shares_.fetch_sub(share, std::memory_order_acq_rel) == share;
  shares_.store(before - share, std::memory_order_relaxed);
  return false;
}

void Buffer::name_as_a_whole(BufferVar& shared) const {
  schedule::HeldSubmissions held;
  const std::lock_guard lock(views_mutex());
  if (const ViewVars* views = shared.views.load(std::memory_order_relaxed)) reunite_views(shared, views->engine, held);
  shared.is_named.store(true, std::memory_order_release);
}

std::ptrdiff_t Buffer::count_view_vars() const {
  if (!has_view_vars()) return 0;
  const std::lock_guard lock(views_mutex());
  const ViewVars* const views = var_.load(std::memory_order_acquire)->views.load(std::memory_order_relaxed);
  return views == nullptr ? 0 : std::ssize(views->list);
}

namespace {

struct Awaited {
  Var var;
  schedule::Purpose purpose;
};

/// What somebody waits for who accesses a view.
std::vector<Awaited> awaited(const ViewVars& views, const Footprint& bytes, schedule::Purpose purpose) {
  std::vector<Awaited> vars;
  for (const ViewVar& view : views.list) {
    if (!view.bytes.overlaps(bytes)) continue;
    const bool is_rewritten = purpose == schedule::Purpose::rewrite && bytes.covers(view.bytes);
    if (view.may_be_written)
      vars.push_back({view.written, is_rewritten ? schedule::Purpose::rewrite : schedule::Purpose::read});
    if (purpose != schedule::Purpose::read && view.reading) vars.push_back({*view.reading, schedule::Purpose::rewrite});
  }
  return vars;
}

}  // namespace

bool storage::is_all_of(const Buffer& buffer, const ViewMemory& view) noexcept {
  auto bytes = static_cast<std::size_t>(view.item);  // wraps where there are no elements, whose extents have no bound
  for (const std::ptrdiff_t extent : view.shape) bytes *= static_cast<std::size_t>(extent);
  return std::cmp_equal(bytes, buffer.bytes()) && has_distinct_elements(view.shape, view.strides);
}

void Buffer::wait_for_var(schedule::Purpose purpose, const ViewMemory& view) const {
  if (has_view_vars()) return wait_for_parts(purpose, Footprint(view));
  wait_for_whole(purpose == schedule::Purpose::rewrite && !is_all_of(*this, view) ? schedule::Purpose::change
                                                                                  : purpose);
}

void Buffer::wait_for_whole(schedule::Purpose purpose) const {
  if (has_view_vars()) return wait_for_parts(purpose, footprint_of(*this));
  const BufferVar& shared = *var_.load(std::memory_order_acquire);
  schedule::wait_before_access(shared.var, shared.last_named.load(std::memory_order_acquire), purpose);
}

void Buffer::wait_for_parts(schedule::Purpose purpose, const Footprint& bytes) const {
  const BufferVar& shared = *var_.load(std::memory_order_acquire);
  Engine* engine = nullptr;
  std::vector<Awaited> vars;
  {
    const std::lock_guard lock(views_mutex());
    if (const ViewVars* views = shared.views.load(std::memory_order_relaxed)) {
      engine = views->engine;
      vars = awaited(*views, bytes, purpose);
    }
  }
  if (engine == nullptr) {
    const bool is_partial = purpose == schedule::Purpose::rewrite && !bytes.covers(footprint_of(*this));
    return wait_for_whole(is_partial ? schedule::Purpose::change : purpose);
  }
  for (const Awaited& var : vars) schedule::wait_before_access(var.var, engine, var.purpose);
}

void Buffer::forget_failure_of(const BufferVar& shared, const ViewMemory& view) const {
  if (shared.views.load(std::memory_order_acquire) == nullptr) {
    if (is_all_of(*this, view)) shared.var.clear();
    return;
  }
  const Footprint bytes(view);
  const std::lock_guard lock(views_mutex());
  const ViewVars* const views = shared.views.load(std::memory_order_relaxed);
  if (views == nullptr) return;
  for (const ViewVar& part : views->list) {
    if (!bytes.covers(part.bytes)) continue;
    part.written.clear();
    if (part.reading) part.reading->clear();
  }
}

}  // namespace tessera
