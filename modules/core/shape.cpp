module;
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
module tessera.core;

// Text and run-time construction of shapes.
namespace tessera {

std::string shape_text(std::span<const std::ptrdiff_t> extents) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(extents[axis]);
  }
  if (extents.size() == 1) text += ',';
  return text + ")";
}

void throw_no_axis(int axis, int rank) {
  throw IndexError(
      to_string(Failure{.operation = "shape",
                        .problem = "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank),
                        .advice = "-1 is the last one"}));
}

DDim::DDim(std::span<const std::ptrdiff_t> extents) : rank_(static_cast<int>(extents.size())) {
  if (extents.size() > extents_.size()) {
    throw ShapeError(to_string(Failure{
        .operation = "make_ddim",
        .problem = "rank " + std::to_string(extents.size()) + " is above the highest, " + std::to_string(max_rank)}));
  }
  std::ranges::transform(extents, extents_.begin(), [](std::ptrdiff_t extent) { return checked_extent(extent); });
}

DDim make_ddim(std::initializer_list<std::ptrdiff_t> extents) {
  return DDim(std::span(extents.begin(), extents.size()));
}

std::ptrdiff_t product(const DDim& shape) {
  return visit([](const auto& extents) { return product(extents); }, shape);
}

std::string to_string(const DDim& shape) { return shape_text(shape.extents()); }

std::ostream& operator<<(std::ostream& out, const DDim& shape) { return out << to_string(shape); }

}  // namespace tessera
