module;
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
module tessera.core;

// Shapes of a run-time rank: their construction and their text.
namespace tessera {

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
