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

// What an assignment reads and writes, and its order among ops and the work of streams.
namespace tessera {

/// Whether views of any buffer may have Vars of their own: until then it is enough to know buffers.
inline constinit std::atomic<bool> views_have_vars{false};

/// The buffers that an assignment reads and writes.
class AssignmentAccesses : public plan::LeafVisitor {
 public:
  /// The destination and its memory, which must live as long as this, for an assignment that is computed by the thread that makes this.
  AssignmentAccesses(const Buffer* written, const plan::Written& memory);
  /// The same for one that is submitted. `rewrites`: the memory is all of the buffer; `divides`: arrays may be divided into views.
  AssignmentAccesses(const Buffer* written, const plan::Written& memory, bool rewrites, bool divides);
  /// A parameter of the recording that is made is written.
  explicit AssignmentAccesses(const ParameterSlot& written) noexcept;

  /// Waits for what is pending on them, so that the assignment can be computed now at that place: on a GPU for ops, elsewhere for streams too.
  void settle(Place place) const;

  /// Waits for streams only.
  void settle_streams() const;

  /// What settle_streams would wait for. Throws DeviceError, std::bad_alloc.
  std::vector<device::StreamMark> unreached() const;

  /// What the stream is given from now on starts after what it must not overtake, and when it has been given the assignment: until `mark`
  /// that works with the buffers. Throw DeviceError.
  void order(device::Stream& stream) const;
  void note(const device::StreamMark& mark) const;

  /// The assignment has been computed.
  void end() const;

  /// Whether each operand has a buffer that can be waited for.
  bool are_known() const { return known_; }

  /// Submits the assignment to a scheduler.
  void submit(Engine& engine, UnsubmittedOp op) const;

 private:
  template <class Visit>
  void for_each_operand(const Visit& visit) const;
  static bool add(const plan::LeafVisitor& self, const plan::Written& memory, const BufferShare* share);
  static bool add_parameter(const plan::LeafVisitor& self, const ParameterSlot& slot);
  void declare_buffers(Engine& engine, OpState& op) const;
  void submit_by_views(Engine& engine, OpState& op) const;

  static constexpr std::size_t few = 16;
  const Buffer* written_;
  plan::Written memory_;
  bool rewrites_;
  bool knows_views_;
  bool divides_;
  mutable bool known_ = true;
  mutable std::vector<ViewAccess> views_;  // operands in buffers that are divided or that the scope may divide
  mutable std::size_t count_ = 0;          // and the buffers of the others
  mutable std::array<const Buffer*, few> first_{};
  mutable std::vector<const Buffer*> more_;
  const ParameterSlot* written_parameter_ = nullptr;
  mutable std::vector<const ParameterSlot*> parameters_;
};

}  // namespace tessera
