module;
#include <cstddef>
export module tessera.collective:shard_map;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :group;
import :layout;
import :sharded;

// What each rank computes alone of sharded arrays.
namespace tessera {

namespace collective {

template <class X>
inline constexpr bool is_sharded = false;
template <class X>
inline constexpr bool is_sharded<Sharded<X>> = true;

/// What this rank has of an operand; a scalar is itself.
template <class X>
const auto& own_of(const X& x) {
  if constexpr (is_sharded<X>) {
    return x.local();
  } else {
    return x;
  }
}

/// Layouts and shapes of the sharded ones among operands.
template <class X>
void add_layout(std::vector<LaidOut>& operands, const Sharded<X>& x) {
  operands.push_back({x.layout(), x.shape().extents()});
}
template <class X>
void add_layout(std::vector<LaidOut>&, const X&) {}

template <class X>
void add_collectives(std::vector<std::string>& all, const Sharded<X>& x) {
  for (const std::string& line : x.collectives()) add_line(all, line);
}
template <class X>
void add_collectives(std::vector<std::string>&, const X&) {}

template <class X, class... Rest>
const auto& first_sharded(const X& x, const Rest&... rest) {
  if constexpr (is_sharded<X>) {
    return x;
  } else {
    return first_sharded(rest...);
  }
}

/// The type of what this rank has of an operand.
template <class X>
using own_t = std::remove_cvref_t<decltype(own_of(std::declval<const X&>()))>;

/// A group's ranks share an operand: all must be of one group.
template <class X, class... Operands>
void require_one_group(const Sharded<X>& first, const Operands&... operands) {
  const auto check = [&](const auto& operand) {
    if constexpr (is_sharded<std::remove_cvref_t<decltype(operand)>>)
      require_one_group("shard_map", operand.group(), first.group());
  };
  (check(operands), ...);
}

/// The shape to which those of operands broadcast.
template <int Rank>
Dim<Rank> common_shape(std::span<const LaidOut> operands) {
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) {
    std::ptrdiff_t extent = 1;
    for (const LaidOut& operand : operands) {
      const int own = axis - (Rank - static_cast<int>(operand.shape.size()));
      if (own < 0) continue;
      const std::ptrdiff_t here = operand.shape[static_cast<std::size_t>(own)];
      if (here != 1) extent = here;
    }
    shape = shape.with(axis, extent);
  }
  return shape;
}

}  // namespace collective

/// A sharded array, or an expression of some.
export template <class X>
concept ShardedOperand = collective::is_sharded<std::remove_cvref_t<X>>;

namespace collective {

/// What goes together with sharded operands. A plain array does not: which part of it would be meant?
template <class X>
concept BesideSharded = ShardedOperand<X> || Scalar<X> || std::same_as<X, std::remove_cvref_t<decltype(none)>> ||
                        unsatisfied<"a plain array is not divided: make it a Sharded one, replicated or split">;

/// Operands of which one is sharded, and the others may be beside it.
template <class... X>
concept ShardedOperands = (ShardedOperand<X> || ...) && (BesideSharded<X> && ...);

/// What f takes of the parts of such operands.
template <class F, class... X>
concept TakesParts = std::invocable<const F&, const own_t<X>&...>;

/// Throws ShapeError if f of the parts is not what the rank's part of the result is.
void require_elementwise(std::span<const std::ptrdiff_t> part, std::span<const std::ptrdiff_t> whole,
                         ShardLayout layout, const Group& group);

}  // namespace collective

/// f of what each rank has of the operands, of which some may be scalars: an expression that is elementwise in them. Throws ShapeError that names all layouts
/// if they do not fit: split along the same axis, or replicated and repeated along it; and if the parts of the result have not its shape, as f is not elementwise.
export template <class F, class... Operands>
  requires collective::ShardedOperands<Operands...>
auto shard_map(const F& f, const Operands&... operands) {
  const auto& first = collective::first_sharded(operands...);
  collective::require_one_group(first, operands...);
  std::vector<collective::LaidOut> laid_out;
  (collective::add_layout(laid_out, operands), ...);
  using Local = decltype(f(collective::own_of(operands)...));
  constexpr int rank = rank_of<Local>;
  const ShardLayout layout = collective::layout_of_elementwise(laid_out, rank);
  Local local = f(collective::own_of(operands)...);
  std::vector<std::string> collectives;
  (collective::add_collectives(collectives, operands), ...);
  const Dim<rank> shape = collective::common_shape<rank>(laid_out);
  collective::require_elementwise(local.shape().extents(), shape.extents(), layout, first.group());
  return Sharded<Local>(first.group(), shape, layout, std::move(local), std::move(collectives));
}

}  // namespace tessera
