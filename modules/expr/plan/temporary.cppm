module;
#include <cstddef>
export module tessera.expr:temporary;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;

// Memory for intermediate results, at the place where they are computed.
namespace tessera::plan {

/// Memory of the pool of a GPU, or of the CPU for the host's places. On a GPU it is for work of this thread's stream, and stays with that work when it is
/// given back.
class Temporary {
 public:
  /// Throws OutOfMemory.
  Temporary(Place place, std::ptrdiff_t bytes) : place_(place.on_host() ? Place(CpuPlace{}) : place), bytes_(bytes) {
    place_.on_host() ? allocate_on_host() : allocate_on_gpu();
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!place_.on_host()) give_back();
  }

  void* data() const { return data_; }

 private:
  void allocate_on_host() {
    memory_ = memory::Allocation(place_, bytes_);
    data_ = memory_.data();
  }
  void allocate_on_gpu();
  void give_back() noexcept;

  Place place_;
  std::ptrdiff_t bytes_;
  void* data_ = nullptr;
  memory::Allocation memory_;  // of the host
  device::StreamUses uses_;    // of a GPU's memory; here, so that none needs memory of its own
};

}  // namespace tessera::plan
