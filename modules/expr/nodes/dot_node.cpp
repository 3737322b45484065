module;
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The check of a product's shapes.
namespace tessera {

namespace {

std::string axis_text(int axis, std::size_t rank) {
  if (rank == 1) return "the only axis";
  if (axis + 1 == static_cast<int>(rank)) return "the last axis";
  return axis == 0 ? "the first axis" : "axis " + std::to_string(axis);
}

}  // namespace

void throw_inner(const char* operation, std::span<const std::ptrdiff_t> a, int a_axis,
                 std::span<const std::ptrdiff_t> b, int b_axis, const std::source_location& where) {
  const std::ptrdiff_t a_inner = a[static_cast<std::size_t>(a_axis)];
  const std::ptrdiff_t b_inner = b[static_cast<std::size_t>(b_axis)];
  throw ShapeError(to_string(Failure{
      .operation = operation,
      .problem = "the inner extents differ: " + axis_text(a_axis, a.size()) + " of a has " + std::to_string(a_inner) +
                 ", " + axis_text(b_axis, b.size()) + " of b has " + std::to_string(b_inner),
      .operands = {"a is " + core::shape_text(a), "b is " + core::shape_text(b)},
      .advice = a.size() == b.size() && a.size() == 1 ? "give both the same number of elements"
                                                      : "transpose one of them with T() or matrix_transpose()",
      .where = where}));
}

}  // namespace tessera
