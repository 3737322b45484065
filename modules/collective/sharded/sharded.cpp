module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.array;

// What is said of sharded arrays.
namespace tessera::collective {

namespace {

std::string shape_text(std::span<const std::int64_t> extents) {
  return to_string(DDim(std::vector<std::ptrdiff_t>(extents.begin(), extents.end())));
}

}  // namespace

std::vector<std::ptrdiff_t> shape_of_parts(std::span<const std::int64_t> shapes, int rank, const Group& group,
                                           ShardLayout layout) {
  const auto axes = static_cast<std::size_t>(rank);
  std::vector<std::ptrdiff_t> shape(shapes.begin(), shapes.begin() + rank);
  const auto shape_of = [&](int of) { return shapes.subspan(static_cast<std::size_t>(of) * axes, axes); };
  if (layout.is_split()) {
    std::ptrdiff_t& whole = shape[static_cast<std::size_t>(layout.axis())] = 0;
    for (int of = 0; of < group.size(); ++of) whole += shape_of(of)[static_cast<std::size_t>(layout.axis())];
  }
  for (int of = 0; of < group.size(); ++of) {
    std::vector<std::int64_t> expected(shape.begin(), shape.end());
    if (layout.is_split()) {
      std::int64_t& part = expected[static_cast<std::size_t>(layout.axis())];
      part = part_of_rank(part, group.size(), of).extent;
    }
    if (std::ranges::equal(shape_of(of), expected)) continue;
    throw ShapeError(
        to_string(Failure{.operation = "Sharded::of_parts",
                          .problem = "rank " + std::to_string(of) + " of group " + group.name() + " has " +
                                     shape_text(shape_of(of)) + ", and its part of " + to_string(DDim(shape)) + ", " +
                                     to_string(layout) + ", is " + shape_text(expected)}));
  }
  return shape;
}

void require_one_group(std::string_view operation, const Group& first, const Group& other) {
  if (first == other) return;
  throw CollectiveError(to_string(
      Failure{.operation = operation,
              .problem = "the operands are sharded over different groups, " + first.name() + " and " + other.name()}));
}

std::string line_of(std::string_view collective, DType dtype, std::span<const std::ptrdiff_t> shape,
                    std::string_view why) {
  std::ptrdiff_t bytes = item_size(dtype);
  for (const std::ptrdiff_t extent : shape) bytes *= extent;
  return std::string(collective) + " of " + std::string(name(dtype)) + " " + std::to_string(bytes) +
         " bytes a rank: " + std::string(why);
}

void add_line(std::vector<std::string>& lines, std::string line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

std::string describe(const Group& group, const LaidOut& operand, DType dtype,
                     std::span<const std::string> collectives) {
  std::string text = std::string(name(dtype)) + " " + text_of(operand) + " of group " + group.name() + " (" +
                     std::to_string(group.size()) + (group.size() == 1 ? " rank)" : " ranks)");
  if (operand.layout.is_split()) {
    const Part part =
        part_of_rank(operand.shape[static_cast<std::size_t>(operand.layout.axis())], group.size(), group.rank());
    text += "; rank " + std::to_string(group.rank()) + " has " + std::to_string(part.begin) + " to " +
            std::to_string(part.begin + part.extent);
  }
  text += "\n";
  for (const std::string& line : collectives) text += "  " + line + "\n";
  if (collectives.empty()) text += "  no collective\n";
  return text;
}

}  // namespace tessera::collective
