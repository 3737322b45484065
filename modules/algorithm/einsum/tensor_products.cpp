module;
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
module tessera.algorithm;
import tessera.core;

// What products of vectors and powers of matrices refuse.
namespace tessera {

void require_three(std::span<const std::ptrdiff_t> shape, const std::source_location& where) {
  if (shape.back() == 3) return;
  throw ShapeError(to_string(
      Failure{.operation = "cross",
              .problem = "the shape " + core::shape_text(shape) + " has not three elements along its last axis",
              .where = where}));
}

void require_power(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t power, const std::source_location& where) {
  const bool is_square = shape[0] == shape[1];
  if (is_square && power >= 0) return;
  throw ShapeError(to_string(
      Failure{.operation = "matrix_power",
              .problem = is_square ? "the power is " + std::to_string(power) + ", at least 0 is taken"
                                   : "the matrix has the shape " + core::shape_text(shape) + ", which is not square",
              .where = where}));
}

}  // namespace tessera
