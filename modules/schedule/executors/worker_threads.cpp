module;
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
module tessera.schedule;

// The one place where tasks are given to oneTBB for workers: ThreadSanitizer's build leaves plain accesses in this file alone, as
// oneTBB hands tasks over out of its sight.
namespace tessera {

/// Of one thread: in an arena for all workers oneTBB would wake as many threads at each request as there are workers, and two that wake at
/// once take twice as long as one.
struct WorkerThreads::Arena {
  tbb::task_arena one_thread{1, 0};
};

namespace {

/// oneTBB orders a task's start after what was done before it was given; announce() and join() do so in ThreadSanitizer's sight.
std::atomic<unsigned> announced{0};

void announce() { announced.fetch_add(1, std::memory_order_release); }
void join() { static_cast<void>(announced.load(std::memory_order_acquire)); }

}  // namespace

void allow_threads(std::size_t threads) {
  static std::mutex mutex;
  static std::size_t allowed = 0;
  static auto& control = *new std::unique_ptr<tbb::global_control>;  // as the workers, it lasts as long as the process
  const std::lock_guard lock(mutex);
  if (threads <= allowed) return;
  control.reset();  // oneTBB obeys the lowest bound there is
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  allowed = threads;
}

WorkerThreads::WorkerThreads(std::size_t count) : arenas_(count) {}
WorkerThreads::~WorkerThreads() = default;

void WorkerThreads::request(std::size_t worker, std::shared_ptr<Executor> pool, std::shared_ptr<Engine> engine,
                            Work work) {
  const auto task = [worker, pool = std::move(pool), engine = std::move(engine), work] {
    join();
    work(*pool, worker);
  };
  announce();
  if (process_number() != 0) {
    std::thread(task).detach();
    return;
  }
  allow_threads(arenas_.size() + 1);
  arenas_[worker].one_thread.enqueue(task);
}

}  // namespace tessera
