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

 private:
  Engine* engine_;
  AsyncOptions options_;
  OpState* op_;  // of the thread when the scope began: what that op calls is not in the scope
  std::source_location where_;
  std::shared_ptr<AsyncScopes> scopes_;
  Async* outer_;

  friend Async* current_async() noexcept;
  friend class AssignmentAccesses;
};

/// The innermost scope that assignments of this thread belong to, or nullptr.
Async* current_async() noexcept;

/// The buffers that an assignment reads and writes.
class AssignmentAccesses : public plan::LeafVisitor {
 public:
  /// The destination and its memory; `rewrites`: that is all of the buffer. Both must live as long as this.
  AssignmentAccesses(const Buffer* written, const plan::Written& memory, bool rewrites);
  /// A parameter of the recording that is made is written.
  explicit AssignmentAccesses(const ParameterSlot& written) noexcept;

  /// Waits for what is pending on them, so that the assignment can be computed now at that place: on a GPU for ops, elsewhere for streams too.
  void settle(Place place) const;

  /// Waits for streams only.
  void settle_streams() const;

  /// What settle_streams would wait for. Throws DeviceError, std::bad_alloc.
  std::vector<StreamMark> unreached() const;

  /// What the stream is given from now on starts after what it must not overtake, and when it has been given the assignment: until `mark`
  /// that works with the buffers. Throw DeviceError.
  void order(Stream& stream) const;
  void note(const StreamMark& mark) const;

  /// The assignment has been computed.
  void end() const;

  /// Whether each operand has a buffer that can be waited for.
  bool are_known() const { return known_; }

  /// Submits the assignment to the scope's scheduler.
  void submit(Async& scope, UnsubmittedOp op) const;
  const std::source_location& place_of(const Async& scope) const { return scope.where_; }

 private:
  template <class Visit>
  void for_each_operand(const Visit& visit) const;
  static bool add(const plan::LeafVisitor& self, const plan::Written& memory, const BufferShare* share);
  static bool add_parameter(const plan::LeafVisitor& self, const ParameterSlot& slot);
  void declare_buffers(Engine& engine, OpState& op) const;
  void submit_by_views(const Async& scope, OpState& op) const;

  static constexpr std::size_t few = 16;
  const Buffer* written_;
  plan::Written memory_;
  bool rewrites_;
  bool knows_views_;
  bool divides_;  // the scope that this is for
  mutable bool known_ = true;
  mutable std::vector<ViewAccess> views_;  // operands in buffers that are divided or that the scope may divide
  mutable std::size_t count_ = 0;          // and the buffers of the others
  mutable std::array<const Buffer*, few> first_{};
  mutable std::vector<const Buffer*> more_;
  const ParameterSlot* written_parameter_ = nullptr;
  mutable std::vector<const ParameterSlot*> parameters_;
};

}  // namespace tessera
