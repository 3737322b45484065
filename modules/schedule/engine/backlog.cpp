module;
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
module tessera.schedule;
import tessera.core;

// How many ops are pending, and who waits until they are fewer.
namespace tessera {

unsigned new_count_group(unsigned groups) noexcept {
  static std::atomic<unsigned> threads{0};
  return threads.fetch_add(1, std::memory_order_relaxed) % groups;
}

std::uint64_t OpCounts::submitted() const noexcept {
  std::uint64_t sum = 0;
  for (const Count& count : counts_) sum += count.submitted.load(std::memory_order_seq_cst);
  return sum;
}

std::uint64_t OpCounts::ended() const noexcept {
  std::uint64_t sum = 0;
  for (const Count& count : counts_) sum += count.ended.load(std::memory_order_seq_cst);
  return sum;
}

void Backlog::remove() noexcept {
  counts_.add_ended();
  const int period = period_.load(std::memory_order_seq_cst);
  if (period == 0) [[likely]]
    return;
  int& countdown = context_of_thread.until_count_waiters;
  if (--countdown > 0 && countdown < period) return;
  countdown = period;
  tell_waiters();
}

void Backlog::look_at_waiters() noexcept {
  if (period_.load(std::memory_order_seq_cst) != 0) tell_waiters();
}

void Backlog::set_period() noexcept {
  int period = 0;
  for (const Waiter* waiter = first_waiter_; waiter != nullptr; waiter = waiter->next) {
    constexpr std::uint64_t longest = 256;
    const std::uint64_t sixteenth =
        waiter->most == 0 ? longest : std::clamp<std::uint64_t>(waiter->most / 16, 1, longest);
    const int own = waiter->bytes == PTRDIFF_MAX ? static_cast<int>(sixteenth) : 1;
    period = period == 0 ? own : std::min(period, own);
  }
  period_.store(period, std::memory_order_seq_cst);
}

void Backlog::tell_waiters() noexcept {
  const std::lock_guard lock(parking_.mutex);
  const std::uint64_t pending = counts_.pending();
  for (Waiter* waiter = first_waiter_; waiter != nullptr; waiter = waiter->next) {
    if (pending == 0 || (pending <= waiter->most && bytes() <= waiter->bytes)) waiter->signal->set_while_locked();
  }
}

bool Backlog::wait(Executor& executor, std::uint64_t most, std::ptrdiff_t most_bytes, const Deadline& deadline,
                   SleepWatch* watch) {
  Signal signal(parking_, watch);
  Waiter waiter{.signal = &signal, .most = most, .bytes = most_bytes, .next = nullptr};
  {
    const std::lock_guard lock(parking_.mutex);
    waiter.next = std::exchange(first_waiter_, &waiter);
    set_period();
  }
  tell_waiters();  // it may be so already
  const bool reached = executor.wait(signal, deadline);
  const std::lock_guard lock(parking_.mutex);
  Waiter** at = &first_waiter_;
  while (*at != &waiter) at = &(*at)->next;
  *at = waiter.next;
  set_period();
  return reached;
}

void Backlog::wait_for_room(Executor& executor, std::ptrdiff_t bytes) {
  const std::ptrdiff_t most_bytes =
      window_.bytes == 0 ? PTRDIFF_MAX : std::max<std::ptrdiff_t>(window_.bytes - bytes, 0);
  const std::uint64_t most = window_.ops == 0 ? UINT64_MAX : static_cast<std::uint64_t>(window_.ops) - 1;
  if ((counts_.pending() <= most && this->bytes() <= most_bytes) || executor.is_stopped()) return;
  wait(executor, most, most_bytes, {});
}

void Backlog::bound_now_and_then(Executor& executor, std::uint64_t submitted_before) {
  const auto most = static_cast<std::uint64_t>(window_.ops);
  const std::uint64_t mask = std::min<std::uint64_t>(std::bit_floor(most / 16 + 1), 256) - 1;
  if ((submitted_before & mask) == mask) bound(executor);
}

void Backlog::bound(Executor& executor) {
  const auto most = static_cast<std::uint64_t>(window_.ops);
  if (counts_.pending() > most && !executor.is_stopped()) wait(executor, most, PTRDIFF_MAX, {});
}

}  // namespace tessera
