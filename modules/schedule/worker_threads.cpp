module;
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
module tessera.schedule;

// The one place where tasks are given to oneTBB for workers: ThreadSanitizer's build leaves plain accesses in this file alone, as
// oneTBB hands tasks over out of its sight.
namespace tessera {

struct WorkerThreads::Arena : tbb::task_arena {
  using tbb::task_arena::task_arena;
};

namespace {

/// oneTBB orders a task's start after what was done before it was given; announce() and join() do so in ThreadSanitizer's sight.
std::atomic<unsigned> announced{0};

void announce() { announced.fetch_add(1, std::memory_order_release); }
void join() { static_cast<void>(announced.load(std::memory_order_acquire)); }

/// oneTBB makes threads for the cores alone unless it is told otherwise; a waiting thread is not a worker.
void allow_threads(std::size_t threads) {
  static std::mutex mutex;
  static std::size_t allowed = 0;
  static std::unique_ptr<tbb::global_control> control;
  const std::lock_guard lock(mutex);
  if (threads <= allowed) return;
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  allowed = threads;
}

}  // namespace

WorkerThreads::WorkerThreads(int most) : arena_(std::make_unique<Arena>(most, 0)) {}
WorkerThreads::~WorkerThreads() = default;

void WorkerThreads::request(std::shared_ptr<Executor> pool, std::shared_ptr<Engine> engine, Work work) {
  const auto task = [pool = std::move(pool), engine = std::move(engine), work] {
    join();
    work(*pool);
  };
  announce();
  if (process_number() != 0) {
    std::thread(task).detach();
    return;
  }
  allow_threads(static_cast<std::size_t>(arena_->max_concurrency()) + 1);
  arena_->enqueue(task);
}

}  // namespace tessera
