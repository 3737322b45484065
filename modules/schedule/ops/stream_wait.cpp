module;
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.core;
import tessera.device;

// The thread that asks GPUs how far they are. CUDA could call a function of the host instead (cuLaunchHostFunc), but the stream would
// stand still meanwhile, and after an error the function would never be called.
namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Questions become rarer as a wait grows, so that it lasts little longer than it must and few questions are asked.
constexpr int share_of_wait = 16;
constexpr Clock::duration shortest_pause = 5us;
constexpr Clock::duration longest_pause = 1ms;

/// A GPU that has failed reaches nothing any more: the op finds out when it asks.
bool is_over(StreamWait& wait) noexcept {
  try {
    std::erase_if(wait.marks, [](const device::StreamMark& mark) { return mark.is_reached(); });
    return wait.marks.empty();
  } catch (...) {
    return true;
  }
}

void resume(StreamWait& wait) noexcept {
  OpState& op = *wait.op;  // the wait may be a part of it, and be gone soon
  if (wait.is_owned) delete &wait;
  op.engine->resume(op);
}

class StreamWaiter {
 public:
  StreamWaiter() {
    std::thread([this] { run(); }).detach();
  }

  void add(StreamWait& wait) noexcept {
    wait.since = Clock::now();
    const std::lock_guard lock(mutex_);
    wait.next = std::exchange(added_, &wait);
    changed_.notify_one();
  }

 private:
  [[noreturn]] void run() {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds: pauses are short
    std::unique_lock lock(mutex_);
    for (;;) {
      if (added_ == nullptr && asked_ == nullptr) changed_.wait(lock);
      take_added();
      lock.unlock();
      const Clock::duration pause = ask();
      lock.lock();
      if (asked_ != nullptr && added_ == nullptr) changed_.wait_for(lock, pause);
    }
  }

  void take_added() noexcept {
    while (added_ != nullptr) {
      StreamWait* const wait = std::exchange(added_, added_->next);
      wait->next = std::exchange(asked_, wait);
    }
  }

  /// Resumes those whose marks are reached. Returns how long to pause for the others.
  Clock::duration ask() noexcept {
    Clock::duration pause = longest_pause;
    for (StreamWait** at = &asked_; *at != nullptr;) {
      StreamWait& wait = **at;
      if (is_over(wait)) {
        *at = wait.next;
        resume(wait);
      } else {
        pause = std::min(pause, (Clock::now() - wait.since) / share_of_wait);
        at = &wait.next;
      }
    }
    return std::max(pause, shortest_pause);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  StreamWait* added_ = nullptr;
  StreamWait* asked_ = nullptr;  // the thread's own
};

}  // namespace

namespace {

void begin_owned_wait(TurnWait& turn, OpState& op) noexcept {
  auto& wait = static_cast<StreamWait&>(turn);
  wait.op = &op;
  of_process<StreamWaiter>().add(wait);
}

}  // namespace

void prepare_stream_waits() { static_cast<void>(of_process<StreamWaiter>()); }

void schedule::give_up_turn(std::vector<device::StreamMark> marks) {
  ThreadContext& context = context_that_gives_up_its_turn();
  prepare_stream_waits();
  auto* const wait = new StreamWait;
  wait->begin = begin_owned_wait;
  wait->marks = std::move(marks);
  wait->is_owned = true;
  context.turn_wait = wait;
}

bool StreamMarksAwaiter::await_ready() {
  std::erase_if(wait_.marks, [](const device::StreamMark& mark) { return mark.is_reached(); });
  return wait_.marks.empty();
}

void StreamMarksAwaiter::await_suspend(std::coroutine_handle<> point) {
  OpState& op = current_op("co_await of a GPU's work");
  prepare_stream_waits();
  op.set_resume_point(point);
  wait_.op = &op;
  of_process<StreamWaiter>().add(wait_);
}

void StreamMarksAwaiter::await_resume() const {
  for (const device::StreamMark& mark : wait_.marks) mark.wait();
}

}  // namespace tessera
