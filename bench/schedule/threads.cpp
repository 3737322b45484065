// Threads that sleep on a condition variable, without any engine: what the machine itself needs to wake one.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "serve.hpp"

namespace {

using bench::Work;

class SleepingThreads {
 public:
  static constexpr const char* name = "a condition variable alone";
  static bool takes(std::string_view shape) { return shape == "single"; }

  SleepingThreads(const Work&, int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  SleepingThreads(const SleepingThreads&) = delete;
  SleepingThreads& operator=(const SleepingThreads&) = delete;
  ~SleepingThreads() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  template <class Body>
  void submit(const Body& body, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t op = first; op < last; ++op) {
      {
        const std::lock_guard lock(mutex_);
        op_ = [&body, op] { body(op); };
        running_ = true;
      }
      changed_.notify_one();
    }
  }

  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return !running_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || op_; });
      if (ending_) return;
      const std::function<void()> op = std::exchange(op_, nullptr);
      lock.unlock();
      op();
      lock.lock();
      running_ = false;
      ended_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_, ended_;
  std::function<void()> op_;  // one at a time
  bool running_ = false, ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int count, char** arguments) { return bench::serve<SleepingThreads>(count, arguments); }
