// Values that a debugger prints at stop_here(). What it should print stands in gdb.txt and lldb.txt.
#include <complex>
import tessera;

using namespace tessera;

void stop_here() {}

int main() {
  Array<float, 2> matrix = zeros<float>(Dim{2, 3});
  matrix[{1, 2}] = 5.5f;
  Array<float, 2> transposed = matrix.T();
  Array<int, 1, CpuPlace> numbers = zeros<int>(Dim{4}) + 7;
  Array<float, 1> nothing;
  Array<double, 0> single = zeros<double>(Dim<0>{}) + 0.25;
  Array<float, 2> empty = zeros<float>(Dim{0, 3});
  Array<std::complex<float>, 1> complex = zeros<std::complex<float>>(Dim{1}) + std::complex<float>(1.0f, -2.0f);
  Array<std::int64_t, 1> places = flatnonzero(numbers);  // what the library itself uses
  Array<bool, 1> mask = numbers > 6;
  Array<bfloat16, 1> halves = zeros<bfloat16>(Dim{2}) + bfloat16(1.5f);
  [[maybe_unused]] ArrayView<float, 2, Place> view = make_view(matrix);
  Array<float, 1> large = zeros<float>(Dim{1000});
  [[maybe_unused]] Dim<2> shape{2, 3};
  [[maybe_unused]] Dim<1> line{4};
  [[maybe_unused]] Dim<0> scalar;
  [[maybe_unused]] DDim dynamic = make_ddim({2, 3, 4});
  [[maybe_unused]] Place host = CpuPlace{};
  [[maybe_unused]] Place pinned = PinnedPlace{};
  [[maybe_unused]] Place gpu = GpuPlace{1};
  [[maybe_unused]] GpuPlace second{2};
  [[maybe_unused]] float16 half(-0.1f);
  [[maybe_unused]] float16 tiny = float16::from_bits(1);
  [[maybe_unused]] float16 infinite = float16::from_bits(0x7c00);
  [[maybe_unused]] bfloat16 brain(3.25f);
  stop_here();
  return 0;
}
