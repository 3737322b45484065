module;
#include <climits>
export module tessera.schedule:thread_context;
import tessera.standard;
import :op_state;

// What each thread knows of its part in the engines of the process.
namespace tessera {

namespace schedule {

class Recorder;

}  // namespace schedule
using schedule::Recorder;

/// What a callable op that has given up its turn waits for.
struct TurnWait {
  /// Takes the wait over. Lets the op, which its thread has left, run again when the wait is over.
  void (*begin)(TurnWait& wait, OpState& op) noexcept = nullptr;
};

namespace schedule {

/// What this thread is doing for which engine.
export struct ThreadContext {
  OpState* op = nullptr;            // runs now
  OpState* next = nullptr;          // what a coroutine that ended hands over to the loop below it
  unsigned handed_over = 0;         // in a row
  int until_count_waiters = 0;      // ended ops until it looks at them
  unsigned count_group = UINT_MAX;  // none yet
  bool has_submitted = false;       // the op that runs now, an op
  int open_scopes = 0;              // Async scopes that belong to the thread
  int worker = -1;
  const void* pool = nullptr;  // the executor whose worker this thread is now
  Engine* drained = nullptr;   // the engine whose inline queue this thread empties
  Recorder* recorder = nullptr;
  TurnWait* turn_wait =
      nullptr;  // for which the op that runs now, a callable, has given up its turn; see completion.cppm
};

}  // namespace schedule
using schedule::ThreadContext;

/// Begins the wait for which the op has given up its turn.
inline void begin_turn_wait(ThreadContext& context, OpState& op) noexcept {
  TurnWait& wait = *std::exchange(context.turn_wait, nullptr);
  wait.begin(wait, op);
}

extern constinit thread_local ThreadContext context_of_thread;
namespace schedule {

export inline ThreadContext& thread_context() noexcept { return context_of_thread; }

}  // namespace schedule
using schedule::thread_context;

}  // namespace tessera
