module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;

// Slices, transpositions and new shapes of layouts of any rank.
namespace tessera::dynamic {

namespace {

[[noreturn]] void throw_index(const char* operation, std::string problem, std::span<const std::ptrdiff_t> shape,
                              std::string_view advice = {}) {
  throw IndexError(to_string(Failure{.operation = operation,
                                     .problem = std::move(problem),
                                     .operands = {"the shape is " + core::shape_text(shape)},
                                     .advice = advice}));
}

/// Builds the layout of a slice axis by axis.
class Slicer {
 public:
  explicit Slicer(const DLayout& from) : from_(from) { to_.offset = from.offset; }

  void take(const DIndexer& indexer, int whole_axes) {
    switch (indexer.kind()) {
      case DIndexer::Kind::index:
        move(storage::resolve(indexer.index(), extent(), source_));
        ++source_;
        break;
      case DIndexer::Kind::range: take(storage::resolve(indexer.range(), extent(), source_)); break;
      case DIndexer::Kind::whole: take({.first = 0, .count = extent(), .step = 1}); break;
      case DIndexer::Kind::added: append(1, 0); break;
      case DIndexer::Kind::rest:
        for (int axis = 0; axis < whole_axes; ++axis) take({.first = 0, .count = extent(), .step = 1});
        break;
    }
  }

  DLayout result() const {
    DLayout done = to_;
    if (std::ranges::find(from_.shape(), 0) != from_.shape().end())
      done.offset = from_.offset;  // there is nothing to point at
    return done;
  }

 private:
  std::ptrdiff_t extent() const { return from_.extents[static_cast<std::size_t>(source_)]; }
  std::ptrdiff_t stride() const { return from_.strides[static_cast<std::size_t>(source_)]; }
  /// It wraps only where there are no elements.
  std::ptrdiff_t distance(std::ptrdiff_t positions) const {
    return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(stride()) * static_cast<std::size_t>(positions));
  }
  void move(std::ptrdiff_t positions) {
    to_.offset = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(to_.offset) +
                                             static_cast<std::size_t>(distance(positions)));
  }
  void take(const storage::AxisPart& part) {
    move(part.first);
    append(part.count, part.count > 1 ? distance(part.step) : stride());
    ++source_;
  }
  void append(std::ptrdiff_t extent, std::ptrdiff_t stride) {
    if (to_.rank == max_rank)
      throw ShapeError(to_string(Failure{
          .operation = "slice", .problem = "the result would have more than " + std::to_string(max_rank) + " axes"}));
    to_.extents[static_cast<std::size_t>(to_.rank)] = extent;
    to_.strides[static_cast<std::size_t>(to_.rank++)] = stride;
  }

  const DLayout& from_;
  DLayout to_;
  int source_ = 0;
};

}  // namespace

DLayout row_major(std::span<const std::ptrdiff_t> shape) {
  DLayout layout{.rank = static_cast<int>(shape.size())};
  static_cast<void>(product(DDim(shape)));
  std::ranges::copy(shape, layout.extents.begin());
  std::ptrdiff_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    layout.strides[axis] = step;
    std::ptrdiff_t next = 0;
    if (!__builtin_mul_overflow(step, std::max<std::ptrdiff_t>(shape[axis], 1), &next)) step = next;
  }
  return layout;
}

bool is_row_major(const DLayout& layout) {
  if (std::ranges::find(layout.shape(), 0) != layout.shape().end()) return true;
  std::ptrdiff_t step = 1;
  for (std::size_t axis = layout.shape().size(); axis-- > 0;) {
    if (layout.extents[axis] != 1 && layout.strides[axis] != step) return false;
    step *= layout.extents[axis];
  }
  return true;
}

DLayout sliced(const DLayout& from, std::span<const DIndexer> indexers) {
  int named = 0, rests = 0;
  for (const DIndexer& indexer : indexers) {
    named += indexer.kind() != DIndexer::Kind::added && indexer.kind() != DIndexer::Kind::rest;
    rests += indexer.kind() == DIndexer::Kind::rest;
  }
  if (named > from.rank)
    throw_index("slice", std::to_string(named) + " indices for " + std::to_string(from.rank) + " axes", from.shape(),
                "name at most as many as there are axes");
  if (rests > 1) throw_index("slice", "an index may hold one ellipsis", from.shape());
  Slicer slicer(from);
  for (const DIndexer& indexer : indexers) slicer.take(indexer, from.rank - named);
  if (rests == 0) slicer.take(ellipsis, from.rank - named);
  return slicer.result();
}

