module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:sharded_statistics;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :pieces;
import :reduce_op;
import :group;
import :layout;
import :sharded;
import :shard_map;
import :sharded_operators;
import :sharded_elementwise;
import :sharded_reductions;

// Reductions of sharded arrays that take two exchanges where the ranks share what is reduced: what all must know first, and then the rest.
namespace tessera {

namespace collective {

/// Row-major positions in the part that this rank has of `whole` indices along an axis, as positions in all of it; `inner` elements stand behind one index.
template <class Positions>
auto global_positions(const Positions& own, const Part& part, std::ptrdiff_t whole, std::ptrdiff_t inner) {
  const auto row = static_cast<std::int64_t>(part.extent), begin = static_cast<std::int64_t>(part.begin);
  const auto behind = static_cast<std::int64_t>(inner), all = static_cast<std::int64_t>(whole);
  return floor_divide(own, row * behind) * (all * behind) + (floor_divide(own, behind) % row + begin) * behind +
         own % behind;
}

/// The position of the first of the values that are the smallest, or largest, of all ranks. A rank without elements has `otherwise` as value.
template <int... Axis, class X, class F, class G, class T>
auto position_of_best(const Sharded<X>& x, ReduceOp op, std::string_view name, const F& position, const G& value,
                      T otherwise, const std::source_location& where) {
  const auto [own, shape, layout, over_ranks] = reduce_own<Axis...>(x, position, 0);
  using Local = std::remove_cvref_t<decltype(own)>;
  std::vector<std::string> collectives = x.collectives();
  if (!over_ranks) return Sharded<Local>(x.group(), shape, layout, own, std::move(collectives));
  const int axis = x.layout().axis();
  const std::ptrdiff_t whole = x.shape()[axis];
  const Part part = part_of_rank(whole, x.group().size(), x.group().rank());
  std::ptrdiff_t inner = 1;
  for (int behind = axis + 1; behind < rank_of<X> && sizeof...(Axis) == 0; ++behind) inner *= x.shape()[behind];
  const std::string why = std::string(name) + " along the axis that is split";
  const auto values = reduce_own<Axis...>(x, value, otherwise).own;
  const auto best = all_reduced(x.group(), values, op, "the values of " + why, collectives, where);
  constexpr std::int64_t none_here = std::numeric_limits<std::int64_t>::max();
  Local candidates = full<std::int64_t>(shape, none_here);
  if (part.extent > 0) {
    const auto positions = global_positions(own, part, whole, inner);
    if constexpr (Floating<T>) {
      candidates = tessera::where((values == best) | (isnan(values) & isnan(best)), positions, none_here);
    } else {
      candidates = tessera::where(values == best, positions, none_here);
    }
  }
  const Local first = all_reduced(x.group(), candidates, ReduceOp::min, why, collectives, where);
  return Sharded<Local>(x.group(), shape, layout, first, std::move(collectives));
}

/// The squared distance of numbers from 0.
template <class X>
auto squared_size(const X& x) {
  if constexpr (Complex<value_of<X>>) {
    return square(real(x)) + square(imag(x));
  } else {
    return square(x);
  }
}

}  // namespace collective

/// Position (int64) of the smallest element along one axis, or of all, as argmin() of arrays. Along the axis that is split the ranks exchange their smallest
/// elements, and then the first position that has the smallest of these.
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::argmin<Axis...>(own); }
auto argmin(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  if constexpr (std::same_as<value_of<X>, bool>) {
    return argmin<Axis...>(cast<std::uint8_t>(x), where);
  } else {
    return collective::position_of_best<Axis...>(
        x, ReduceOp::min, "argmin", [](const auto& own) { return tessera::argmin<Axis...>(own); },
        [](const auto& own) { return min<Axis...>(own); }, collective::highest_of<value_of<X>>(), where);
  }
}
/// Position (int64) of the largest element; as argmin().
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::argmax<Axis...>(own); }
auto argmax(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  if constexpr (std::same_as<value_of<X>, bool>) {
    return argmax<Axis...>(cast<std::uint8_t>(x), where);
  } else {
    return collective::position_of_best<Axis...>(
        x, ReduceOp::max, "argmax", [](const auto& own) { return tessera::argmax<Axis...>(own); },
        [](const auto& own) { return max<Axis...>(own); }, collective::lowest_of<value_of<X>>(), where);
  }
}

/// log(sum(e^x)) along the named axes, or of all elements, without overflow. Over the axis that is split the ranks exchange the largest of their results first, and
/// then the sum in its measure.
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::logsumexp<Axis...>(own); }
auto logsumexp(const Sharded<X>& x, const std::source_location& where = std::source_location::current()) {
  using T = value_of<X>;
  const auto f = [](const auto& own) { return tessera::logsumexp<Axis...>(own); };
  if constexpr (!std::same_as<T, compute_t<T>>) {
    return Sharded<Array<T, rank_of<decltype(f(x.local()))>>>(
        cast<T>(logsumexp<Axis...>(cast<compute_t<T>>(x), where)));
  } else {
    const auto [own, shape, layout, over_ranks] =
        collective::reduce_own<Axis...>(x, f, collective::lowest_of<value_of<X>>());
    using Local = std::remove_cvref_t<decltype(own)>;
    std::vector<std::string> collectives = x.collectives();
    if (!over_ranks) return Sharded<Local>(x.group(), shape, layout, own, std::move(collectives));
    const Local largest = collective::all_reduced(
        x.group(), own, ReduceOp::max, "the largest logsumexp along the axis that is split", collectives, where);
    const Local measure = tessera::where(isfinite(largest), largest, T(0));
    const Local sums = collective::all_reduced(x.group(), Local(exp(own - measure)), ReduceOp::sum,
                                               "sums of exponentials along the axis that is split", collectives, where);
    return Sharded<Local>(x.group(), shape, layout, Local(measure + log(sums)), std::move(collectives));
  }
}

