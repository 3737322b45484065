module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What a visit does not take, and arrays of which only the element type is visited.
namespace tessera {

std::string visited_text(const DArray& array) { return array_text(array); }
std::string visited_text(const DDim& shape) { return "the shape " + to_string(shape); }
std::string visited_text(const DValue& value) {
  return "the value " + to_string(value) + " (" + std::string(name(value.dtype())) + ")";
}

void throw_not_accepted(std::span<const std::string> arguments) {
  std::string problem = "the function does not take ";
  for (std::size_t k = 0; k < arguments.size(); ++k) problem += (k == 0 ? "" : " with ") + arguments[k];
  throw DTypeError(to_string(Failure{.operation = "visit",
                                     .problem = problem,
                                     .advice = arguments.size() > 1
                                                   ? "convert or reshape one of them: x.cast(dtype), x.reshape({...})"
                                                   : "convert it: x.cast(dtype)"}));
}

std::size_t position_of(std::size_t number, std::span<const std::uint32_t> ascending) {
  const auto found = std::ranges::lower_bound(ascending, number);
  return found != ascending.end() && *found == number ? static_cast<std::size_t>(found - ascending.begin())
                                                      : ascending.size();
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