DLayout transposed(const DLayout& from, std::span<const int> axes) {
  DLayout to{.rank = from.rank, .offset = from.offset};
  if (std::ssize(axes) != from.rank)
    throw_index("transpose", std::to_string(axes.size()) + " axes are named", from.shape(), "name each axis once");
  std::array<bool, static_cast<std::size_t>(max_rank)> used{};
  for (std::size_t at = 0; at < axes.size(); ++at) {
    const auto axis = static_cast<std::size_t>(storage::checked_axis(axes[at], from.rank, "transpose"));
    if (std::exchange(used[axis], true))
      throw_index("transpose", "axis " + std::to_string(axis) + " is named twice", from.shape(), "name each axis once");
    to.extents[at] = from.extents[axis];
    to.strides[at] = from.strides[axis];
  }
  return to;
}

DLayout reversed(const DLayout& from) {
  DLayout to = from;
  std::reverse(to.extents.begin(), to.extents.begin() + from.rank);
  std::reverse(to.strides.begin(), to.strides.begin() + from.rank);
  return to;
}

DLayout moved(const DLayout& from, std::span<const int> source, std::span<const int> destination,
              const char* operation) {
  if (source.size() != destination.size())
    throw_index(
        operation,
        std::to_string(source.size()) + " axes are moved to " + std::to_string(destination.size()) + " positions",
        from.shape(), "name a position for each axis");
  std::array<int, static_cast<std::size_t>(max_rank)> order{};
  order.fill(-1);
  std::array<bool, static_cast<std::size_t>(max_rank)> is_moved{};
  for (std::size_t k = 0; k < source.size(); ++k) {
    const auto axis = static_cast<std::size_t>(storage::checked_axis(source[k], from.rank, operation));
    const auto to = static_cast<std::size_t>(storage::checked_axis(destination[k], from.rank, operation));
    if (std::exchange(is_moved[axis], true))
      throw_index(operation, "axis " + std::to_string(axis) + " is moved twice", from.shape(),
                  "name each axis and each position once");
    if (order[to] != -1)
      throw_index(operation, "two axes are moved to position " + std::to_string(to), from.shape(),
                  "name each axis and each position once");
    order[to] = static_cast<int>(axis);
  }
  std::size_t next = 0;
  for (int to = 0; to < from.rank; ++to) {  // the others keep their order
    if (order[static_cast<std::size_t>(to)] != -1) continue;
    while (is_moved[next]) ++next;
    order[static_cast<std::size_t>(to)] = static_cast<int>(next++);
  }
  return transposed(from, std::span(order).first(static_cast<std::size_t>(from.rank)));
}

std::array<bool, static_cast<std::size_t>(max_rank)> marked(std::span<const int> axes, int rank,
                                                            const char* operation) {
  std::array<bool, static_cast<std::size_t>(max_rank)> marks{};
  for (const int axis : axes) {
    const auto at = static_cast<std::size_t>(storage::checked_axis(axis, rank, operation));
    if (std::exchange(marks[at], true)) {
      throw IndexError(to_string(Failure{.operation = operation,
                                         .problem = "axis " + std::to_string(at) + " is named twice",
                                         .advice = "name each axis once"}));
    }
  }
  return marks;
}

DLayout flipped(const DLayout& from, std::span<const bool> marks) {
  DLayout to = from;
  if (std::ranges::find(from.shape(), 0) != from.shape().end()) return to;  // there is no last element to point at
  for (std::size_t axis = 0; axis < from.shape().size(); ++axis) {
    if (!marks[axis] || from.extents[axis] < 2) continue;
    to.offset += (from.extents[axis] - 1) * from.strides[axis];
    to.strides[axis] = -from.strides[axis];
  }
  return to;
}

namespace {

/// Throws ShapeError if a result would have too many axes.
void require_rank(std::size_t rank, const char* operation) {
  if (rank <= static_cast<std::size_t>(max_rank)) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = "the result would have " + std::to_string(rank) + " axes, at most " +
                                                std::to_string(max_rank) + " are possible"}));
}

}  // namespace

DLayout expanded(const DLayout& from, std::span<const int> axes, const char* operation) {
  require_rank(static_cast<std::size_t>(from.rank) + axes.size(), operation);
  DLayout to{.rank = from.rank + static_cast<int>(axes.size()), .offset = from.offset};
  const auto added = marked(axes, to.rank, operation);
  std::size_t source = 0;
  for (std::size_t at = 0; at < static_cast<std::size_t>(to.rank); ++at) {
    to.extents[at] = added[at] ? 1 : from.extents[source];
    if (!added[at]) to.strides[at] = from.strides[source++];
  }
  return to;
}

