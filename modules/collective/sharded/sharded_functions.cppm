module;
#include <cstddef>
export module tessera.collective:sharded_functions;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :reduce_op;
import :group;
import :layout;
import :sharded;

// What is computed with sharded arrays.
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
concept BesideSharded = ShardedOperand<X> || Scalar<X> ||
                        unsatisfied<"a plain array is not divided: make it a Sharded one, replicated or split">;

/// Throws ShapeError if f of the parts is not what the rank's part of the result is.
void require_elementwise(std::span<const std::ptrdiff_t> part, std::span<const std::ptrdiff_t> whole,
                         ShardLayout layout, const Group& group);

}  // namespace collective

/// f of what each rank has of the operands, of which some may be scalars: an expression that is elementwise in them. Throws ShapeError that names all layouts
/// if they do not fit: split along the same axis, or replicated and repeated along it; and if the parts of the result have not its shape, as f is not elementwise.
export template <class F, class... Operands>
  requires((ShardedOperand<Operands> || ...) && (collective::BesideSharded<Operands> && ...))
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

/// The sum, element by element, computed by each rank alone. An operand may be a scalar, or replicated and broadcast along the axis that is split.
/// Throws ShapeError for layouts that do not go together.
export template <class A, class B>
  requires(ShardedOperand<A> || ShardedOperand<B>) && collective::BesideSharded<A> && collective::BesideSharded<B>
auto operator+(const A& a, const B& b) {
  return shard_map([](const auto& x, const auto& y) { return x + y; }, a, b);
}
/// The difference, as the sum.
export template <class A, class B>
  requires(ShardedOperand<A> || ShardedOperand<B>) && collective::BesideSharded<A> && collective::BesideSharded<B>
auto operator-(const A& a, const B& b) {
  return shard_map([](const auto& x, const auto& y) { return x - y; }, a, b);
}
/// The product, element by element, as the sum.
export template <class A, class B>
  requires(ShardedOperand<A> || ShardedOperand<B>) && collective::BesideSharded<A> && collective::BesideSharded<B>
auto operator*(const A& a, const B& b) {
  return shard_map([](const auto& x, const auto& y) { return x * y; }, a, b);
}
/// The quotient, as the sum.
export template <class A, class B>
  requires(ShardedOperand<A> || ShardedOperand<B>) && collective::BesideSharded<A> && collective::BesideSharded<B>
auto operator/(const A& a, const B& b) {
  return shard_map([](const auto& x, const auto& y) { return x / y; }, a, b);
}
/// The elements with the other sign.
export template <ShardedOperand A>
auto operator-(const A& a) {
  return shard_map([](const auto& x) { return -x; }, a);
}

namespace collective {

/// What a reduction along axes leaves of a layout.
template <int Rank, int... Axis>
ShardLayout reduced_layout(ShardLayout layout, bool& is_reduced) {
  const auto named = [](int axis) {
    if constexpr (sizeof...(Axis) == 0) {
      return axis >= 0;
    } else {
      return (((Axis < 0 ? Axis + Rank : Axis) == axis) || ...);
    }
  };
  is_reduced = layout.is_split() && named(layout.axis());
  if (!layout.is_split() || is_reduced) return ShardLayout::replicated();
  int before = 0;
  for (int axis = 0; axis < layout.axis(); ++axis) before += named(axis);
  return ShardLayout::split(layout.axis() - before);
}

/// How many elements come to one.
template <int... Axis, int Rank>
std::ptrdiff_t reduced_count(const Dim<Rank>& shape) {
  std::ptrdiff_t count = 1;
  for (int axis = 0; axis < Rank; ++axis) {
    bool is_reduced = false;
    reduced_layout<Rank, Axis...>(ShardLayout::split(axis), is_reduced);
    if (is_reduced) count *= shape[axis];
  }
  return count;
}

/// Reduces what this rank has, and over the ranks where they share what is reduced; `otherwise` is the result of a rank that has nothing.
template <int... Axis, class X, class F, class T>
auto reduced(const Sharded<X>& x, ReduceOp op, std::string_view name, const F& f, T otherwise,
             const std::source_location& where) {
  using Local = decltype(evaluate(f(x.local())));
  constexpr int rank = rank_of<Local>;
  bool over_ranks = false;
  const ShardLayout layout = reduced_layout<rank_of<X>, Axis...>(x.layout(), over_ranks);
  Dim<rank> shape;
  int to = 0;
  for (int axis = 0; axis < rank_of<X>; ++axis) {
    bool unused = false;
    if (reduced_layout<rank_of<X>, Axis...>(ShardLayout::split(axis), unused).is_split())
      shape = shape.with(to++, x.shape()[axis]);
  }
  // Where no rank has anything, f says what that comes to, or that it comes to nothing.
  const bool has_any = !over_ranks || x.local().shape()[x.layout().axis()] != 0 || x.shape()[x.layout().axis()] == 0;
  Local own = has_any
                  ? evaluate(f(x.local()))
                  : Local(full<typename Local::value_type>(shape, static_cast<typename Local::value_type>(otherwise)));
  std::vector<std::string> collectives = x.collectives();
  if (over_ranks) {
    add_line(collectives, line_of("all_reduce", dtype_of<typename Local::value_type>, own.shape().extents(),
                                  std::string(name) + " along the axis that is split"));
    Local all = x.group().all_reduce(own, op, where);
    return Sharded<Local>(x.group(), shape, layout, all, std::move(collectives));
  }
  return Sharded<Local>(x.group(), shape, layout, own, std::move(collectives));
}

/// What no element is greater than; those of 16 bits have no limits of their own in the standard library.
template <class T>
T highest_of() {
  if constexpr (Floating<T>) return T(std::numeric_limits<compute_t<T>>::infinity());
  return std::numeric_limits<T>::max();
}
template <class T>
T lowest_of() {
  if constexpr (Floating<T>) return T(-std::numeric_limits<compute_t<T>>::infinity());
  return std::numeric_limits<T>::lowest();
}

}  // namespace collective

