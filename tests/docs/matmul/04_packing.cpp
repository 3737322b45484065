// Columns of b that are multiplied together lie together.
#include "kernel.hpp"

// --8<-- [start:packing]
/// For each row of b the elements of `width` columns, row after row.
void pack(const float* b, std::ptrdiff_t depth, std::ptrdiff_t width, float* to) {
  for (std::ptrdiff_t k = 0; k < depth; ++k) std::copy_n(b + k * n, width, to + k * width);
}

template <int Rows, int Bytes>
struct Loops {
  [[gnu::always_inline]] static void run(const float* a, const float* b, float* c) {
    constexpr std::ptrdiff_t width = 2 * Bytes / 4;
    std::vector<float> packed(n * width);
    for (std::ptrdiff_t j = 0; j < n; j += width) {
      pack(b + j, n, width, packed.data());
      for (std::ptrdiff_t i = 0; i < n; i += Rows)
        strip<Rows, Bytes>(n - i, a + i * n, n, 1, packed.data(), width, n, c + i * n + j, false);
    }
  }
};
// --8<-- [end:packing]

int main() { return step("packed columns", 5, Versions<Loops>::multiply); }
