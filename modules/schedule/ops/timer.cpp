module;
#include <chrono>
#include <condition_variable>
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

}  // namespace

void resume_at(OpState& op, Time time) { of_process<TimerThread>().add(op, time); }

}  // namespace tessera
