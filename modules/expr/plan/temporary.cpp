module;
#include <exception>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Temporary memory on GPUs belongs to the work that uses it.
namespace tessera::plan {

void Temporary::note_use() const noexcept {
  try {
    memory_.uses()->note_write(device::Stream::current(GpuPlace{memory_.place().ordinal()}).mark());
  } catch (...) {  // a stream exists where there is memory of its GPU, and one mark needs no memory
    std::terminate();
  }
}

}  // namespace tessera::plan
