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

/// Throw ShapeError: the number is no extent.
[[noreturn]] void throw_no_extent(std::ptrdiff_t number);
[[noreturn]] void throw_no_extent(std::size_t number);

/// The value as an extent. Throws ShapeError if it is negative or above PTRDIFF_MAX.
export template <std::integral Integer>
constexpr std::ptrdiff_t checked_extent(Integer extent) {
  if (!std::in_range<std::ptrdiff_t>(extent) || std::cmp_less(extent, 0)) [[unlikely]]
    throw_no_extent(
        static_cast<std::conditional_t<std::signed_integral<Integer>, std::ptrdiff_t, std::size_t>>(extent));
  return static_cast<std::ptrdiff_t>(extent);
}

}  // namespace core
using core::checked_add;
using core::checked_extent;
using core::checked_multiply;

}  // namespace tessera
