export module tessera.schedule:timer;
import tessera.standard;
import tessera.core;
import :op_state;
import :op;

// Waiting for a time without holding a worker.
namespace tessera {

/// Puts an op into the queue of the timer's thread, which resumes it. Throws std::bad_alloc, std::system_error.
void resume_at(OpState& op, std::chrono::steady_clock::time_point time);

struct TimeAwaiter {
  std::chrono::steady_clock::time_point time;

  inline bool await_ready() const noexcept { return time <= std::chrono::steady_clock::now(); }
  inline void await_suspend(std::coroutine_handle<> point) const {
    OpState& op = current_op("sleep");
    op.set_resume_point(point);
    resume_at(op, time);
  }
  inline void await_resume() const noexcept {}
};

/// Awaited in an op: goes on at `time`, or a little later.
export inline TimeAwaiter sleep_until(std::chrono::steady_clock::time_point time) noexcept { return {time}; }

/// Awaited in an op: goes on after `duration`, or a little later.
export template <class Rep, class Period>
TimeAwaiter sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  return {core::time_after(duration)};
}

}  // namespace tessera
