module;
#include <cstddef>
export module tessera.expr:small_product;
import tessera.core;
import :plan;
import :lowering;

// Matrix products of integers in their own type, and of matrices so small that cutting them into blocks would take longer than the product.
namespace tessera::plan {

/// Products of the same extents and strides, and the elements from one's a, b and c to the next.
struct Repetition {
  std::ptrdiff_t count = 1;
  std::ptrdiff_t a = 0, b = 0, c = 0;
};

/// Writes products to rows of c, `c_row` elements apart; integers wrap.
using MultiplyMatrices = void (*)(const TiledProduct& product, void* c, std::ptrdiff_t c_row,
                                  const Repetition& repetition);

/// The loops for integers, float or double on the CPU at hand; null for other types.
MultiplyMatrices small_product(DType dtype);

/// The loops multiply matrices of this type and these extents faster than others.
bool is_small_product(DType dtype, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t inner);

/// The same of factors in memory, which may be larger if they need not be packed.
bool is_small_product(const TiledProduct& product);

}  // namespace tessera::plan
