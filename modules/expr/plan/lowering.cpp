module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The failures of lowering, and broadcasting of shapes.
namespace tessera::plan {

namespace {

struct ByteRange {
  const std::byte* low;
  const std::byte* high;
};

ByteRange range_of(const Written& memory) {
  const auto* data = static_cast<const std::byte*>(memory.data);
  if (data == nullptr) return {data, data};
  for (const std::ptrdiff_t extent : memory.shape) {
    if (extent == 0) return {data, data};
  }
  ByteRange range{data, data + memory.item};
  for (std::size_t axis = 0; axis < memory.shape.size(); ++axis) {
    const std::ptrdiff_t reach = (memory.shape[axis] - 1) * memory.strides[axis] * memory.item;
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

bool same_elements(const Written& written, const Written& read) {
  if (written.data != read.data || written.item != read.item || written.shape.size() < read.shape.size()) return false;
  const std::size_t lead = written.shape.size() - read.shape.size();
  for (std::size_t axis = 0; axis < written.shape.size(); ++axis) {
    if (written.shape[axis] == 1 && (axis < lead || read.shape[axis - lead] == 1)) continue;
    if (axis < lead || written.shape[axis] != read.shape[axis - lead]) return false;
    if (written.strides[axis] == 0) return false;  // written several times: a later time would read an earlier result
    if (written.strides[axis] != read.strides[axis - lead]) return false;
  }
  return true;
}

using Shape = std::span<const std::ptrdiff_t>;

/// `operand` does not fit one of the earlier operands along `axis` of a result of the given rank.
[[noreturn]] void throw_shapes_differ(std::span<const Shape> earlier, Shape operand, std::size_t axis, std::size_t rank,
                                      const char* operation) {
  const auto extent_of = [&](Shape shape) {
    return axis + shape.size() < rank ? 1 : shape[axis + shape.size() - rank];
  };
  const Shape other = *std::ranges::find_if(earlier, [&](Shape shape) { return extent_of(shape) != 1; });
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = "the shapes " + core::shape_text(other) + " and " + core::shape_text(operand) +
                                   " do not broadcast: axis " + std::to_string(axis) + " has extents " +
                                   std::to_string(extent_of(other)) + " and " + std::to_string(extent_of(operand)),
                        .advice = "extents must be equal, or one of them 1"}));
}

}  // namespace

bool overlaps(const Written& written, const Written& read) {
  const ByteRange a = range_of(written);
  const ByteRange b = range_of(read);
  return a.low < b.high && b.low < a.high;
}

OverlapVisitor::OverlapVisitor(const Written& memory)
    : LeafVisitor{.visit =
                      [](const LeafVisitor& self, const Written& read, const storage::BufferShare*) {
                        return overlaps(static_cast<const OverlapVisitor&>(self).written, read);
                      }},
      written(memory) {}

NameCounter::NameCounter(const Buffer& named)
    : LeafVisitor{.visit =
                      [](const LeafVisitor& self, const Written&, const storage::BufferShare* share) {
                        const auto& counter = static_cast<const NameCounter&>(self);
                        if (share != nullptr && share->get() == counter.buffer && !share->is_hold()) ++counter.count;
                        return false;  // go on
                      },
                  .visit_parameter = [](const LeafVisitor&, const schedule::ParameterSlot&) { return false; }},
      buffer(&named) {}

NameReleaser::NameReleaser()
    : LeafVisitor{.visit =
                      [](const LeafVisitor&, const Written&, const storage::BufferShare* share) {
                        if (share != nullptr) share->hold();
                        return false;  // go on
                      },
                  .visit_parameter = [](const LeafVisitor&, const schedule::ParameterSlot&) { return false; }} {}

bool conflicts(const Written& written, const Written& read) {
  return overlaps(written, read) && !same_elements(written, read);
}

void Lowering::throw_places_differ(Place place) const {
  throw PlaceError(
      to_string(Failure{.operation = "expression",
                        .problem = "an operand is on " + to_string(place) + ", the result on " + to_string(place_),
                        .advice = "all operands of an expression live on one place; move with to(place)"}));
}

Lowering::~Lowering() = default;  // here, so that it is no part of every evaluation's code

bool Lowering::try_tile(const TiledProduct& product) {
  const bool covers = rank_ == 2 && extents_[0] == product.rows && extents_[1] == product.columns;
  std::optional<TiledProduct>& tiled = outer_ != nullptr ? outer_->tiled_ : tiled_;
  if (fusion_ == Fusion::none || tiled || !covers || !place_.on_host()) return false;
  const std::array<std::ptrdiff_t, 2> shape{product.rows, product.columns};
  const std::array<std::ptrdiff_t, 2> strides{product.columns, 1};
  tiled = product;
  tiled->leaf = add(nullptr, shape, strides, item_size(product.dtype), place_);
  return true;
}

void* Lowering::hold(std::ptrdiff_t bytes) {
  if (outer_ != nullptr) return outer_->hold(bytes);
  if (!place_.on_host()) return hold_in_pool(bytes, place_);
  return hold_on_host(bytes);
}

void* Lowering::hold_on_host(std::ptrdiff_t bytes) {
  if (outer_ != nullptr) return outer_->hold_on_host(bytes);
  const std::ptrdiff_t start = (held_ + 15) / 16 * 16;
  if (bytes <= static_cast<std::ptrdiff_t>(sizeof room_) - start) {
    held_ = start + bytes;
    return room_ + start;
  }
  return hold_in_pool(bytes, CpuPlace{});
}

void* Lowering::hold_in_pool(std::ptrdiff_t bytes, Place place) {
  for (std::optional<Temporary>& result : results_) {
    if (!result) return result.emplace(place, bytes).data();
  }
  auto memory = std::make_shared<Temporary>(place, bytes);
  void* data = memory->data();
  keep(std::move(memory));
  return data;
}

void throw_no_operand_storage() {
  throw ShapeError(to_string(Failure{.operation = "expression",
                                     .problem = "an operand of rank 0 has no storage",
                                     .advice = "assign it a value first"}));
}

void broadcast_into(std::span<std::ptrdiff_t> result, std::span<const std::span<const std::ptrdiff_t>> operands,
                    const char* operation) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::size_t lead = result.size() - operands[k].size();
    for (std::size_t axis = 0; axis < operands[k].size(); ++axis) {
      std::ptrdiff_t& extent = result[lead + axis];
      if (extent == operands[k][axis] || operands[k][axis] == 1) continue;
      if (extent != 1) throw_shapes_differ(operands.first(k), operands[k], lead + axis, result.size(), operation);
      extent = operands[k][axis];
    }
  }
}

}  // namespace tessera::plan
