module;
#include <cstddef>
export module tessera.expr:accesses;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;

// What an assignment reads and writes: a visitor of the operands collects it, and the assignment waits for it or is submitted with it.
namespace tessera {

/// Whether views of any buffer may have Vars of their own: until then it is enough to know buffers.
inline constinit std::atomic<bool> views_have_vars{false};

/// The destination of an assignment: a buffer with the memory that is written, or a parameter of the recording that is made, or what nobody
/// can wait for.
struct WrittenBuffer {
  const Buffer* buffer = nullptr;
  plan::Written memory{};
  bool rewrites = false;  // all of the buffer
  bool divides = false;   // the scope lets views of one array be written beside each other
  const schedule::ParameterSlot* parameter = nullptr;
};

/// The buffers and parameters that an assignment reads and writes. What it was made of must live as long as this.
class AssignmentAccesses {
 public:
  explicit AssignmentAccesses(const WrittenBuffer& written);

  /// An operand. `buffer` is null if nobody counts who uses the memory.
  void add(const plan::Written& memory, const Buffer* buffer);
  void add(const schedule::ParameterSlot& slot) { parameters_.push_back(&slot); }

  const WrittenBuffer& written() const { return written_; }
  std::span<const schedule::ParameterSlot* const> parameters() const { return parameters_; }
  /// Operands in buffers that are divided, or that the scope may divide.
  std::span<const storage::ViewAccess> views() const { return views_; }
  /// Calls `visit` with the buffer of each other operand.
  template <class Visit>
  void for_each_whole(const Visit& visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(*first_[i]);
    for (const Buffer* buffer : more_) visit(*buffer);
  }
  /// Calls `visit` with the buffer of each operand.
  template <class Visit>
  void for_each_operand(const Visit& visit) const {
    for (const storage::ViewAccess& view : views_) visit(*view.buffer);
    for_each_whole(visit);
  }

  /// Whether each operand, and what is written, has a buffer or parameter that can be waited for.
  bool are_known() const { return known_; }
  /// Views may have Vars of their own.
  bool knows_views() const { return knows_views_; }

 private:
  static constexpr std::size_t few = 16;
  WrittenBuffer written_;
  bool knows_views_;
  bool known_;
  std::vector<storage::ViewAccess> views_;
  std::size_t count_ = 0;
  std::array<const Buffer*, few> first_{};
  std::vector<const Buffer*> more_;
  std::vector<const schedule::ParameterSlot*> parameters_;
};

/// Adds the operands of a node to what an assignment accesses.
class OperandVisitor : public plan::LeafVisitor {
 public:
  explicit OperandVisitor(AssignmentAccesses& to);

 private:
  AssignmentAccesses& accesses_;
};

/// Waits for what is pending on them, so that the assignment can be computed now at that place: on a GPU for ops, elsewhere for streams too.
void wait_for(const AssignmentAccesses& accesses, Place place);

/// The marks of streams that an assignment on the host would have to wait for. Throws DeviceError, std::bad_alloc.
std::vector<device::StreamMark> unreached(const AssignmentAccesses& accesses);

/// What the stream is given from now on starts after what the assignment must not overtake, and when it has been given the assignment: until
/// `mark` that works with the buffers. Throw DeviceError.
void order(const AssignmentAccesses& accesses, device::Stream& stream);
void note(const AssignmentAccesses& accesses, const device::StreamMark& mark);

/// Submits the assignment to a scheduler. Throws SchedulerError, std::bad_alloc.
void submit(const AssignmentAccesses& accesses, Engine& engine, schedule::UnsubmittedOp op);

}  // namespace tessera
