module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:stream_wait;
import tessera.standard;
import tessera.device;
import :op_state;
import :op;
import :thread_context;

// Ops that wait for GPUs without holding a worker.
namespace tessera {

/// An op that goes on when GPUs have reached some marks, or have failed. One thread of the process asks for all of them.
struct StreamWait : TurnWait {
  std::vector<device::StreamMark> marks;  // that are not known to be reached
  bool is_owned = false;                  // by the thread, which deletes it; otherwise by the op
  OpState* op = nullptr;
  std::chrono::steady_clock::time_point since{};
  StreamWait* next = nullptr;
};

/// Makes the thread that asks, so that a wait that has begun cannot fail. Throws std::system_error, std::bad_alloc.
void prepare_stream_waits();

namespace schedule {

/// Lets the callable op that runs now give up its turn until GPUs have reached the marks; then its body is called once more. It must return
/// at once. With Inline the op goes on on the thread that asks GPUs, and other waits meanwhile wait for it. Throws SchedulerError if no
/// such op is running or has given up its turn already, and what prepare_stream_waits throws.
export void give_up_turn(std::vector<device::StreamMark> marks);

}  // namespace schedule
using schedule::give_up_turn;

namespace schedule {

/// Awaited in an op.
export class [[nodiscard("co_await it")]] StreamMarksAwaiter {
 public:
  inline explicit StreamMarksAwaiter(std::vector<device::StreamMark> marks) { wait_.marks = std::move(marks); }

  /// Throws DeviceError if work of a GPU has failed.
  bool await_ready();
  void await_suspend(std::coroutine_handle<> point);
  void await_resume() const;

 private:
  StreamWait wait_;
};

}  // namespace schedule
using schedule::StreamMarksAwaiter;

/// Awaited in an op: goes on when the GPU has done all work up to the mark, and holds no worker meanwhile. Throws DeviceError if work of the
/// GPU has failed.
export inline StreamMarksAwaiter operator co_await(const device::StreamMark& mark) {
  return StreamMarksAwaiter(std::vector<device::StreamMark>(1, mark));
}

}  // namespace tessera
