module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:sharded;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import tessera.darray;
import :pieces;
import :reduce_op;
import :group;
import :layout;

// Arrays that are divided among the ranks of a group.
namespace tessera {

namespace collective {

/// The shape of all parts together, of which `shapes` has those of all ranks, one after the other. Throws ShapeError if they are not those of an array that lies
/// by the layout.
std::vector<std::ptrdiff_t> shape_of_parts(std::span<const std::int64_t> shapes, int rank, const Group& group,
                                           ShardLayout layout);

/// Throws CollectiveError if they are not the same.
void require_one_group(std::string_view operation, const Group& first, const Group& other);

std::string describe(const Group& group, const LaidOut& operand, DType dtype, std::span<const std::string> collectives);

/// Some indices of one axis, as a view.
template <ArrayHandle A>
A part_along(const A& array, int axis, Part part) {
  if constexpr (rank_of<A> == 0) {
    return array;
  } else {
    const auto front = moveaxis(array, axis, 0);
    return A(moveaxis(front(range(part.begin, part.begin + part.extent), ellipsis), 0, axis));
  }
}

std::string line_of(std::string_view collective, DType dtype, std::span<const std::ptrdiff_t> shape,
                    std::string_view why);

/// Adds a line, unless there is one like it: arrays that an iteration makes do not remember each round.
void add_line(std::vector<std::string>& lines, std::string line);

}  // namespace collective

/// An array that lies on the ranks of a group by a layout, or an expression of such: each rank has its part. All ranks make and use it alike. Elementwise
/// operators of operands that fit are computed by each rank alone, and fuse; sum() and its kin along the axis that is split, and dot() over it, exchange what is
/// needed. Within an Async scope all of it is asynchronous.
export template <Operand X>
class Sharded {
  using Where = std::source_location;

 public:
  using value_type = value_of<X>;
  static constexpr int rank = rank_of<X>;

  /// A copy of each rank's part of an array that all of them have whole: nothing is sent, and nothing compared. Throws IndexError for an axis that it has not.
  Sharded(const Group& group, const X& whole, ShardLayout layout)
    requires ArrayHandle<X>
      : Sharded(group, whole.shape(), layout, own_part(group, whole, layout)) {}

