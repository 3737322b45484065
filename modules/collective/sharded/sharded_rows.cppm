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

/// f of what each rank has, of the same shape.
template <int... Axis, class X, class F>
auto normalised_alone(const Sharded<X>& x, std::string_view name, const F& f) {
  require_whole_axes<Axis...>(name, x);
  auto own = f(x.local());
  return Sharded<decltype(own)>(x.group(), x.shape(), x.layout(), std::move(own), x.collectives());
}

}  // namespace collective

#define TESSERA_ALONG(named)                                                                                    \
  export template <int... Axis, Operand X>                                                                      \
    requires requires(const X& own) { tessera::named<Axis...>(own); }                                           \
  auto named(const Sharded<X>& x) {                                                                             \
    return collective::normalised_alone<Axis...>(x, #named,                                                     \
                                                 [](const auto& own) { return tessera::named<Axis...>(own); }); \
  }
/// e^x / sum(e^x) along the named axes, without overflow. Nothing is sent: throws ShapeError for an axis that is split; redistribute() first.
TESSERA_ALONG(softmax)
/// x - log(sum(e^x)) along the named axes, without overflow; as softmax().
TESSERA_ALONG(log_softmax)
#undef TESSERA_ALONG

}  // namespace tessera
