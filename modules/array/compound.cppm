export module tessera.array:compound;
import tessera.standard;
import tessera.core;
import :concepts;

// Compound assignment: `a += x` evaluates `a + x` into the elements, broadcast to a's shape, for every name that shares them.
namespace tessera {

/// Elements of `D` that take what an operation on them and S gives.
template <class D, class S>
concept CompoundSource = WritableElements<std::remove_reference_t<D>> &&
                         AssignableSource<std::remove_cvref_t<S>, typename std::remove_cvref_t<D>::value_type,
                                          rank_of<D>, place_of<D>>;

// Each throws as assignment to elements does, and returns the array.
#define TESSERA_COMPOUND(sign)                                            \
  export template <Elements D, class S>                                   \
    requires CompoundSource<D, S>                                         \
  D&& operator sign##=(D&& elements, const S& source)                     \
    requires requires { elements sign source; }                           \
  {                                                                       \
    assign(static_cast<const D&>(elements), elements sign source);        \
    return static_cast<D&&>(elements);                                    \
  }
TESSERA_COMPOUND(+)
TESSERA_COMPOUND(-)
TESSERA_COMPOUND(*)
TESSERA_COMPOUND(/)
TESSERA_COMPOUND(%)
TESSERA_COMPOUND(&)
TESSERA_COMPOUND(|)
TESSERA_COMPOUND(^)
TESSERA_COMPOUND(<<)
TESSERA_COMPOUND(>>)
#undef TESSERA_COMPOUND

}  // namespace tessera
