module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:shifting;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :segments;
import :lowering;
import :node;
import :map;
import :device_source;
import :part;
import :seen;

// Operands whose elements take other positions: roll, flip of expressions, pad. The elementwise work of the operand is done on the way to
// the new position.
namespace tessera {

/// A node whose axes are made up of segments of another node's axes. Where no segment covers the result it has the value `fill`.
template <class Node, bool Fills>
class SegmentsNode : public ExpressionOperations<SegmentsNode<Node, Fills>, typename Node::value_type, Node::rank> {
 public:
  using expression_tag = void;
  using value_type = typename Node::value_type;
  using place_type = typename Node::place_type;
  static constexpr int rank = Node::rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr const char* name = Fills ? "pad" : "roll";
  using Segments = std::array<plan::AxisSegments, static_cast<std::size_t>(rank)>;
  using Fill = compute_t<value_type>;

  SegmentsNode(Node node, const Dim<rank>& shape, Segments segments, Fill fill)
      : node_(std::move(node)), shape_(shape), segments_(std::move(segments)), fill_{fill} {}

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return node_.place(); }

  /// Inside a larger expression the elements are in their new positions before anything is written.
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor& visit) const { return node_.any_leaf(visit); }

  template <Element To>
  void compute(To* data, const Strides<rank>& strides, Place place) const {
    const Part<To, Node> part(node_, place);
    for_each_loop<To>(part.loop(data, strides), &plan::run);
  }

  /// Calls `body(loop)` with the loops by which the elements get to their positions; `loop` computes those of the operand.
  template <Element To>
  void for_each_loop(plan::Loop loop, const plan::LoopBody& body) const {
    if (product(shape_) == 0) return;
    std::array<plan::SegmentList, static_cast<std::size_t>(rank)> segments;
    for (std::size_t axis = 0; axis < segments.size(); ++axis) segments[axis] = segments_[axis].listed();
    if (product(node_.shape()) != 0) plan::for_each_segment(loop, segments, body);
    if constexpr (Fills) {
      loop.extents = {};
      for (int axis = 0; axis < rank; ++axis) loop.extents[static_cast<std::size_t>(axis)] = shape_[axis];
      loop.leaves = {};
      loop.kernel = kernel_of_node<To, Node>(fill_);
      loop.rows = rows_kernel_of_node<To, Node>(fill_);
      loop.nodes = &fill_;
      const ScalarNode<value_type> fill(fill_.value);
      loop.device = device_work<To>(fill);
      plan::for_each_slab_around(loop, segments, body);
    }
  }

  LeafPlan<compute_t<value_type>> lower(plan::Lowering& lowering) const { return computed_leaf(*this, lowering); }

  const Node& operand() const { return node_; }

 private:
  Node node_;
  Dim<rank> shape_;
  Segments segments_;
  ScalarPlan<Fill> fill_;
};

/// The segments of a node that keeps its shape: all axes as they are, but those for which `change(axis, extent)` gives others.
template <class Node, class Change>
auto rearranged(Node node, const Change& change) {
  typename SegmentsNode<Node, false>::Segments segments;
  const Dim<Node::rank> shape = node.shape();
  for (int axis = 0; axis < Node::rank; ++axis) segments[static_cast<std::size_t>(axis)] = change(axis, shape[axis]);
  return SegmentsNode<Node, false>(std::move(node), shape, std::move(segments), {});
}

/// Positions added before and after an axis.
export struct PadWidth {
  std::ptrdiff_t before, after;
};

/// What stands beside the elements: the nearest one, the elements mirrored at the first and last one, the elements mirrored with the first and last
/// one again, or the elements again from the other end.
export enum class PadMode { edge, reflect, symmetric, wrap };

