// Misuses CUDA in the way that its argument names; the fake driver must end it with a message.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <source_location>
#include <string>
#include <string_view>
import tessera;

using namespace tessera;

namespace {

const GpuPlace gpu{0};

struct Arguments {
  int* y;
};

void launch(const std::string& body, void* y, unsigned threads) {
  const std::string text =
      "struct tessera_arguments { int* y; };\n"
      "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) { " +
      body + " }\n";
  const Arguments arguments{.y = static_cast<int*>(y)};
  device::find_kernel(gpu, text, "misuse")
      .launch(device::Stream::current(gpu), 1, threads, 0, std::as_bytes(std::span(&arguments, 1)), "misuse",
              std::source_location::current());
}

void misuse(std::string_view how) {
  void* memory = device::driver_memory::driver_allocate(gpu, 4096);
  device::Stream& stream = device::Stream::current(gpu);
  if (how == "touch") *static_cast<volatile int*>(memory) = 1;
  if (how == "free-pending") {
    device::fill_async(memory, 16, 4, 1, stream);
    device::driver_memory::driver_free(gpu, memory);
  }
  if (how == "launch-freed") {
    device::driver_memory::driver_free(gpu, memory);
    launch("*a.y = 1;", memory, 1);
  }
  if (how == "copy-freed") {
    device::driver_memory::driver_free(gpu, memory);
    int value = 0;
    device::copy_bytes(&value, CpuPlace{}, memory, gpu, 4);
  }
  if (how == "other-block") {
    void* other = device::driver_memory::driver_allocate(gpu, 4096);
    const std::ptrdiff_t away = static_cast<int*>(other) - static_cast<int*>(memory);
    launch("a.y[" + std::to_string(away) + "] = 1;", memory, 1);
  }
  if (how == "half-a-barrier") launch("if (threadIdx.x < 40) __syncwarp(); else __syncthreads();", memory, 64);
  if (how == "wrong-mask") launch("__syncwarp(7);", memory, 64);
  if (how == "nothing") device::fill_async(memory, 16, 4, 1, stream);
  synchronize();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  misuse(arguments[1]);
  std::puts("survived");
}
