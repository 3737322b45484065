module;
#include <cstddef>
export module tessera.collective:sharded_rows;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :group;
import :layout;
import :sharded;
import :sharded_reductions;

// What needs an axis as a whole, of sharded arrays that are split along another one, or not at all: each rank computes it alone.
namespace tessera {

namespace collective {

/// Throws ShapeError that names the layout if an axis that is asked for is split.
void require_whole_axis(std::string_view operation, const LaidOut& operand, bool is_split);

/// Throws it if an axis of those named, or any, is split.
template <int... Axis, class X>
void require_whole_axes(std::string_view operation, const Sharded<X>& x) {
  bool is_split = false;
  reduced_layout<rank_of<X>, Axis...>(x.layout(), is_split);
  require_whole_axis(operation, {x.layout(), x.shape().extents()}, is_split);
}

/// f of what each rank has, whose result lacks the named axes.
template <int... Axis, class X, class F>
auto reduced_alone(const Sharded<X>& x, std::string_view name, const F& f) {
  require_whole_axes<Axis...>(name, x);
  auto [own, shape, layout, over_ranks] = reduce_own<Axis...>(x, f, 0);
  return Sharded<decltype(own)>(x.group(), shape, layout, own, x.collectives());
}

/// f of what each rank has, of the same shape.
template <int... Axis, class X, class F>
auto normalised_alone(const Sharded<X>& x, std::string_view name, const F& f) {
  require_whole_axes<Axis...>(name, x);
  auto own = f(x.local());
  return Sharded<decltype(own)>(x.group(), x.shape(), x.layout(), std::move(own), x.collectives());
}

}  // namespace collective

#define TESSERA_ALONG(named, how)                                                                             \
  export template <int... Axis, Operand X>                                                                    \
    requires requires(const X& own) { tessera::named<Axis...>(own); }                                         \
  auto named(const Sharded<X>& x) {                                                                           \
    return collective::how<Axis...>(x, #named, [](const auto& own) { return tessera::named<Axis...>(own); }); \
  }
/// Position (int64) of the smallest element along one axis, or of all, as argmin() of arrays. Nothing is sent: throws ShapeError for an axis that is split; redistribute() first.
TESSERA_ALONG(argmin, reduced_alone)
/// Position (int64) of the largest element; as argmin().
TESSERA_ALONG(argmax, reduced_alone)
/// log(sum(e^x)) along the named axes, or of all elements, without overflow; as argmin().
TESSERA_ALONG(logsumexp, reduced_alone)
/// e^x / sum(e^x) along the named axes, without overflow; as argmin().
TESSERA_ALONG(softmax, normalised_alone)
/// x - log(sum(e^x)) along the named axes, without overflow; as argmin().
TESSERA_ALONG(log_softmax, normalised_alone)
#undef TESSERA_ALONG

/// Variance along the named axes, or of all elements, as var() of arrays. Nothing is sent: throws ShapeError for an axis that is split; redistribute() first.
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::var<Axis...>(own); }
auto var(const Sharded<X>& x, Correction correction = {}) {
  return collective::reduced_alone<Axis...>(x, "var",
                                            [=](const auto& own) { return tessera::var<Axis...>(own, correction); });
}
/// Standard deviation: the square root of var().
export template <int... Axis, Operand X>
  requires requires(const X& own) { tessera::stddev<Axis...>(own); }
auto stddev(const Sharded<X>& x, Correction correction = {}) {
  return collective::reduced_alone<Axis...>(x, "stddev",
                                            [=](const auto& own) { return tessera::stddev<Axis...>(own, correction); });
}

}  // namespace tessera
