module;
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
module tessera.schedule;
import tessera.core;

// The loop over oneTBB's threads. Iterations are claimed from a counter of ours, so that every hand-over between
// threads is an atomic operation of ours (TSan sees it), and no exception crosses a TBB frame.
namespace tessera {

namespace {

constexpr int most_threads = 1024;

int default_threads() { return std::clamp(tbb::this_task_arena::max_concurrency(), 1, most_threads); }

std::atomic<int>& thread_count() {
  static std::atomic<int> count = default_threads();
  return count;
}

/// The arena whose size is num_threads(); rebuilt when that changes. A loop keeps the one it started with.
std::shared_ptr<tbb::task_arena> arena_of(int threads) {
  static std::mutex mutex;
  static auto& arena = *new std::shared_ptr<tbb::task_arena>;  // static objects may compute when they are destroyed
  static int size = 0;
  const std::lock_guard lock(mutex);
  if (size != threads) {
    allow_threads(static_cast<std::size_t>(std::max(threads, default_threads())));
    arena = std::make_shared<tbb::task_arena>(threads);
    size = threads;
  }
  return arena;
}

struct Loop {
  std::ptrdiff_t count;
  LoopBody body;
  const void* context;
  std::atomic<std::ptrdiff_t> next{0};
  std::atomic<std::ptrdiff_t> first_failure{PTRDIFF_MAX};
  std::mutex failure_mutex{};
  std::exception_ptr failure{};

  void record(std::ptrdiff_t index) noexcept {
    const std::lock_guard lock(failure_mutex);
    if (index >= first_failure.load(std::memory_order_relaxed)) return;
    failure = std::current_exception();
    first_failure.store(index, std::memory_order_relaxed);
  }

  void drain() noexcept {
    for (;;) {
      const std::ptrdiff_t index = next.fetch_add(1, std::memory_order_acq_rel);
      if (index >= count || index > first_failure.load(std::memory_order_relaxed)) return;
      try {
        body(context, index);
      } catch (...) {
        record(index);
      }
    }
  }
};

/// oneTBB orders a loop's start after what its caller did before, but out of TSan's sight; announce() and join() do so in its
/// sight. The counter is not part of Loop, because the first access of another thread to a Loop must come after join().
std::atomic<unsigned> started_loops{0};

void announce() { started_loops.fetch_add(1, std::memory_order_release); }
void join() { static_cast<void>(started_loops.load(std::memory_order_acquire)); }

void run_serially(std::ptrdiff_t count, LoopBody body, const void* context) {
  for (std::ptrdiff_t index = 0; index < count; ++index) body(context, index);
}

}  // namespace

void set_num_threads(int count) {
  if (count < 1 || count > most_threads) {
    throw SchedulerError(
        to_string(Failure{.operation = "set_num_threads",
                          .problem = std::to_string(count) + " is not in 1 .. " + std::to_string(most_threads)}));
  }
  thread_count().store(count);
}

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void run_parallel(std::ptrdiff_t count, LoopBody body, const void* context) {
  const int threads = num_threads();
  const auto helpers = static_cast<int>(std::min<std::ptrdiff_t>(threads, count)) - 1;
  if (helpers < 1) return run_serially(count, body, context);
  Loop loop{.count = count, .body = body, .context = context};
  std::atomic<int> finished{0};
  const auto participate = [&loop, &finished] {
    join();
    loop.drain();
    finished.fetch_add(1, std::memory_order_release);
  };
  const auto arena = arena_of(threads);
  announce();
  arena->execute([&] {  // on a thread of the arena's if it has no room for the caller
    join();
    tbb::task_group group;
    for (int helper = 0; helper < helpers; ++helper) group.run(participate);
    participate();
    group.wait();
  });
  while (finished.load(std::memory_order_acquire) != helpers + 1) std::this_thread::yield();
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace tessera
