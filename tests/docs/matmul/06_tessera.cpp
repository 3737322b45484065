// The library, and the roofline under which it works.
#include "kernel.hpp"

import tessera;

namespace {

using namespace tessera;

// --8<-- [start:peak]
/// Additions of products that wait for nothing but registers.
template <int Rows, int Bytes>
struct Peak {
  [[gnu::always_inline]] static void run(const float* a, const float* b, float* c) {
    kernel<Rows, Bytes>(a, 1, 0, b, 0, n * n * n / (Rows * 2 * Bytes / 4), c,
                        false);  // one column and one row, again and again
  }
};
// --8<-- [end:peak]

/// Billions of bytes a second that are read of memory that fits no cache.
double bandwidth() {
  const Array<float, 1> from = ones<float>(Dim{std::ptrdiff_t{1} << 26});
  const double elements = static_cast<double>(product(from.shape()));
  const double sums = speed(5, [&] { static_cast<void>(static_cast<float>(sum(from))); }) / flops * elements;
  return sums * static_cast<double>(sizeof(float));
}

/// A product of these extents: its operations for each byte that must move at least, and the speed that memory and registers allow.
void under_the_roof(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns, double peak, double bytes) {
  const Array<float, 2> a = random::uniform<float>(random::Key{1}, Dim{rows, inner});
  const Array<float, 2> b = random::uniform<float>(random::Key{2}, Dim{inner, columns});
  Array<float, 2> c(Dim{rows, columns});
  const double work = 2.0 * static_cast<double>(rows * inner) * static_cast<double>(columns);
  const double moved = 4.0 * static_cast<double>(rows * inner + inner * columns + rows * columns);
  const double roof = std::min(peak, work / moved * bytes);
  const double reached = speed(5, [&] { assign(c, dot(a, b)); }) * work / flops;
  std::printf("%5td x %5td by %5td x %5td: %7.2f operations a byte, roof %6.1f, reached %6.1f GFLOP/s\n", rows, inner,
              inner, columns, work / moved, roof, reached);
}

}  // namespace

int main() {
  set_num_threads(1);
  const auto multiply = [](const float* a, const float* b, float* c) {
    // --8<-- [start:tessera]
    const Array<const float, 2> x = borrow(a, Dim{n, n});
    const Array<const float, 2> y = borrow(b, Dim{n, n});
    assign(borrow(c, Dim{n, n}), dot(x, y));
    // --8<-- [end:tessera]
  };
  const int result = step("Tessera", 5, multiply);
  std::vector<float> row(n * n), column(n * n), block(n * n);
  const double peak = speed(5, [&] { Versions<Peak>::multiply(column.data(), row.data(), block.data()); });
  const double bytes = bandwidth();
  std::printf("peak %.1f GFLOP/s, memory %.1f GB/s\n", peak, bytes);
  under_the_roof(4000, 1, 4000, peak, bytes);
  under_the_roof(4000, 4000, 1, peak, bytes);
  under_the_roof(100000, 16, 16, peak, bytes);
  under_the_roof(64, 784, 256, peak, bytes);
  under_the_roof(2000, 2000, 2000, peak, bytes);
  return result;
}
