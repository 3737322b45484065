module;
#include <cstddef>
export module tessera.expr:async;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;

// Asynchronous arrays: assignments become ops of a scheduler, which knows what each of them reads and writes.
namespace tessera {

/// What may be chosen for the assignments of a scope.
export struct AsyncOptions {
  /// Assignments to views of one array run beside each other, and beside ops that read other parts of it, if the views provably share no
  /// memory: blocks of rows or columns, tiles, even and odd elements. An array whose var() has been asked for stays one thing, and so do
  /// all arrays in a capture.
  bool disjoint_views = false;
};

/// Scopes of one thread, or of one coroutine op.
struct AsyncScopes;

/// While it lives, the assignments of this thread are submitted to a scheduler instead of being computed at once; those of the op, if it is
/// begun in a coroutine op, which takes it along from thread to thread. Scopes may end in any order and on any thread. Operands are read and
/// destinations written when their turn comes; handles are kept alive and scalars copied. Shapes and places are checked at the
/// assignment. Element access, iteration, printing, to(), clone() and make_view() wait for what they need, on any thread and
/// also after the scope has ended. If an op fails, they throw OperationFailed, which names the expression and this scope. An
/// assignment with an ArrayView among its operands is computed at once, when its arrays are ready, because a view keeps nothing alive.
export class [[nodiscard("it must live while assignments are to be asynchronous")]] Async {
 public:
  explicit Async(Scheduler& scheduler, const AsyncOptions& options = {},
                 const std::source_location& where = std::source_location::current());
  Async(const Async&) = delete;
  // clang-format off
  friend std::ostream& operator<<(std::ostream&, const Async&) = delete;  // an Async scope has nothing to print: print an array
  // clang-format on
  Async& operator=(const Async&) = delete;
  ~Async();

  Engine& engine() const noexcept { return *engine_; }
  const AsyncOptions& options() const noexcept { return options_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  Engine* engine_;
  AsyncOptions options_;
  OpState* op_;  // of the thread when the scope began: what that op calls is not in the scope
  std::source_location where_;
  std::shared_ptr<AsyncScopes> scopes_;
  Async* outer_;

  friend Async* current_async() noexcept;
};

/// The innermost scope that assignments of this thread belong to, or nullptr.
Async* current_async() noexcept;

/// Whether views of any buffer may have Vars of their own: until then it is enough to know buffers.
bool views_may_have_vars() noexcept;

}  // namespace tessera
