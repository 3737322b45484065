module;
#include <cstddef>
export module tessera.schedule:op_end;
import tessera.standard;
import :failure;
import :op_state;

// The end of an op: who is told, and who gives its memory back.
namespace tessera {

/// A suspended op that waits for another to end.
struct OpAwaiter {
  OpState* op = nullptr;
  OpAwaiter* next = nullptr;
  SharedFailure failure;  // of the op that it waited for
};

/// Gives an op its extras. Throws std::bad_alloc.
OpExtras& extras_of(OpState& op);

/// Appends a waiter. Returns false if the op has ended, and then sets its failure.
bool await_end(OpState& op, OpAwaiter& awaiter) noexcept;

/// The op has ended: its awaiters become ready. Returns whether there were any.
bool tell_awaiters(OpState& op, ReadyList& ready) noexcept;

/// Gives up one share of the op; the last one frees it.
void release_op(OpState& op) noexcept;

namespace schedule {

/// Makes room for `count` accesses. Throws std::bad_alloc, SchedulerError above 65,535.
void reserve_accesses(OpState& op, std::size_t count);

/// Makes an op as if it had not named any Var yet, after its submission has failed.
export void forget_accesses(OpState& op) noexcept;

}  // namespace schedule
using schedule::forget_accesses;
using schedule::reserve_accesses;

/// Makes a coroutine as if it had not declared anything yet, after its submission has failed.
void forget_declaration(OpState& op) noexcept;

/// Gives back the extras and the list of accesses, before the op itself.
void free_parts(OpState& op) noexcept;

}  // namespace tessera
