export module tessera.array:compound;
import tessera.standard;
import tessera.core;
import :assigned;
import :concepts;

// Compound assignment: `a += x` evaluates `a + x` into the elements, broadcast to a's shape, for every name that shares them.
namespace tessera {

using core::is_wrong;
using core::Why;

/// Elements of `D` that take what an operation on them and S gives.
template <class D, class S>
concept CompoundSource =
    WritableElements<std::remove_reference_t<D>> &&
    AssignableSource<std::remove_cvref_t<S>, typename std::remove_cvref_t<D>::value_type, rank_of<D>, place_of<D>>;

/// Why `elements += source` is refused whatever the sign.
template <class D, class S>
inline constexpr Why why_not_compound = Why::nothing_is_wrong;
template <Elements D, Source S>
  requires(!WritableElements<std::remove_reference_t<D>>)
inline constexpr Why why_not_compound<D, S> = Why::a_const_array_is_read_only;
template <Elements D, Source S>
  requires WritableElements<std::remove_reference_t<D>> && (!CompoundSource<D, S>)
inline constexpr Why why_not_compound<D, S> =
    rank_of<S> > rank_of<D>      ? Why::the_source_has_more_axes_than_the_array__index_or_reduce_it
    : !ValueFits<S, value_of<D>> ? Why::the_elements_do_not_fit__write_cast_T
                                 : Why::operands_are_on_different_places__move_one_with_to_place;

// clang-format off
#define TESSERA_EACH_SIGN(of) \
  of(+, CompoundSum) \
  of(-, CompoundDifference) \
  of(*, CompoundProduct) \
  of(/, CompoundQuotient) \
  of(%, CompoundRemainder) \
  of(&, CompoundAnd) \
  of(|, CompoundOr) \
  of(^, CompoundExclusiveOr) \
  of(<<, CompoundLeftShift) \
  of(>>, CompoundRightShift)
// clang-format on

/// `elements sign= source`.
#define TESSERA_COMPOUND(sign, Name)                                                                     \
  template <class D>                                                                                     \
  struct Name {                                                                                          \
    template <class S>                                                                                   \
    static constexpr bool takes =                                                                        \
        CompoundSource<D&, S> && requires(const D& elements, const S& source) { elements sign source; }; \
    template <class S>                                                                                   \
    [[gnu::always_inline]] static void perform(const D& elements, const S& source) {                     \
      assign(elements, elements sign source);                                                            \
    }                                                                                                    \
  };
TESSERA_EACH_SIGN(TESSERA_COMPOUND)
#undef TESSERA_COMPOUND

/// Writes the result of the operation on each element and the source, broadcast to the array's shape, for every name that shares the elements;
/// returns the array. Throws as assignment to elements does: ShapeError, PlaceError, DeviceError, OutOfMemory.
// clang-format off
#define TESSERA_COMPOUND(sign, Name)                                                                          \
  export template <Elements D>                                                                                \
    requires WritableElements<std::remove_reference_t<D>>                                                     \
  [[gnu::always_inline]] inline D&& operator sign##=(                                                         \
      D&& elements, Assigned<const std::remove_cvref_t<D>, Name<std::remove_cvref_t<D>>> source) {            \
    source.to(elements);                                                                                      \
    return static_cast<D&&>(elements);                                                                        \
  }
TESSERA_EACH_SIGN(TESSERA_COMPOUND)
#undef TESSERA_COMPOUND
// clang-format on

// The usual mistakes, each with its sentence.
// clang-format off
#define TESSERA_COMPOUND(sign, Name)                                                          \
  export template <class D, class S, Why error = why_not_compound<D, S>>                  \
    requires(is_wrong(error))                                                             \
  void operator sign##=(D&&, const S&) = delete;                                          \
  export template <Elements D, class S,                                                   \
                   Why error = Why::these_elements_have_no_such_operation__write_cast_T>  \
    requires CompoundSource<D, S>                                                         \
  void operator sign##=(D&&, const S&)                                                    \
    requires(!requires(D& elements, const S& source) { elements sign source; })           \
  = delete;
// clang-format on
TESSERA_EACH_SIGN(TESSERA_COMPOUND)
#undef TESSERA_COMPOUND
#undef TESSERA_EACH_SIGN

}  // namespace tessera
