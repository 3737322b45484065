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

void Temporary::allocate_on_gpu() {
  data_ = memory::alloc(device::Stream::current(GpuPlace{place_.ordinal()}), bytes_, uses_);
}

void Temporary::give_back() noexcept {
  try {
    uses_.note_write(device::Stream::current(GpuPlace{place_.ordinal()}).mark());
    memory::free(place_, data_, bytes_, uses_);
  } catch (...) {  // a stream exists where there is memory of its GPU, and one mark needs no memory
    std::terminate();
  }
}

}  // namespace tessera::plan
