module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:gpu_call;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.darray;
import :gpu_wire;
import :agreement;
import :gpu_turn;
import :protocol;
import :operation;

// A collective that is done by GPUs: what NCCL is told to move, and waiting for it. Elements stay on the GPUs; the host says only what is to be done, in an
// order that is the same on all ranks.
namespace tessera::collective {

/// Row-major memory of this rank's GPU.
struct GpuMemory {
  std::byte* data = nullptr;
  device::StreamUses* uses = nullptr;

  GpuMemory() = default;
  explicit GpuMemory(const ArrayMemory& array) : data(static_cast<std::byte*>(array.data())), uses(array.uses()) {}
  explicit GpuMemory(const DArray& array)
      : data(reinterpret_cast<std::byte*>(array.data())),
        uses(array.buffer() != nullptr ? array.buffer()->uses() : nullptr) {}

  inline GpuMemory operator+(std::ptrdiff_t bytes) const noexcept {
    GpuMemory moved = *this;
    if (bytes != 0) moved.data += bytes;
    return moved;
  }
};

/// Steps to be awaited in this order: begin, any exchanges, end.
class GpuCall {
 public:
  GpuCall(Operation& operation, const Agreement& agreement);

  /// It is this collective's turn on the GPUs, which have been joined.
  Protocol begin();

  /// Parts of `from` to their ranks, and into `to` from theirs. What is exchanged must live until end() has ended.
  Protocol exchange(std::vector<GpuPart> sent, GpuMemory from, std::vector<GpuPart> received, GpuMemory to);
  /// The bytes of one rank to all.
  Protocol broadcast(GpuMemory from, GpuMemory to, std::int64_t bytes, int root);
  /// The parts of all ranks, one after the other, to all.
  Protocol all_gather(GpuMemory from, GpuMemory to, std::vector<std::int64_t> bytes);

  /// The turn goes on, and the GPU has done what it was given.
  Protocol end();

  /// The operand, row-major.
  GpuMemory sent();
  /// A copy of it, row-major.
  DArray copy_of_operand() const;
  /// Where the result comes to, row-major; deliver() brings it to where it belongs.
  GpuMemory received();
  void deliver();
  /// Elements of the result, in its order.
  void deliver(const DArray& elements);

  /// Memory of this GPU that lives as long as this.
  DArray scratch(const DDim& shape, DType dtype);
  /// Elements that have been computed, which are sent: they live as long as this.
  DArray keep(const DArray& elements);

  inline int rank() const noexcept { return operation_.rank(); }
  inline int size() const noexcept { return operation_.size(); }
  inline Operation& operation() const noexcept { return operation_; }

 private:
  /// `give` calls NCCL once, which reads and writes these.
  template <class Give>
  Protocol give(GpuMemory from, GpuMemory to, Give give);

  Operation& operation_;
  const Agreement& agreement_;
  GpuPlace place_;
  GpuTurn turn_;
  GpuWire* wire_ = nullptr;
  ArrayMemory packed_, unpacked_;
  std::vector<DArray> scratch_;
};

/// One collective of GPUs: its turn, `steps` of its own, and what has come brought to where it belongs.
Protocol on_gpus(Operation& operation, const Agreement& agreement, std::function<Protocol(GpuCall&)> steps);

/// Parts that lie one after the other, one for each rank.
std::vector<GpuPart> parts_of(GpuMemory memory, std::span<const std::int64_t> bytes);

}  // namespace tessera::collective