  /// What each rank has is its part. All ranks call it, and wait for each other. Throws ShapeError on all of them if the parts are not as equal as possible, the
  /// first ones one larger, or differ along another axis; replicated ones if they differ at all.
  static Sharded of_parts(const Group& group, const X& part, ShardLayout layout, const Where& where = Where::current())
    requires ArrayHandle<X>
  {
    collective::checked_layout(layout, rank);
    Array<std::int64_t, 1> own(Dim{rank});
    for (int axis = 0; axis < rank; ++axis) own.data()[axis] = part.shape()[axis];
    const Array<std::int64_t, 1> shapes = group.all_gather(own, where);
    const std::vector<std::ptrdiff_t> extents =
        collective::shape_of_parts(std::vector<std::int64_t>(shapes.begin(), shapes.end()), rank, group, layout);
    Dim<rank> shape;
    for (int axis = 0; axis < rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
    return Sharded(group, shape, layout, part);
  }

  /// An expression's elements: each rank computes its part.
  template <Operand E>
    requires(ArrayHandle<X> && !ArrayHandle<E> && rank_of<E> == rank && std::same_as<value_of<E>, value_type>)
  Sharded(const Sharded<E>& expression)  // NOLINT(google-explicit-constructor): as Array's
      : Sharded(expression.group(), expression.shape(), expression.layout(), X(evaluate(expression.local())),
                expression.collectives()) {}

  /// Of all ranks together.
  const Dim<rank>& shape() const noexcept { return shape_; }
  ShardLayout layout() const noexcept { return layout_; }
  const Group& group() const noexcept { return group_; }
  /// What this rank has.
  const X& local() const noexcept { return local_; }
  /// The axes in reverse order: each rank's part transposed, a view of the same elements. Nothing is sent.
  auto T() const {
    auto own = transpose(local_);
    Dim<rank> shape;
    for (int axis = 0; axis < rank; ++axis) shape = shape.with(axis, shape_[rank - 1 - axis]);
    const ShardLayout layout = layout_.is_split() ? ShardLayout::split(rank - 1 - layout_.axis()) : layout_;
    return Sharded<decltype(own)>(group_, shape, layout, std::move(own), collectives_);
  }
  /// The collectives that have made it, and the bytes that each rank gave to them; those that are alike once.
  const std::vector<std::string>& collectives() const noexcept { return collectives_; }

  /// All of it, on every rank.
  Array<value_type, rank> gather(const Where& where = Where::current()) const {
    const auto own = evaluate(local_);
    if constexpr (rank == 0) {
      return own;
    } else {
      if (!layout_.is_split()) return own;
      const int axis = layout_.axis();
      const auto front = moveaxis(own, axis, 0);
      Dim<rank> shape = front.shape();
      Array<value_type, rank> all(shape.with(0, shape_[axis]));
      group_.all_gather_into(all, front, where);
      if (axis == 0) return all;
      return evaluate(moveaxis(all, 0, axis));
    }
  }

  /// The same array in another layout. To be replicated it is gathered; what is replicated is cut without an exchange.
  auto redistribute(ShardLayout layout, const Where& where = Where::current()) const {
    using Whole = Array<value_type, rank>;
    collective::checked_layout(layout, rank);
    std::vector<std::string> collectives = collectives_;
    if (layout == layout_) return Sharded<Whole>(group_, shape_, layout_, Whole(evaluate(local_)), collectives);
    if (!layout_.is_split()) {
      const Whole own = evaluate(local_);
      return Sharded<Whole>(group_, shape_, layout, Sharded<Whole>::own_part(group_, own, layout), collectives);
    }
    const Dim<rank> own_shape = local_.shape();
    const bool is_even = shape_[layout_.axis()] % group_.size() == 0;
    const bool is_direct = layout.is_split() && is_even;
    collective::add_line(
        collectives, collective::line_of(is_direct ? "all_to_all" : "all_gather", dtype_of<value_type>,
                                         own_shape.extents(), to_string(layout_) + " becomes " + to_string(layout)));
    if constexpr (rank >= 2) {
      if (is_direct) return Sharded<Whole>(group_, shape_, layout, exchanged(layout, where), std::move(collectives));
    }
    const Whole whole = gather(where);
    return Sharded<Whole>(group_, shape_, layout, Sharded<Whole>::own_part(group_, whole, layout),
                          std::move(collectives));
  }

  /// From parts that fit.
  Sharded(const Group& group, const Dim<rank>& shape, ShardLayout layout, X local,
          std::vector<std::string> collectives = {})
      : group_(group), shape_(shape), layout_(layout), local_(std::move(local)), collectives_(std::move(collectives)) {}

  static X own_part(const Group& group, const X& whole, ShardLayout layout)
    requires ArrayHandle<X>
  {
    if (!collective::checked_layout(layout, rank).is_split()) return X(evaluate(whole));
    const auto part = collective::part_of_rank(whole.shape()[layout.axis()], group.size(), group.rank());
    return X(evaluate(collective::part_along(whole, layout.axis(), part)));
  }

 private:
  /// Split along another axis: each rank sends to each other what both of their parts have in common.
  Array<value_type, rank> exchanged(ShardLayout layout, const Where& where) const
    requires(rank >= 2)
  {
    const int from = layout_.axis(), to = layout.axis();
    const auto own = evaluate(local_);
    const auto received =
        group_.all_to_all(moveaxis(own, to, 0), where);  // the parts of all ranks along `from`, one after the other
    const std::ptrdiff_t here = collective::part_of_rank(shape_[to], group_.size(), group_.rank()).extent;
    const std::ptrdiff_t theirs = shape_[from] / group_.size();
    Array<value_type, rank> result(shape_.with(to, here));
    for (int other = 0; other < group_.size(); ++other) {
      const auto piece = moveaxis(received(range(other * here, (other + 1) * here), ellipsis), 0, to);
      assign(collective::part_along(result, from, {other * theirs, theirs}), piece);
    }
    return result;
  }

  Group group_;
  Dim<rank> shape_;
  ShardLayout layout_;
  X local_;
  std::vector<std::string> collectives_;
};

/// Each rank computes its part of an expression into the elements it has. Throws ShapeError for another shape or layout, CollectiveError for another group.
export template <ArrayHandle A, Operand X>
void assign(const Sharded<A>& destination, const Sharded<X>& source) {
  collective::require_one_group("assign", destination.group(), source.group());
  const collective::LaidOut operands[] = {{destination.layout(), destination.shape().extents()},
                                          {source.layout(), source.shape().extents()}};
  if (destination.layout() != source.layout() || !std::ranges::equal(operands[0].shape, operands[1].shape)) {
    throw ShapeError(to_string(Failure{.operation = "assign",
                                       .problem = "what is written lies in another way",
                                       .operands = {collective::text_of(operands[0]), collective::text_of(operands[1])},
                                       .advice = "redistribute() what is written first"}));
  }
  assign(destination.local(), source.local());
}

/// How it lies on the ranks, and the collectives that have made it, with their bytes, as text.
export template <Operand X>
std::string explain(const Sharded<X>& sharded) {
  return collective::describe(sharded.group(), {sharded.layout(), sharded.shape().extents()}, dtype_of<value_of<X>>,
                              sharded.collectives());
}

}  // namespace tessera
