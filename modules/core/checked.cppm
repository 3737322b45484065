module;
#include <cstddef>
export module tessera.core:checked;
import tessera.standard;
import :error;

// Size arithmetic that throws where it would wrap.
namespace tessera {

namespace core {

/// a * b. Throws ShapeError if it does not fit in ptrdiff_t.
export constexpr std::ptrdiff_t checked_multiply(std::ptrdiff_t a, std::ptrdiff_t b) {
  std::ptrdiff_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ShapeError(
        to_string(Failure{.operation = "size arithmetic",
                          .problem = std::to_string(a) + " x " + std::to_string(b) + " does not fit in 64 bits",
                          .advice = "the array would be larger than any memory"}));
  }
  return product;
}

/// a + b. Throws ShapeError if it does not fit in ptrdiff_t.
export constexpr std::ptrdiff_t checked_add(std::ptrdiff_t a, std::ptrdiff_t b) {
  std::ptrdiff_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw ShapeError(
        to_string(Failure{.operation = "size arithmetic",
                          .problem = std::to_string(a) + " + " + std::to_string(b) + " does not fit in 64 bits",
                          .advice = "the array would be larger than any memory"}));
  }
  return sum;
}

/// The value as an extent. Throws ShapeError if it is negative or above PTRDIFF_MAX.
export template <std::integral Integer>
constexpr std::ptrdiff_t checked_extent(Integer extent) {
  if (!std::in_range<std::ptrdiff_t>(extent) || std::cmp_less(extent, 0)) {
    throw ShapeError(to_string(Failure{.operation = "shape",
                                       .problem = "extent " + std::to_string(extent) + " is not in 0 .. 2^63 - 1",
                                       .advice = "extents count elements and are never negative"}));
  }
  return static_cast<std::ptrdiff_t>(extent);
}

}  // namespace core
using core::checked_add;
using core::checked_extent;
using core::checked_multiply;

}  // namespace tessera
