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

/// Real matrices in memory, and where their product goes. Strides in elements; the columns of b and c lie side by side.
struct SmallFactors {
  const void* a;
  const void* b;
  void* c;
  std::ptrdiff_t rows, columns, inner;
  std::ptrdiff_t a_column, a_row, c_row,
      b_row;  // in an order in which nobody reads two as one, which would wait for both
};

/// c = a b if the matrices are small, or one of them is a vector that one thread multiplies, none of them runs backwards, and both lie apart from c;
/// false, with nothing done, otherwise. The number says the type.
bool multiply_apart(float, const SmallFactors& factors);
bool multiply_apart(double, const SmallFactors& factors);

}  // namespace tessera::plan