DLayout squeezed(const DLayout& from, std::span<const int> axes) {
  DLayout to{.offset = from.offset};
  const auto dropped = marked(axes, from.rank, "squeeze");
  for (std::size_t at = 0; at < static_cast<std::size_t>(from.rank); ++at) {
    if (!dropped[at]) {
      to.extents[static_cast<std::size_t>(to.rank)] = from.extents[at];
      to.strides[static_cast<std::size_t>(to.rank++)] = from.strides[at];
    } else if (from.extents[at] != 1) {
      throw ShapeError(
          to_string(Failure{.operation = "squeeze",
                            .problem = "axis " + std::to_string(at) + " of " + core::shape_text(from.shape()) +
                                       " has extent " + std::to_string(from.extents[at]),
                            .advice = "only axes of extent 1 can be dropped"}));
    }
  }
  return to;
}

DLayout windowed(const DLayout& from, std::span<const int> axes, std::span<const std::ptrdiff_t> window) {
  if (axes.size() != window.size())
    throw_index("sliding_window",
                std::to_string(window.size()) + " extents of windows for " + std::to_string(axes.size()) + " axes",
                from.shape(), "give an extent for each axis");
  static_cast<void>(marked(axes, from.rank, "sliding_window"));
  require_rank(static_cast<std::size_t>(from.rank) + axes.size(), "sliding_window");
  DLayout to = from;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(storage::checked_axis(axes[k], from.rank, "sliding_window"));
    storage::check_window(window[k], from.extents[axis], static_cast<int>(axis), core::shape_text(from.shape()));
    to.extents[axis] = from.extents[axis] - window[k] + 1;
    to.extents[static_cast<std::size_t>(to.rank)] = window[k];
    to.strides[static_cast<std::size_t>(to.rank++)] = from.strides[axis];
  }
  static_cast<void>(product(DDim(to.shape())));  // no view may have more elements than can be counted
  return to;
}

DDim inferred(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t elements, std::span<const std::ptrdiff_t> from) {
  const auto fail = [&](std::string problem) {
    throw ShapeError(to_string(
        Failure{.operation = "reshape",
                .problem = std::move(problem),
                .operands = {"the shape is " + core::shape_text(from), "asked for is " + core::shape_text(shape)},
                .advice = "the element counts must be equal; one -1 stands for what is left"}));
  };
  std::vector<std::ptrdiff_t> extents(shape.begin(), shape.end());
  const auto open = std::ranges::find(extents, -1);
  if (open != extents.end()) {
    if (std::find(open + 1, extents.end(), -1) != extents.end()) fail("two extents are -1");
    *open = 1;
    const std::ptrdiff_t known = product(DDim(extents));
    if (known == 0 || elements % known != 0) fail("-1 stands for no whole number");
    *open = elements / known;
  }
  const DDim result(extents);
  if (product(result) != elements)
    fail(std::to_string(elements) + " elements do not make " + std::to_string(product(result)));
  return result;
}

std::optional<DLayout> reshaped(const DLayout& from, const DDim& shape) {
  if (is_row_major(from)) {
    DLayout plain = row_major(shape.extents());
    plain.offset = from.offset;
    return plain;
  }
  const auto strides = storage::reshaped_strides(from.shape(), from.steps(), shape.extents());
  if (!strides) return std::nullopt;
  DLayout to{.rank = shape.rank(), .offset = from.offset};
  std::ranges::copy(shape.extents(), to.extents.begin());
  std::copy_n(strides->begin(), shape.rank(), to.strides.begin());
  return to;
}

DLayout broadcasted(const DLayout& from, const DDim& to) {
  storage::check_broadcast(from.shape(), to.extents(), "broadcast_to");
  static_cast<void>(product(to));
  DLayout result{.rank = to.rank(), .offset = from.offset};
  std::ranges::copy(to.extents(), result.extents.begin());
  for (int axis = 0; axis < from.rank; ++axis) {
    const auto source = static_cast<std::size_t>(axis), target = static_cast<std::size_t>(axis + to.rank() - from.rank);
    const bool repeats = from.extents[source] == 1 && result.extents[target] != 1;
    result.strides[target] = repeats ? 0 : from.strides[source];
  }
  return result;
}

std::ptrdiff_t offset_of(const DLayout& layout, std::span<const std::ptrdiff_t> index) {
  if (std::ssize(index) != layout.rank)
    throw_index("element access",
                std::to_string(index.size()) + " indices for " + std::to_string(layout.rank) + " axes", layout.shape(),
                "name as many as there are axes");
  std::ptrdiff_t offset = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const std::ptrdiff_t extent = layout.extents[axis];
    const std::ptrdiff_t at = index[axis] < 0 ? index[axis] + extent : index[axis];
    if (at < 0 || at >= extent)
      throw_index("element access",
                  "index " + std::to_string(index[axis]) + " is outside axis " + std::to_string(axis) + ", which has " +
                      std::to_string(extent) + " elements",
                  layout.shape());
    offset += at * layout.strides[axis];
  }
  return offset;
}

}  // namespace tessera::dynamic
