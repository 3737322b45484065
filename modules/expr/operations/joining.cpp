module;
#include <cstddef>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The check of shapes that are joined.
namespace tessera::plan {

namespace {

using Shape = std::span<const std::ptrdiff_t>;

[[noreturn]] void throw_parts_differ(const char* operation, std::span<const Shape> parts, std::size_t part,
                                     std::size_t axis) {
  throw ShapeError(to_string(
      Failure{.operation = operation,
              .problem = "part " + std::to_string(part) + " does not fit part 0: axis " + std::to_string(axis) +
                         " has extents " + std::to_string(parts[part][axis]) + " and " + std::to_string(parts[0][axis]),
              .operands = {"part 0 is " + core::shape_text(parts[0]),
                           "part " + std::to_string(part) + " is " + core::shape_text(parts[part])},
              .advice = "only the extents along the joined axis may differ"}));
}

}  // namespace

std::ptrdiff_t joined_extent(std::span<const Shape> parts, int axis, bool stacks) {
  const char* operation = stacks ? "stack" : "concat";
  if (parts.empty()) {
    throw ShapeError(to_string(Failure{.operation = operation,
                                       .problem = "there are no arrays to join",
                                       .advice = "give at least one: its shape "
                                                 "decides the others'"}));
  }
  std::ptrdiff_t extent = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t along = 0; along < parts[part].size(); ++along) {
      const bool may_differ = !stacks && along == static_cast<std::size_t>(axis);
      if (!may_differ && parts[part][along] != parts[0][along]) throw_parts_differ(operation, parts, part, along);
    }
    extent = core::checked_add(extent, stacks ? 1 : parts[part][static_cast<std::size_t>(axis)]);
  }
  return extent;
}

}  // namespace tessera::plan
