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

/// Why `elements += source` is refused whatever the sign.
template <class D, class S>
inline constexpr Why why_not_compound = Why::nothing_is_wrong;
template <Elements D, Source S>
  requires(!WritableElements<std::remove_reference_t<D>>)
inline constexpr Why why_not_compound<D, S> = Why::a_const_array_is_read_only;
template <Elements D, Source S>
  requires WritableElements<std::remove_reference_t<D>> && (!CompoundSource<D, S>)
inline constexpr Why why_not_compound<D, S> =
    rank_of<S> > rank_of<D>             ? Why::the_source_has_more_axes_than_the_array__index_or_reduce_it
    : !ValueFits<S, value_of<D>>        ? Why::the_elements_do_not_fit__write_cast_T
                                        : Why::operands_are_on_different_places__move_one_with_to_place;

// Each throws as assignment to elements does, and returns the array.
#define TESSERA_COMPOUND(sign)                                            \
  export template <Elements D, class S>                                   \
    requires CompoundSource<D, S>                                         \
  D&& operator sign##=(D&& elements, const S& source)                     \
    requires requires { elements sign source; }                           \
  {                                                                       \
    assign(static_cast<const D&>(elements), elements sign source);        \
    return static_cast<D&&>(elements);                                    \
  }                                                                       \
  export template <class D, class S, Why error = why_not_compound<D, S>>  \
    requires(is_wrong(error))                              \
  void operator sign##=(D&&, const S&) = delete;                          \
  export template <Elements D, class S,                                   \
                   Why error = Why::these_elements_have_no_such_operation__write_cast_T> \
    requires CompoundSource<D, S>                                         \
  void operator sign##=(D&&, const S&)                                    \
    requires(!requires(D& elements, const S& source) { elements sign source; }) \
  = delete;
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