namespace plan {
/// Extent of a padded axis. Throws ShapeError for negative widths, and for an axis without elements that is to be repeated.
export std::ptrdiff_t padded_extent(std::ptrdiff_t extent, const PadWidth& width, int axis, bool repeats,
                                    const std::string& shape);
export constexpr Padding padding_of(PadMode mode) {
  switch (mode) {
    case PadMode::edge: return Padding::edge;
    case PadMode::reflect: return Padding::reflect;
    case PadMode::symmetric: return Padding::symmetric;
    case PadMode::wrap: break;
  }
  return Padding::wrap;
}
/// shift modulo extent, at least 0.
export template <std::integral Integer>
std::ptrdiff_t wrapped_shift(Integer shift, std::ptrdiff_t extent) {
  if (extent == 0) return 0;
  if constexpr (std::unsigned_integral<Integer>) {
    return static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(shift) % static_cast<std::uint64_t>(extent));
  } else {
    const std::ptrdiff_t remainder = static_cast<std::ptrdiff_t>(shift) % extent;
    return remainder < 0 ? remainder + extent : remainder;
  }
}
}  // namespace plan

/// The elements moved by `shift` positions along each named axis; those that leave at one end come in at the other. A positive shift moves
/// towards higher indices, as in NumPy: roll<0>(x, 1)(i) is x(i - 1).
export template <int... Axis, Operand O, std::integral... Shift>
  requires(sizeof...(Axis) > 0) && AxesOf<rank_of<O>, Axis...> &&
          (sizeof...(Shift) == sizeof...(Axis) || unsatisfied<"roll takes one shift for each named axis">)
auto roll(O&& operand, Shift... shifts) {  // one shift for each named axis; axes in range, each once
  auto node = as_node(std::forward<O>(operand));
  constexpr int rank = decltype(node)::rank;
  std::array<std::ptrdiff_t, static_cast<std::size_t>(rank)> shift_of{};
  ((shift_of[static_cast<std::size_t>(Axis < 0 ? Axis + rank : Axis)] =
        plan::wrapped_shift(shifts, node.shape()[Axis < 0 ? Axis + rank : Axis])),
   ...);
  return rearranged(std::move(node), [&](int axis, std::ptrdiff_t extent) {
    return plan::AxisSegments::rolled(extent, shift_of[static_cast<std::size_t>(axis)]);
  });
}

/// The same along one axis that is known at run time: roll(x, shift, axis). Throws IndexError out of range.
export template <Operand O, std::integral Shift, std::integral Axis>
  requires(rank_of<O> > 0)
auto roll(O&& operand, Shift shift, Axis along) {
  auto node = as_node(std::forward<O>(operand));
  const int at = storage::checked_axis(Position(along).value, decltype(node)::rank, "roll");
  const std::ptrdiff_t positions = plan::wrapped_shift(shift, node.shape()[at]);
  return rearranged(std::move(node), [=](int axis, std::ptrdiff_t extent) {
    return plan::AxisSegments::rolled(extent, axis == at ? positions : 0);
  });
}

/// All elements moved by `shift` positions in row-major order; those that leave at the end come in at the beginning. As in NumPy, where no axis is
/// named.
export template <Operand O, std::integral Shift>
auto roll(O&& operand, Shift shift) {
  const Dim<rank_of<O>> shape(operand.shape());
  const auto moved = [&](const auto& flat) { return reshape(roll<0>(flat, shift), shape); };
  if constexpr (ArrayHandle<O>) {
    return moved(flatten(operand));
  } else {
    return moved(reshape(as_node(std::forward<O>(operand)), Dim<1>{product(shape)}));
  }
}

/// The expression in reverse order along the named axes, or along all when none is named. Of arrays and views, flip is a view.
export template <int... Axis, ExpressionNode E>
  requires AxesOf<rank_of<E>, Axis...>
auto flip(E&& expression) {  // axes in range, each once
  auto node = as_node(std::forward<E>(expression));
  constexpr int rank = decltype(node)::rank;
  return rearranged(std::move(node), [](int axis, std::ptrdiff_t extent) {
    return storage::named_axes<rank, Axis...>()[static_cast<std::size_t>(axis)] ? plan::AxisSegments::reversed(extent)
                                                                                : plan::AxisSegments::rolled(extent, 0);
  });
}

