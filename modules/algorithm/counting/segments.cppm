module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:segments;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :scan;
import :host_elements;
import :counting;
import :counts;

// Reducing the slices of an array that have one label.
namespace tessera {

namespace counting {

enum class SegmentOp { sum, mean, min, max };

/// Rows of `width` elements, each of which belongs to a segment.
struct Segments {
  SegmentOp op;
  rows::Vector values;
  const std::int64_t* labels;
  std::ptrdiff_t rows, width, count;
};

/// Throws IndexError for a label that is negative or not below the number of segments.
void require_labels(const Segments& segments, bool are_unsigned, const rows::Argument& argument);

/// Writes `count` rows: sums in the type of sum(), means in that of mean(), extreme values in the elements' own. False for labels that
/// require_labels() refuses.
bool reduce(const Segments& segments, void* to);

}  // namespace counting

/// Slices along the first axis, and a label for each.
template <class O, class I>
concept SegmentOperands =
    rows::KnownOperand<O> && LabelOperand<I> &&
    (rank_of<O> >= 1 || unsatisfied<"a scalar has no slices: labels are for those of the first axis">);

/// Throws ShapeError unless there is a label for each slice, and no negative number of segments.
void require_segments(std::ptrdiff_t labels, std::ptrdiff_t slices, std::ptrdiff_t count,
                      const rows::Argument& argument);

template <class T, class O, class I>
auto segmented(counting::SegmentOp op, const O& x, const I& labels, std::ptrdiff_t count,
               const rows::Argument& argument) {
  const auto elements = rows::on_host<value_of<O>>(x, {argument.operation, "x", argument.where});
  const auto segments = rows::on_host<std::int64_t>(labels, argument);
  require_segments(segments.size(), elements.shape()[0], count, argument);
  Array<T, rank_of<O>, rows::result_place<O>> result(elements.shape().with(0, count), elements.place());
  const counting::Segments work{.op = op,
                                .values = rows::vector_of(elements),
                                .labels = segments.data(),
                                .rows = segments.size(),
                                .width = count == 0 ? 0 : result.size() / count,
                                .count = count};
  if (!counting::reduce(work, result.data()))
    counting::require_labels(work, kind_of<value_of<I>> == Kind::unsigned_integer, argument);
  return result;
}

/// Sums of the slices along the first axis that have the same label, in the type of sum(): slice i of the result, of which there are `count`,
/// is the sum of slices j of x with labels[j] == i, and 0 where there are none. Labels need no order. Floating elements are accumulated in
/// double; results do not depend on the number of threads. On the host only. Throws IndexError for a label out of range, ShapeError unless
/// there is a label for each slice, PlaceError, OutOfMemory.
export template <class O, class I>
  requires SegmentOperands<O, I>
auto segment_sum(const O& x, const I& labels, std::ptrdiff_t count,
                 std::source_location where = std::source_location::current()) {
  return segmented<scanned_t<value_of<O>>>(counting::SegmentOp::sum, x, labels, count,
                                           {"segment_sum", "labels", where});
}

/// Means of the slices that have the same label, in the type of mean(); NaN where there are none. Otherwise as segment_sum().
export template <class O, class I>
  requires SegmentOperands<O, I>
auto segment_mean(const O& x, const I& labels, std::ptrdiff_t count,
                  std::source_location where = std::source_location::current()) {
  using Mean = std::conditional_t<Floating<value_of<O>> || Complex<value_of<O>>, value_of<O>, double>;
  return segmented<Mean>(counting::SegmentOp::mean, x, labels, count, {"segment_mean", "labels", where});
}

/// The smallest element of the slices that have the same label, or NaN if one is NaN; where there are none infinity, or the largest number of
/// the type. Otherwise as segment_sum().
export template <class O, class I>
  requires SegmentOperands<O, I> && OrderedOperand<O>
auto segment_min(const O& x, const I& labels, std::ptrdiff_t count,
                 std::source_location where = std::source_location::current()) {
  return segmented<value_of<O>>(counting::SegmentOp::min, x, labels, count, {"segment_min", "labels", where});
}

/// The largest element; where there are none minus infinity, or the smallest number of the type. Otherwise as segment_min().
export template <class O, class I>
  requires SegmentOperands<O, I> && OrderedOperand<O>
auto segment_max(const O& x, const I& labels, std::ptrdiff_t count,
                 std::source_location where = std::source_location::current()) {
  return segmented<value_of<O>>(counting::SegmentOp::max, x, labels, count, {"segment_max", "labels", where});
}

}  // namespace tessera
