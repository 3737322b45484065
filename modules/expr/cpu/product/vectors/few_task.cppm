module;
#include <cstddef>
module tessera.expr:few_task;
import tessera.core;

// What is multiplied where a few vectors stand beside a matrix.
namespace tessera::plan {

/// Rows of `count` elements, `stride` apart, and vectors `next_x` apart, whose elements are `step` apart; what is made of each vector is `next_y` from the
/// one before it, in elements `y_step` apart.
template <class T>
struct FewVectors {
  const T* matrix;
  std::ptrdiff_t stride;
  std::ptrdiff_t rows, count;
  const T* x;
  std::ptrdiff_t step, next_x, vectors;
  T* y;
  std::ptrdiff_t y_step, next_y;
};

}  // namespace tessera::plan