/// Sum along the named axes, or of all elements. Along the axis that is split every rank sums its part, and the group adds these up: the result is replicated.
export template <int... Axis, Operand X>
auto sum(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::sum, "sum", [](const auto& own) { return sum<Axis...>(own); }, 0, where);
}
/// The same, of products.
export template <int... Axis, Operand X>
auto prod(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::product, "prod", [](const auto& own) { return prod<Axis...>(own); }, 1, where);
}
/// The same, the smallest.
export template <int... Axis, Operand X>
auto min(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::min, "min", [](const auto& own) { return min<Axis...>(own); }, collective::highest_of<value_of<X>>(),
      where);
}
/// The same, the largest.
export template <int... Axis, Operand X>
auto max(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::max, "max", [](const auto& own) { return max<Axis...>(own); }, collective::lowest_of<value_of<X>>(),
      where);
}
/// The same, the mean of floating numbers. Those of 16 bits are added up as float. Throws ShapeError for the mean of nothing.
export template <int... Axis, Operand X>
  requires Floating<value_of<X>>
auto mean(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  using T = value_of<X>;
  if constexpr (!std::same_as<T, compute_t<T>>) {
    const auto wide = shard_map([](const auto& own) { return cast<compute_t<T>>(own); }, x);
    return shard_map([](const auto& own) { return cast<T>(own); }, mean<Axis...>(wide, where));
  } else {
    const std::ptrdiff_t count = collective::reduced_count<Axis...>(x.shape());
    if (count == 0) evaluate(mean<Axis...>(x.local()));  // which says so
    return sum<Axis...>(x, where) / static_cast<T>(count);
  }
}

/// The dot product of vectors and matrices. One factor replicated and the other split along an axis that stays: each rank computes its part. Both split along the
/// axis that is summed over: each rank sums its part, and the group adds these up. Throws ShapeError that names both layouts for others.
export template <Operand A, Operand B>
  requires(rank_of<A> >= 1 && rank_of<A> <= 2 && rank_of<B> >= 1 && rank_of<B> <= 2)
auto dot(const Sharded<A>& a, const Sharded<B>& b,
         const std::source_location& where = std::source_location::current()) {
  collective::require_one_group("dot", a.group(), b.group());
  const collective::LaidOut left{a.layout(), a.shape().extents()}, right{b.layout(), b.shape().extents()};
  const collective::ProductLayout result = collective::layout_of_product(left, right);
  if (a.shape()[rank_of<A> - 1] != b.shape()[0]) {
    throw ShapeError(
        to_string(Failure{.operation = "dot",
                          .problem = "the factors do not have the same extent along the axis that is summed over",
                          .operands = {collective::text_of(left), collective::text_of(right)}}));
  }
  auto own = evaluate(dot(a.local(), b.local(), where));
  using Local = decltype(own);
  constexpr int rank = rank_of<Local>;
  Dim<rank> shape;
  int to = 0;
  if constexpr (rank_of<A> == 2) shape = shape.with(to++, a.shape()[0]);
  if constexpr (rank_of<B> == 2) shape = shape.with(to++, b.shape()[1]);
  std::vector<std::string> collectives;
  collective::add_collectives(collectives, a);
  collective::add_collectives(collectives, b);
  if (!result.sums_parts) return Sharded<Local>(a.group(), shape, result.layout, own, std::move(collectives));
  collective::add_line(collectives, collective::line_of("all_reduce", dtype_of<typename Local::value_type>,
                                                        own.shape().extents(), "dot over the axis that is split"));
  Local all = a.group().all_reduce(own, ReduceOp::sum, where);
  return Sharded<Local>(a.group(), shape, result.layout, all, std::move(collectives));
}

}  // namespace tessera
