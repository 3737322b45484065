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

void Engine::look_at_count_waiters() noexcept {
  if (count_period_.load(std::memory_order_seq_cst) != 0) tell_count_waiters();
}

void Engine::set_count_period() noexcept {
  int period = 0;
  for (const CountWaiter* waiter = first_count_waiter_; waiter != nullptr; waiter = waiter->next) {
    constexpr std::uint64_t longest = 256;
    const std::uint64_t sixteenth =
        waiter->most == 0 ? longest : std::clamp<std::uint64_t>(waiter->most / 16, 1, longest);
    const int own = waiter->bytes == PTRDIFF_MAX ? static_cast<int>(sixteenth) : 1;
    period = period == 0 ? own : std::min(period, own);
  }
  count_period_.store(period, std::memory_order_seq_cst);
}

void Engine::tell_count_waiters() noexcept {
  const std::lock_guard lock(parking_.mutex);
  const std::uint64_t pending = counts_.pending();
  for (CountWaiter* waiter = first_count_waiter_; waiter != nullptr; waiter = waiter->next) {
    if (pending == 0 || (pending <= waiter->most && bytes() <= waiter->bytes)) waiter->signal->set_while_locked();
  }
}

bool Engine::wait_for_count(std::uint64_t most, std::ptrdiff_t most_bytes, const Deadline& deadline,
                            SleepWatch* watch) {
  Signal signal(parking_, watch);
  CountWaiter waiter{.signal = &signal, .most = most, .bytes = most_bytes, .next = nullptr};
  {
    const std::lock_guard lock(parking_.mutex);
    waiter.next = std::exchange(first_count_waiter_, &waiter);
    set_count_period();
  }
  tell_count_waiters();  // it may be so already
  const bool reached = executor_->wait(signal, deadline);
  const std::lock_guard lock(parking_.mutex);
  CountWaiter** at = &first_count_waiter_;
  while (*at != &waiter) at = &(*at)->next;
  *at = waiter.next;
  set_count_period();
  return reached;
}

void Engine::wait_for_room(const OpState& op) {
  const std::ptrdiff_t bytes = op.extras == nullptr ? 0 : op.extras->bytes;
  const std::ptrdiff_t most_bytes =
      window_.bytes == 0 ? PTRDIFF_MAX : std::max<std::ptrdiff_t>(window_.bytes - bytes, 0);
  const std::uint64_t most = window_.ops == 0 ? UINT64_MAX : static_cast<std::uint64_t>(window_.ops) - 1;
  if ((counts_.pending() <= most && this->bytes() <= most_bytes) || executor_->is_stopped()) return;
  wait_for_count(most, most_bytes, {});
}

/// Looks only now and then, because counting reads a cache line of each group of threads.
void Engine::bound_pending(std::uint64_t submitted_before) {
  const auto most = static_cast<std::uint64_t>(window_.ops);
  const std::uint64_t mask = std::min<std::uint64_t>(std::bit_floor(most / 16 + 1), 256) - 1;
  if ((submitted_before & mask) != mask || counts_.pending() <= most || executor_->is_stopped()) return;
  wait_for_count(most, PTRDIFF_MAX, {});
}

}  // namespace tessera
