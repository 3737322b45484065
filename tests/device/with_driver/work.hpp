// Memory of GPUs and a kernel, for tests that give streams work. To be included after `import tessera;`.
#pragma once

#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace work {

using namespace tessera;

/// int32 elements on a GPU.
class Ints {
 public:
  Ints(GpuPlace place, std::ptrdiff_t count)
      : memory_(place, count * static_cast<std::ptrdiff_t>(sizeof(int))), place_(place), count_(count) {}

  int* data() const { return static_cast<int*>(memory_.data()); }
  std::ptrdiff_t bytes() const { return count_ * static_cast<std::ptrdiff_t>(sizeof(int)); }

  void fill(int value, device::Stream& stream) const {
    device::fill_async(data(), count_, 4, static_cast<std::uint32_t>(value), stream);
  }
  void copy_from(const Ints& other, device::Stream& stream) const {
    device::copy_async(data(), place_, other.data(), other.place_, bytes(), stream);
  }
  /// Waits for the stream.
  std::vector<int> read(device::Stream& stream) const {
    std::vector<int> values(static_cast<std::size_t>(count_));
    device::copy_async(values.data(), CpuPlace{}, data(), place_, bytes(), stream);
    stream.synchronize();
    return values;
  }

 private:
  memory::Allocation memory_;
  GpuPlace place_;
  std::ptrdiff_t count_;
};

inline const std::string add_text = R"cuda(
struct tessera_arguments { int* y; const int* x; int addend; int count; };
extern "C" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) a.y[i] = a.x[i] + a.addend;
}
)cuda";

struct AddArguments {
  int* y;
  const int* x;
  int addend;
  int count;
};

/// y = x + addend by a kernel.
inline void add(const Ints& y, const Ints& x, int addend, device::Stream& stream,
                std::string_view expression = "x + addend",
                const std::source_location& where = std::source_location::current()) {
  const AddArguments arguments{
      .y = y.data(), .x = x.data(), .addend = addend, .count = static_cast<int>(y.bytes() / 4)};
  device::find_kernel(stream.place(), add_text, "a test")
      .launch(stream, 2, 32, 0, std::as_bytes(std::span(&arguments, 1)), expression, where);
}

inline std::ptrdiff_t count_lines(const std::string& text, std::string_view part) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace work
