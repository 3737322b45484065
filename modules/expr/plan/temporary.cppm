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
  Temporary(Place place, std::ptrdiff_t bytes) : memory_(place.on_host() ? Place(CpuPlace{}) : place, bytes) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (memory_.uses() != nullptr) note_use();
  }

  void* data() const { return memory_.data(); }

 private:
  void note_use() const noexcept;

  memory::Allocation memory_;
};

}  // namespace tessera::plan