/// Variance along the named axes, or of all elements, as var() of arrays. Over the axis that is split the ranks exchange their sums first, and then the squared
/// distances from the mean. Throws ShapeError over an empty axis.
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::var<Axis...>(own); }
auto var(const Sharded<X>& x, Correction correction = {},
         const std::source_location& where = std::source_location::current()) {
  using T = value_of<X>;
  if constexpr (!Complex<T> && !Floating<T>) {
    return var<Axis...>(cast<double>(x), correction, where);
  } else if constexpr (!std::same_as<T, compute_t<T>>) {
    using Result = Array<T, rank_of<decltype(tessera::var<Axis...>(x.local()))>>;
    return Sharded<Result>(cast<T>(var<Axis...>(cast<compute_t<T>>(x), correction, where)));
  } else {
    const auto f = [](const auto& own) { return tessera::var<Axis...>(own, Correction{}); };
    using Local = decltype(evaluate(f(x.local())));
    using Real = value_of<Local>;
    std::vector<std::string> collectives = x.collectives();
    const std::ptrdiff_t count = collective::reduced_count<Axis...>(x.shape());
    if (count == 0) evaluate(f(x.local()));  // which says so
    bool over_ranks = false;
    collective::reduced_layout<rank_of<X>, Axis...>(x.layout(), over_ranks);
    if (!over_ranks) {
      const auto [own, shape, layout, unused] = collective::reduce_own<Axis...>(
          x, [=](const auto& part) { return tessera::var<Axis...>(part, correction); }, 0);
      return Sharded<Local>(x.group(), shape, layout, own, std::move(collectives));
    }
    const auto here = static_cast<Real>(collective::reduced_count<Axis...>(x.local().shape()));
    const auto means =
        collective::reduce_own<Axis...>(x, [](const auto& own) { return tessera::mean<Axis...>(own); }, 0).own;
    using Means = std::remove_cvref_t<decltype(means)>;
    const Means total = collective::all_reduced(x.group(), Means(means * here), ReduceOp::sum,
                                                "sums along the axis that is split", collectives, where);
    const Means centre = total / static_cast<Real>(count);
    const auto [own, shape, layout, unused] = collective::reduce_own<Axis...>(x, f, 0);
    const Local squares = collective::all_reduced(
        x.group(), Local((own + collective::squared_size(means - centre)) * here), ReduceOp::sum,
        "squared distances from the mean along the axis that is split", collectives, where);
    const double left = static_cast<double>(count) - correction.value;
    return Sharded<Local>(x.group(), shape, layout, Local(squares / static_cast<Real>(left > 0 ? left : 0)),
                          std::move(collectives));
  }
}
/// Standard deviation: the square root of var().
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::stddev<Axis...>(own); }
auto stddev(const Sharded<X>& x, Correction correction = {},
            const std::source_location& where = std::source_location::current()) {
  using T = value_of<X>;
  const auto f = [=](const auto& own) { return tessera::stddev<Axis...>(own, correction); };
  using Local = decltype(evaluate(f(x.local())));
  bool over_ranks = false;
  collective::reduced_layout<rank_of<X>, Axis...>(x.layout(), over_ranks);
  if (!over_ranks) {
    const auto [own, shape, layout, unused] = collective::reduce_own<Axis...>(x, f, 0);
    return Sharded<Local>(x.group(), shape, layout, own, x.collectives());
  }
  if constexpr (Floating<T> && !std::same_as<T, compute_t<T>>) {
    return Sharded<Local>(cast<T>(stddev<Axis...>(cast<compute_t<T>>(x), correction, where)));
  } else {
    return Sharded<Local>(sqrt(var<Axis...>(x, correction, where)));
  }
}

#define TESSERA_KEEPING(named)                                                      \
  export template <int... Axis, Operand X>                                          \
    requires requires(const Sharded<X>& x) { named<Axis...>(x); }                   \
  auto named(const Sharded<X>& x, collective::KeepDims,                             \
             const std::source_location& where = std::source_location::current()) { \
    return collective::kept<Axis...>(x, named<Axis...>(x, where));                  \
  }
/// argmin() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(argmin)
/// argmax() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(argmax)
/// logsumexp() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(logsumexp)
#undef TESSERA_KEEPING

#define TESSERA_KEEPING(named)                                                      \
  export template <int... Axis, Operand X>                                          \
    requires requires(const Sharded<X>& x) { named<Axis...>(x); }                   \
  auto named(const Sharded<X>& x, collective::KeepDims, Correction correction = {}, \
             const std::source_location& where = std::source_location::current()) { \
    return collective::kept<Axis...>(x, named<Axis...>(x, correction, where));      \
  }
/// var() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(var)
/// stddev() whose result keeps the reduced axes with extent 1.
TESSERA_KEEPING(stddev)
#undef TESSERA_KEEPING

}  // namespace tessera
