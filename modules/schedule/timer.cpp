module;
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>
module tessera.schedule;

// The thread that all timers share; it is made when the first one is used.
namespace tessera {

namespace {

using Time = std::chrono::steady_clock::time_point;
using Entry = std::pair<Time, OpState*>;

class TimerThread {
 public:
  TimerThread() {
    std::thread([this] { run(); }).detach();
  }

  void add(OpState& op, Time time) {
    const std::lock_guard lock(mutex_);
    entries_.emplace(time, &op);
    changed_.notify_one();
  }

 private:
  [[noreturn]] void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (entries_.empty()) {
        changed_.wait(lock);
      } else if (const Time first = entries_.top().first; first > std::chrono::steady_clock::now()) {
        changed_.wait_until(lock, first);
      } else {
        OpState& op = *entries_.top().second;
        entries_.pop();
        lock.unlock();
        op.engine->resume(op);
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
};

/// Its thread ends with the process, and a child process has no part of it.
TimerThread& timers_of_process() {
  static std::atomic<TimerThread*> timers{nullptr};
  static std::atomic<std::uint32_t> process{0};
  static std::mutex mutex;
  TimerThread* made = timers.load(std::memory_order_acquire);
  if (made != nullptr && process.load(std::memory_order_relaxed) == process_number()) return *made;
  const std::lock_guard lock(mutex);
  made = timers.load(std::memory_order_relaxed);
  if (made != nullptr && process.load(std::memory_order_relaxed) == process_number()) return *made;
  made = new TimerThread;
  process.store(process_number(), std::memory_order_relaxed);
  timers.store(made, std::memory_order_release);
  return *made;
}

}  // namespace

void resume_at(OpState& op, Time time) { timers_of_process().add(op, time); }

}  // namespace tessera
