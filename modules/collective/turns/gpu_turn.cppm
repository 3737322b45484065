module;
#include <cstdint>
export module tessera.collective:gpu_turn;
import tessera.standard;
import tessera.device;
import :note;
import :gpu_wire;
import :progress;
import :communicator;
import :patience;

// The order of what GPUs do for a group. NCCL asks for one order on all ranks, also of what it only takes down for later; ops go on in another order on each.
// So a collective that is agreed on has a second number, and gives the GPU its work when all before it have.
namespace tessera::collective {

/// Awaited: what comes before has been given to the GPU.
class GpuTurn final : public Pending {
 public:
  GpuTurn(Communicator& group, const Note& note, std::uint64_t number) : group_(group), note_(note), number_(number) {}

  bool poll() override;
  /// All that belongs to it has been given to the GPU.
  void end();

 private:
  Communicator& group_;
  Note note_;
  std::uint64_t number_;
};

/// Awaited: NCCL has taken what it was given, and, if there is a mark, the GPU has come to it.
class GpuWait final : public Pending {
 public:
  GpuWait(Communicator& group, const Note& note, std::uint64_t collective, const GpuWire& wire,
          const device::StreamMark& mark = {})
      : group_(group), note_(note), collective_(collective), wire_(wire), mark_(mark), patience_(group) {}

  bool poll() override;

 private:
  Communicator& group_;
  Note note_;
  std::uint64_t collective_;
  const GpuWire& wire_;
  device::StreamMark mark_;
  Patience patience_;
};

}  // namespace tessera::collective
