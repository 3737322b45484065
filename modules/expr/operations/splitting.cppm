module;
#include <cstddef>
export module tessera.expr:splitting;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :node;
import :map;
import :seen;

// Several views of one operand, or of several: parts along an axis, and operands with the shape that they broadcast to. Of arrays they share the
// storage, of expressions they are lazy.
namespace tessera {

namespace storage {

/// Throws ShapeError unless the axis can be cut into so many equal parts.
export std::ptrdiff_t equal_part(std::ptrdiff_t extent, std::ptrdiff_t parts, int axis);

/// Throws IndexError unless the positions ascend from 0 to the extent.
export void require_cuts(std::span<const std::ptrdiff_t> cuts, std::ptrdiff_t extent, int axis);

}  // namespace storage

/// The part of x between two positions along an axis.
template <int Axis, class O>
auto part_between(const O& x, std::ptrdiff_t first, std::ptrdiff_t last) {
  return moveaxis(moveaxis(x, Axis, 0)(range(first, last), ellipsis), 0, Axis);
}

template <class O, int Axis>
concept SplitOperand =
    Operand<O> && !ArrayParameter<O> && (rank_of<O> >= 1 || unsatisfied<"a scalar has no axis to split along">) &&
    AxesOf<rank_of<O>, Axis>;

/// `count` equal parts along an axis, one after the other: a std::vector of views. Throws ShapeError if they are not equal.
export template <int Axis = 0, class O, std::integral Count>
  requires SplitOperand<O, Axis>
auto split(const O& x, Count count) {
  constexpr int axis = Axis < 0 ? Axis + rank_of<O> : Axis;
  const std::ptrdiff_t extent = Dim<rank_of<O>>(x.shape())[axis];
  const std::ptrdiff_t parts = Position(count).value;
  const std::ptrdiff_t each = storage::equal_part(extent, parts, axis);
  std::vector<decltype(part_between<axis>(x, 0, 0))> views;
  views.reserve(static_cast<std::size_t>(parts));
  for (std::ptrdiff_t part = 0; part < parts; ++part)
    views.push_back(part_between<axis>(x, part * each, (part + 1) * each));
  return views;
}

/// The parts along an axis before, between and behind positions, as in split(x, {3, 5}): one more than there are positions. Throws IndexError
/// unless the positions ascend and are on the axis.
export template <int Axis = 0, class O, std::size_t Count>
  requires SplitOperand<O, Axis>
auto split(const O& x, const std::ptrdiff_t (&cuts)[Count]) {
  constexpr int axis = Axis < 0 ? Axis + rank_of<O> : Axis;
  const std::ptrdiff_t extent = Dim<rank_of<O>>(x.shape())[axis];
  storage::require_cuts(cuts, extent, axis);
  std::vector<decltype(part_between<axis>(x, 0, 0))> views;
  views.reserve(Count + 1);
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t cut : cuts) {
    views.push_back(part_between<axis>(x, first, cut));
    first = cut;
  }
  views.push_back(part_between<axis>(x, first, extent));
  return views;
}

/// What x has at each position of an axis, without it: a std::vector of views.
export template <int Axis = 0, class O>
  requires SplitOperand<O, Axis>
auto unstack(const O& x) {
  const auto moved = moveaxis(x, Axis, 0);
  const std::ptrdiff_t extent = Dim<rank_of<O>>(moved.shape())[0];
  std::vector<std::remove_cvref_t<decltype(moved(std::ptrdiff_t{}, ellipsis))>> views;
  views.reserve(static_cast<std::size_t>(extent));
  for (std::ptrdiff_t i = 0; i < extent; ++i) views.push_back(moved(i, ellipsis));
  return views;
}

/// The operands, each with the shape that all broadcast to: a std::tuple of views, which only read. Throws ShapeError under NumPy's rules.
export template <Operand... O>
  requires(sizeof...(O) > 0) && (!ArrayParameter<O> && ...)
auto broadcast_arrays(const O&... operands) {
  constexpr int rank = std::max({rank_of<O>...});
  const Dim<rank> shape = broadcast_shape<rank>("broadcast_arrays", as_node(operands)...);
  return std::tuple(broadcast_to(operands, shape)...);
}

/// The axes in the order `axes`, as transpose() has it. Throws IndexError if they are no permutation.
export template <Operand O>
decltype(auto) permute_dims(O&& x, const std::array<int, static_cast<std::size_t>(rank_of<O>)>& axes) {
  return transpose(std::forward<O>(x), axes);
}

}  // namespace tessera
