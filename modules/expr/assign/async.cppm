module;
#include <cstddef>
export module tessera.expr:async;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :scopes;
import :accesses;

// Asynchronous arrays: assignments become ops of a scheduler, which knows what each of them reads and writes.
namespace tessera {

/// What may be chosen for the assignments of a scope.
export struct AsyncOptions {
  /// Assignments to views of one array run beside each other, and beside ops that read other parts of it, if the views provably share no
  /// memory: blocks of rows or columns, tiles, even and odd elements. An array whose var() has been asked for stays one thing, and so do
  /// all arrays in a capture.
  bool disjoint_views = false;
};

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

 private:
  Engine* engine_;
  AsyncOptions options_;
  schedule::OpState* op_;  // of the thread when the scope began: what that op calls is not in the scope
  std::source_location where_;
  std::shared_ptr<AsyncScopes> scopes_;
  Async* outer_;

  friend Async* current_async() noexcept;
  friend class AsyncScopes;
  friend struct ScopeOfAssignment;
};

/// A scope as the assignments in it see it.
struct ScopeOfAssignment {
  const Async& scope;

  bool divides() const { return scope.options_.disjoint_views; }
  const std::source_location& place() const { return scope.where_; }
  void submit(const AssignmentAccesses& accesses, schedule::UnsubmittedOp op) const;
};

}  // namespace tessera
