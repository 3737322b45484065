module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :launch_notes;
import :launch_collector;
import :stream_state;

// Events of streams: recorded when asked for, retired in the order of their sequences, and used again.
namespace tessera::device {

namespace {

constexpr unsigned without_timing = 2;
constexpr unsigned blocking = 1;  // a thread that waits sleeps; short waits are polled before
constexpr int polls_before_sleep = 64;
constexpr std::size_t many_events = 16;

/// Events that nobody uses, of one GPU.
struct FreeEvents {
  std::mutex mutex;
  std::vector<CuEvent> events;
  std::size_t made = 0;  // there is room for all, so that giving one back cannot fail
};

std::atomic<std::uint64_t> launches = 0;  // of all streams

FreeEvents& free_events(GpuPlace place) {
  static auto& all = *new std::deque<FreeEvents>(driver().devices.size());
  return all[static_cast<std::size_t>(place.ordinal)];
}

CuEvent take_event(GpuPlace place) {
  FreeEvents& list = free_events(place);
  {
    const std::lock_guard lock(list.mutex);
    if (!list.events.empty()) {
      CuEvent taken = list.events.back();
      list.events.pop_back();
      return taken;
    }
    if (++list.made > list.events.capacity()) list.events.reserve(2 * list.made);
  }
  CuEvent made = nullptr;
  check(driver().event_create(&made, without_timing | blocking), "cuEventCreate", place);
  return made;
}

}  // namespace

Event::Event(GpuPlace place) : place_(place), native_(take_event(place)) {}

Event::~Event() {
  FreeEvents& list = free_events(place_);
  const std::lock_guard lock(list.mutex);
  list.events.push_back(native_);
}

StreamState::Recorded StreamState::covering(std::uint64_t sequence) {
  const auto begin = recorded_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found = std::ranges::lower_bound(begin, recorded_.end(), sequence, {}, &Recorded::sequence);
  if (found != recorded_.end()) return *found;
  if (recorded_.size() - first_ >= many_events) retire_done();
  Recorded made{.sequence = given(),
                .event = make_shared_object<Event>(place_)};  // the number first: the event covers it
  recorded_.push_back(made);
  const CuResult result = driver().event_record(made.event->native(), native_);
  if (result != cuda_success) recorded_.pop_back();
  check(result, "cuEventRecord", place_);
  return made;
}

void StreamState::retire_done() {
  while (first_ < recorded_.size() && driver().event_query(recorded_[first_].event->native()) == cuda_success)
    retire(recorded_[first_].sequence);
}

void StreamState::retire(std::uint64_t sequence) {
  if (sequence > reached()) reached_.store(sequence, std::memory_order_release);
  for (; first_ < recorded_.size() && recorded_[first_].sequence <= sequence; ++first_) recorded_[first_].event.reset();
  if (first_ * 2 < recorded_.size()) return;
  recorded_.erase(recorded_.begin(), recorded_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void StreamState::require_given(std::uint64_t sequence) {
  if (sequence <= given()) return;
  give_collected();                                      // of any stream: two threads may wait for each other's
  while (sequence > given()) std::this_thread::yield();  // another thread has collected it, and gives it soon
}

void StreamState::note_wait(const StreamState& other, std::uint64_t sequence, std::uint64_t at) {
  const std::lock_guard lock(waits_mutex_);
  Waited& waited = waited_[&other];
  if (sequence > waited.sequence) waited = {.sequence = sequence, .at = at};
}

bool StreamState::waits_for(const StreamState& other, std::uint64_t sequence, std::uint64_t at) const {
  const std::lock_guard lock(waits_mutex_);
  const auto found = waited_.find(&other);
  return found != waited_.end() && sequence <= found->second.sequence && at >= found->second.at;
}

bool StreamState::poll(std::uint64_t sequence) {
  if (sequence <= reached()) return true;
  if (sequence > given()) return false;
  enter(place_);
  CuResult result = cuda_success;
  {
    const std::lock_guard lock(mutex_);
    const Recorded recorded = covering(sequence);
    result = driver().event_query(recorded.event->native());
    if (result == cuda_success) retire(recorded.sequence);
  }
  if (result != cuda_not_ready) check(result, "cuEventQuery", place_);
  return result == cuda_success;
}

void StreamState::wait(std::uint64_t sequence) {
  require_given(sequence);
  for (int polls = 0; polls < polls_before_sleep; ++polls) {
    if (poll(sequence)) return;
  }
  Recorded recorded;
  {
    const std::lock_guard lock(mutex_);
    if (sequence <= reached()) return;
    recorded = covering(sequence);
  }
  check(driver().event_synchronize(recorded.event->native()), "cuEventSynchronize", place_);
  const std::lock_guard lock(mutex_);
  retire(recorded.sequence);
}

std::uint64_t StreamState::hold_back(StreamState& waiter, std::uint64_t sequence) {
  Recorded recorded;
  require_given(sequence);
  enter(place_);
  {
    const std::lock_guard lock(mutex_);
    if (sequence <= reached()) return reached();
    recorded = covering(sequence);
  }
  enter(waiter.place());
  // Launches that the waiter's thread has collected wait too, as they are given later; the numbers after theirs are not taken yet.
  check(driver().stream_wait(waiter.native(), recorded.event->native(), 0), "cuStreamWaitEvent", waiter.place());
  if (!waiter.collects()) waiter.count();
  return recorded.sequence;
}

void StreamState::note_launch(std::uint64_t sequence, std::string_view expression, const std::source_location& where) {
  const std::uint64_t ticket = launches.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(notes_mutex_);
  notes_.add(sequence, ticket, expression, where);
}

LaunchNotes::Found StreamState::first_unproven_launch() const {
  const std::lock_guard lock(notes_mutex_);
  return notes_.first_after(reached());
}

}  // namespace tessera::device
