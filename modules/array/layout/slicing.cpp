module;
#include <algorithm>
#include <cstddef>
#include <optional>
#include <source_location>
#include <span>
#include <string>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// Resolving indices and ranges against an axis, and the message when they do not fit.
namespace tessera {

AxisPart storage::resolve(const Range& range, std::ptrdiff_t extent, int axis) {
  if (range.step == 0) {
    throw IndexError(to_string(Failure{.operation = "slice",
                                       .problem = "the step of axis " + std::to_string(axis) + " is 0",
                                       .advice = "a step is at least 1, or at most -1 to go backwards"}));
  }
  const bool forward = range.step > 0;
  const std::ptrdiff_t lowest = forward ? 0 : -1;
  const std::ptrdiff_t highest = forward ? extent : extent - 1;
  const auto bound = [&](const std::optional<std::ptrdiff_t>& given, std::ptrdiff_t open) {
    if (!given) return open;
    return std::clamp(*given < 0 ? *given + extent : *given, lowest, highest);
  };
  const std::ptrdiff_t start = bound(range.start, forward ? lowest : highest);
  const std::ptrdiff_t stop = bound(range.stop, forward ? highest : lowest);
  const auto distance = static_cast<std::size_t>(forward ? stop - start : start - stop);
  if (forward ? stop <= start : start <= stop) return {.first = 0, .count = 0, .step = range.step};
  const std::size_t step =
      forward ? static_cast<std::size_t>(range.step) : std::size_t{0} - static_cast<std::size_t>(range.step);
  return {.first = start, .count = static_cast<std::ptrdiff_t>((distance - 1) / step + 1), .step = range.step};
}

std::ptrdiff_t storage::resolve(std::ptrdiff_t index, std::ptrdiff_t extent, int axis) {
  const std::ptrdiff_t counted = index < 0 ? index + extent : index;
  if (counted >= 0 && counted < extent) return counted;
  throw IndexError(to_string(Failure{.operation = "slice",
                                     .problem = "index " + std::to_string(index) + " is out of range for axis " +
                                                std::to_string(axis) + " with extent " + std::to_string(extent)}));
}

namespace {

[[noreturn]] void throw_index_at(const char* operation, const std::string& index, const std::string& position, int axis,
                                 std::ptrdiff_t extent, const std::source_location& where) {
  throw IndexError(
      to_string(Failure{.operation = operation,
                        .problem = "index " + index + " at position " + position + " is out of range for axis " +
                                   std::to_string(axis) + " with extent " + std::to_string(extent),
                        .where = where}));
}

}  // namespace

void storage::throw_picked_index(const char* operation, const std::string& index, std::ptrdiff_t position, int axis,
                                 std::ptrdiff_t extent, const std::source_location& where) {
  throw_index_at(operation, index, std::to_string(position), axis, extent, where);
}

void storage::throw_picked_index(const char* operation, const std::string& index,
                                 std::span<const std::ptrdiff_t> position, int axis, std::ptrdiff_t extent) {
  throw_index_at(operation, index, position.size() == 1 ? std::to_string(position[0]) : core::shape_text(position),
                 axis, extent, {});
}

}  // namespace tessera
