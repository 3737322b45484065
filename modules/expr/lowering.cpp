module;
#include <cstddef>
#include <span>
#include <string>
module tessera.expr;

// The failures of lowering, and broadcasting of shapes.
namespace tessera::plan {

namespace {

struct ByteRange {
  const std::byte* low;
  const std::byte* high;
};

ByteRange range_of(const Written& memory) {
  const auto* data = static_cast<const std::byte*>(memory.data);
  ByteRange range{data, data + memory.item};
  for (std::size_t axis = 0; axis < memory.shape.size(); ++axis) {
    if (memory.shape[axis] == 0) return {data, data};
    const std::ptrdiff_t reach = (memory.shape[axis] - 1) * memory.strides[axis] * memory.item;
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

bool same_elements(const Written& written, const Written& read) {
  if (written.data != read.data || written.item != read.item || written.shape.size() != read.shape.size()) return false;
  for (std::size_t axis = 0; axis < written.shape.size(); ++axis) {
    if (written.shape[axis] != read.shape[axis]) return false;
    if (written.shape[axis] > 1 && written.strides[axis] != read.strides[axis]) return false;
  }
  return true;
}

}  // namespace

bool overlaps(const Written& written, const Written& read) {
  const ByteRange a = range_of(written);
  const ByteRange b = range_of(read);
  return a.low < b.high && b.low < a.high;
}

bool conflicts(const Written& written, const Written& read) { return overlaps(written, read) && !same_elements(written, read); }

void Lowering::throw_places_differ(Place place) const {
  throw PlaceError(to_string(Failure{.operation = "expression",
                                     .problem = "an operand is on " + to_string(place) + ", the result on " + to_string(place_),
                                     .advice = "all operands of an expression live on one place; move with to(place)"}));
}

void throw_cannot_evaluate(Place place) {
  throw DeviceError(to_string(Failure{.operation = "expression",
                                      .problem = "this version of Tessera computes on the CPU only, the result is on " + to_string(place),
                                      .advice = "move the operands with to(CpuPlace{})"}));
}

void broadcast_into(std::span<std::ptrdiff_t> result, std::span<const std::ptrdiff_t> operand, std::span<const std::ptrdiff_t> first,
                    const char* operation) {
  const std::size_t lead = result.size() - operand.size();
  for (std::size_t axis = 0; axis < operand.size(); ++axis) {
    std::ptrdiff_t& extent = result[lead + axis];
    if (extent == operand[axis] || operand[axis] == 1) continue;
    if (extent == 1) {
      extent = operand[axis];
      continue;
    }
    throw ShapeError(to_string(Failure{.operation = operation,
                                       .problem = "the shapes " + shape_text(first) + " and " + shape_text(operand) +
                                                  " do not broadcast: axis " + std::to_string(lead + axis) + " has extents " +
                                                  std::to_string(extent) + " and " + std::to_string(operand[axis]),
                                       .advice = "extents must be equal, or one of them 1"}));
  }
}

}  // namespace tessera::plan
