// Blocks: what is read again soon is still in a cache, and lies as it is read.
#include "kernel.hpp"

// --8<-- [start:blocks]
/// For each k the elements of `width` rows or columns, `across` apart; those of the next k are `along` apart.
void pack(const float* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth, std::ptrdiff_t width,
          float* to) {
  if (across == 1) {
    for (std::ptrdiff_t k = 0; k < depth; ++k) std::copy_n(from + k * along, width, to + k * width);
    return;
  }
  for (std::ptrdiff_t i = 0; i < width; ++i) {
    for (std::ptrdiff_t k = 0; k < depth; ++k) to[k * width + i] = from[k * along + i * across];
  }
}

template <int Rows, int Bytes>
struct Loops {
  static constexpr std::ptrdiff_t width = 2 * Bytes / 4;
  static constexpr std::ptrdiff_t depth = 384;                    // a strip of a of 21 KiB stays in the L1 cache
  static constexpr std::ptrdiff_t columns = 320 / width * width;  // a panel of b of 480 KiB stays in the L2 cache

  [[gnu::always_inline]] static void run(const float* a, const float* b, float* c) {
    std::vector<float> strips(n * depth), panel(depth * columns);
    for (std::ptrdiff_t k = 0; k < n; k += depth) {
      const std::ptrdiff_t deep = std::min(depth, n - k);
      for (std::ptrdiff_t i = 0; i < n; i += Rows)
        pack(a + i * n + k, 1, n, deep, std::min<std::ptrdiff_t>(Rows, n - i), strips.data() + i * deep);
      for (std::ptrdiff_t j = 0; j < n; j += columns) {
        const std::ptrdiff_t wide = std::min(columns, n - j);
        for (std::ptrdiff_t v = 0; v < wide; v += width)
          pack(b + k * n + j + v, n, 1, deep, width, panel.data() + v * deep);
        for (std::ptrdiff_t i = 0; i < n; i += Rows) {
          const std::ptrdiff_t rows = std::min<std::ptrdiff_t>(Rows, n - i);
          for (std::ptrdiff_t v = 0; v < wide; v += width)
            strip<Rows, Bytes>(rows, strips.data() + i * deep, 1, rows, panel.data() + v * deep, width, deep,
                               c + i * n + j + v, k > 0);
        }
      }
    }
  }
};
// --8<-- [end:blocks]

int main() { return step("blocks for the caches", 5, Versions<Loops>::multiply); }
