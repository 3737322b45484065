module;
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
module tessera.collective;
import tessera.core;
import tessera.array;

// Parts of axes, and what is said of sharded arrays.
namespace tessera::collective {

PartOfAxis part_of_axis(std::ptrdiff_t extent, int count, int index) {
  std::ptrdiff_t begin = 0;
  for (int before = 0; before < index; ++before) begin += part_extent(extent, count, before);
  return {begin, part_extent(extent, count, index)};
}

void require_equal_parts(std::span<const std::int64_t> extents, const Group& group, int axis) {
  std::ptrdiff_t sum = 0;
  for (const std::int64_t extent : extents) sum += extent;
  for (int rank = 0; rank < group.size(); ++rank) {
    const std::ptrdiff_t expected = part_extent(sum, group.size(), rank);
    if (extents[static_cast<std::size_t>(rank)] == expected) continue;
    throw ShapeError(to_string(Failure{
        .operation = "Sharded::of_parts",
        .problem = "rank " + std::to_string(rank) + " of group " + group.name() + " has " +
                   std::to_string(extents[static_cast<std::size_t>(rank)]) + " of the " + std::to_string(sum) +
                   " indices of axis " + std::to_string(axis) + ", and its part is " + std::to_string(expected)}));
  }
}

std::string line_of(std::string_view collective, DType dtype, std::span<const std::ptrdiff_t> shape,
                    std::string_view why) {
  std::ptrdiff_t bytes = item_size(dtype);
  for (const std::ptrdiff_t extent : shape) bytes *= extent;
  return std::string(collective) + " of " + std::string(name(dtype)) + " " + std::to_string(bytes) +
         " bytes a rank: " + std::string(why);
}

std::string describe(const Group& group, const LaidOut& operand, DType dtype,
                     std::span<const std::string> collectives) {
  std::string text = std::string(name(dtype)) + " " + text_of(operand) + " of group " + group.name() + " (" +
                     std::to_string(group.size()) + (group.size() == 1 ? " rank)" : " ranks)");
  if (operand.layout.is_split()) {
    const PartOfAxis part =
        part_of_axis(operand.shape[static_cast<std::size_t>(operand.layout.axis())], group.size(), group.rank());
    text += "; rank " + std::to_string(group.rank()) + " has " + std::to_string(part.begin) + " to " +
            std::to_string(part.begin + part.extent);
  }
  text += "\n";
  for (const std::string& line : collectives) text += "  " + line + "\n";
  if (collectives.empty()) text += "  no collective\n";
  return text;
}

}  // namespace tessera::collective
