// Strips of rows by two vectors of columns, whose sums stay in registers.
#include "kernel.hpp"

// --8<-- [start:loops]
template <int Rows, int Bytes>
struct Loops {
  [[gnu::always_inline]] static void run(const float* a, const float* b, float* c) {
    constexpr std::ptrdiff_t width = 2 * Bytes / 4;
    for (std::ptrdiff_t i = 0; i < n; i += Rows) {
      for (std::ptrdiff_t j = 0; j < n; j += width)
        strip<Rows, Bytes>(n - i, a + i * n, n, 1, b + j, n, n, c + i * n + j, false);
    }
  }
};
// --8<-- [end:loops]

int main() { return step("sums in registers", 5, Versions<Loops>::multiply); }