/// The same along an axis that is known at run time. Throws IndexError out of range.
export template <ExpressionNode E>
auto flip(E&& expression, Position along) {
  auto node = as_node(std::forward<E>(expression));
  const int at = storage::checked_axis(along.value, decltype(node)::rank, "flip");
  return rearranged(std::move(node), [=](int axis, std::ptrdiff_t extent) {
    return axis == at ? plan::AxisSegments::reversed(extent) : plan::AxisSegments::rolled(extent, 0);
  });
}

template <bool Fills, class Node, class Widths>
auto make_padded(Node node, const Widths& width_of, plan::Padding padding, compute_t<typename Node::value_type> fill) {
  typename SegmentsNode<Node, Fills>::Segments segments;
  Dim<Node::rank> shape = node.shape();
  for (int axis = 0; axis < Node::rank; ++axis) {
    const PadWidth width = width_of(axis);
    const std::ptrdiff_t extent = shape[axis];
    shape = shape.with(axis, plan::padded_extent(extent, width, axis, !Fills, to_string(node.shape())));
    if (Fills || extent > 0) {
      segments[static_cast<std::size_t>(axis)] = plan::AxisSegments::padded(extent, width.before, width.after, padding);
    } else {
      segments[static_cast<std::size_t>(axis)] = plan::AxisSegments::rolled(0, 0);
    }
  }
  static_cast<void>(product(shape));
  return SegmentsNode<Node, Fills>(std::move(node), shape, std::move(segments), fill);
}

/// An operand, widths for `Count` axes and a value that can pad it; a failure says why not.
template <class O, std::size_t Count, class Value>
concept Paddable =
    Operand<O> && (static_cast<int>(Count) == rank_of<O> || unsatisfied<"pad takes a pair of widths for each axis">) &&
    (WeakWith<Value, value_of<O>> || std::same_as<Value, value_of<O>> ||
     unsatisfied<"the value does not have the element type of what it pads: write value_type(...)">);

/// The operand within a frame of `value`: widths are one {before, after} for each axis, as in pad(x, {{1, 1}, {0, 2}}, 0). Throws
/// ShapeError for negative widths.
export template <Operand O, std::size_t Count, class Value>
  requires Paddable<O, Count, Value>
auto pad(O&& operand, const PadWidth (&widths)[Count], Value value) {  // pad takes a pair of widths for each axis
  return make_padded<true>(
      as_node(std::forward<O>(operand)), [&](int axis) { return widths[axis]; }, plan::Padding::constant,
      static_cast<compute_t<value_of<O>>>(value));
}

/// `width` positions of `value` on both sides of every axis.
export template <Operand O, class Value>
  requires Paddable<O, static_cast<std::size_t>(rank_of<O>), Value>
auto pad(O&& operand, std::ptrdiff_t width, Value value) {
  return make_padded<true>(
      as_node(std::forward<O>(operand)), [=](int) { return PadWidth{width, width}; }, plan::Padding::constant,
      static_cast<compute_t<value_of<O>>>(value));
}

/// The operand continued by elements of its own. Throws ShapeError for negative widths, and where an axis without elements is padded.
export template <Operand O, std::size_t Count>
  requires(static_cast<int>(Count) == rank_of<O> || unsatisfied<"pad takes a pair of widths for each axis">)
auto pad(O&& operand, const PadWidth (&widths)[Count], PadMode mode) {  // pad takes a pair of widths for each axis
  return make_padded<false>(as_node(std::forward<O>(operand)), [&](int axis) { return widths[axis]; },
                            plan::padding_of(mode), {});
}
export template <Operand O>
auto pad(O&& operand, std::ptrdiff_t width, PadMode mode) {
  return make_padded<false>(as_node(std::forward<O>(operand)), [=](int) { return PadWidth{width, width}; },
                            plan::padding_of(mode), {});
}

}  // namespace tessera
