module;
#include <cstddef>
export module tessera.collective:sharded_reductions;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :reduce_op;
import :group;
import :layout;
import :sharded;
import :shard_map;
import :sharded_operators;
import :sharded_elementwise;

// Reductions of sharded arrays, over the ranks where they share what is reduced.
namespace tessera {

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

/// What f makes of this rank's part, and how the results lie.
template <class Local>
struct OwnResult {
  Local own;
  Dim<rank_of<Local>> shape;
  ShardLayout layout;
  bool over_ranks;  // the results of all ranks are to become one
};

/// Reduces what this rank has; `otherwise` is the result of a rank that has nothing.
template <int... Axis, class X, class F, class T>
auto reduce_own(const Sharded<X>& x, const F& f, T otherwise) {
  using Local = decltype(evaluate(f(x.local())));
  bool over_ranks = false;
  const ShardLayout layout = reduced_layout<rank_of<X>, Axis...>(x.layout(), over_ranks);
  Dim<rank_of<Local>> shape;
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
  return OwnResult<Local>{std::move(own), shape, layout, over_ranks};
}

/// The group's results, all of them on every rank; the collective is one of `collectives`.
template <class A>
A all_reduced(const Group& group, const A& own, ReduceOp op, const std::string& why,
              std::vector<std::string>& collectives, const std::source_location& where) {
  add_line(collectives, line_of("all_reduce", dtype_of<value_of<A>>, own.shape().extents(), why));
  return group.all_reduce(own, op, where);
}

/// Reduces what this rank has, and over the ranks where they share what is reduced; `otherwise` is the result of a rank that has nothing.
template <int... Axis, class X, class F, class T>
auto reduced(const Sharded<X>& x, ReduceOp op, std::string_view name, const F& f, T otherwise,
             const std::source_location& where) {
  auto [own, shape, layout, over_ranks] = reduce_own<Axis...>(x, f, otherwise);
  std::vector<std::string> collectives = x.collectives();
  if (over_ranks)
    own = all_reduced(x.group(), own, op, std::string(name) + " along the axis that is split", collectives, where);
  return Sharded<decltype(own)>(x.group(), shape, layout, own, std::move(collectives));
}

using KeepDims = std::remove_cvref_t<decltype(keepdims)>;

/// The same result with the reduced axes, of extent 1.
template <int... Axis, class X, class R>
auto kept(const Sharded<X>& x, const R& reduced) {
  using T = value_of<std::remove_cvref_t<decltype(reduced.local())>>;
  Dim<rank_of<X>> own = x.local().shape(), whole = x.shape();
  for (int axis = 0; axis < rank_of<X>; ++axis) {
    bool is_reduced = false;
    reduced_layout<rank_of<X>, Axis...>(ShardLayout::split(axis), is_reduced);
    if (!is_reduced) continue;
    own = own.with(axis, 1);
    whole = whole.with(axis, 1);
  }
  bool over_ranks = false;
  reduced_layout<rank_of<X>, Axis...>(x.layout(), over_ranks);
  const ShardLayout layout = over_ranks ? ShardLayout::replicated() : x.layout();
  return Sharded<Array<T, rank_of<X>>>(
      x.group(), whole, layout, Array<T, rank_of<X>>(reshape(evaluate(reduced.local()), own)), reduced.collectives());
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
    return cast<T>(mean<Axis...>(cast<compute_t<T>>(x), where));
  } else {
    const std::ptrdiff_t count = collective::reduced_count<Axis...>(x.shape());
    if (count == 0) evaluate(mean<Axis...>(x.local()));  // which says so
    return sum<Axis...>(x, where) / static_cast<T>(count);
  }
}

/// Whether all elements are true (other than 0), along the named axes or of all. As sum(), over the axis that is split.
export template <int... Axis, Operand X>
auto all_of(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::all, "all_of", [](const auto& own) { return all_of<Axis...>(own); }, true, where);
}
/// Whether any element is true (other than 0); as all_of().
export template <int... Axis, Operand X>
auto any_of(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  return collective::reduced<Axis...>(
      x, ReduceOp::any, "any_of", [](const auto& own) { return any_of<Axis...>(own); }, false, where);
}

/// The Euclidean norm along the named axes, or of all elements, without overflow between; of complex elements in the type of their parts. Over the axis that is split
/// the ranks exchange the largest of their norms first, and then the sum of squares in its measure.
export template <int... Axis, Operand X>
  requires(Floating<value_of<X>> || Complex<value_of<X>>)
auto norm(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  using T = value_of<decltype(norm(x.local()))>;
  const auto f = [](const auto& own) { return norm<Axis...>(own); };
  if constexpr (!std::same_as<T, compute_t<T>>) {
    return Sharded<Array<T, rank_of<decltype(f(x.local()))>>>(cast<T>(norm<Axis...>(cast<compute_t<T>>(x), where)));
  } else {
    const auto [own, shape, layout, over_ranks] = collective::reduce_own<Axis...>(x, f, 0);
    using Local = std::remove_cvref_t<decltype(own)>;
    std::vector<std::string> collectives = x.collectives();
    if (!over_ranks) return Sharded<Local>(x.group(), shape, layout, own, std::move(collectives));
    const Local largest = collective::all_reduced(x.group(), own, ReduceOp::max,
                                                  "the largest norm along the axis that is split", collectives, where);
    const Local measure = tessera::where(isfinite(largest) & (largest > T(0)), largest, T(1));
    const Local squares = collective::all_reduced(x.group(), Local(square(own / measure)), ReduceOp::sum,
                                                  "squares of norms along the axis that is split", collectives, where);
    return Sharded<Local>(x.group(), shape, layout, Local(measure * sqrt(squares)), std::move(collectives));
  }
}

#define TESSERA_KEEPING(named)                                                      \
  export template <int... Axis, Operand X>                                          \
    requires requires(const Sharded<X>& x) { named<Axis...>(x); }                   \
  auto named(const Sharded<X>& x, collective::KeepDims,                             \
             const std::source_location& where = std::source_location::current()) { \
    return collective::kept<Axis...>(x, named<Axis...>(x, where));                  \
  }
/// sum() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(sum)
/// prod() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(prod)
/// min() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(min)
/// max() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(max)
/// mean() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(mean)
/// all_of() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(all_of)
/// any_of() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(any_of)
/// norm() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(norm)
#undef TESSERA_KEEPING

}  // namespace tessera
