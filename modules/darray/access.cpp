module;
#include <array>
#include <cstddef>
#include <span>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// Errors of visits and casts of dynamic arrays.
namespace tessera {

namespace {

std::string type_text(const dynamic::Which& which) {
  return std::string("Array<") + (which.is_read_only ? "const " : "") + std::string(name(which.dtype)) + ", " +
         std::to_string(which.rank) + ">";
}

std::string text_of(const DArray& array) {
  return type_text(array.which()) + " " + to_string(array.shape()) + " on " + to_string(array.place());
}

}  // namespace

void throw_other_array(const DArray& array, const dynamic::Which& asked) {
  const bool is_other_type = array.which().dtype != asked.dtype || array.which().is_read_only != asked.is_read_only;
  const std::string text =
      to_string(Failure{.operation = "get",
                        .problem = type_text(asked) + " was asked for, the array is " + text_of(array),
                        .advice = is_other_type ? "x.cast(dtype) converts the elements, visit(f, x) takes any"
                                                : "x.reshape({...}) changes the rank, visit(f, x) takes any"});
  if (is_other_type) throw DTypeError(text);
  throw ShapeError(text);
}

void throw_not_accepted(std::span<const DArray* const> arrays) {
  std::string problem = "the function does not take ";
  for (std::size_t k = 0; k < arrays.size(); ++k) problem += (k == 0 ? "" : " with ") + text_of(*arrays[k]);
  throw DTypeError(
      to_string(Failure{.operation = "visit",
                        .problem = problem,
                        .advice = arrays.size() > 1 ? "convert or reshape one of them: x.cast(dtype), x.reshape({...})"
                                                    : "convert it: x.cast(dtype)"}));
}

DArray with_all_axes(const DArray& array) {
  const dynamic::DLayout from = array.layout();
  dynamic::DLayout to{.rank = max_rank};
  const int lead = max_rank - from.rank;
  for (int axis = 0; axis < max_rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    to.extents[at] = axis < lead ? 1 : from.extents[static_cast<std::size_t>(axis - lead)];
    to.strides[at] = axis < lead ? 0 : from.strides[static_cast<std::size_t>(axis - lead)];
  }
  if (!array.is_read_only()) return array.with_layout(to);
  DArray plain(array.buffer(), array.dtype(), array.layout(), array.place());
  to.offset = (static_cast<const std::byte*>(array.data()) - static_cast<const std::byte*>(plain.data())) /
              item_size(array.dtype());
  return plain.with_layout(to);
}

}  // namespace tessera
