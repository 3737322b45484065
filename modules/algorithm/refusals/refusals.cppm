module;
#include <cstdint>
export module tessera.algorithm:refusals;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :rows;
import :sort;
import :complex_sort;
import :scan;
import :gather;
import :compress;

// What algorithms say to operands that they do not take: a deleted overload for the usual mistakes of each, as the functions of expressions
// have (expr/refusals.cppm).
namespace tessera {

using core::is_wrong;
using core::Why;

template <int Axis, class O>
inline constexpr Why why_not_sorted = Why::nothing_is_wrong;
template <int Axis, rows::KnownOperand O>
  requires(!SortableOperand<O, Axis> && !SortableComplexOperand<O, Axis>)
inline constexpr Why why_not_sorted<Axis, O> =
    rank_of<O> == 0 ? Why::a_scalar_has_no_axis : Why::an_axis_is_out_of_range_or_named_twice;

template <class O, int... Axis>
inline constexpr Why why_not_scanned = Why::nothing_is_wrong;
template <rows::KnownOperand O, int... Axis>
  requires(!ScannableOperand<O, Axis...>)
inline constexpr Why why_not_scanned<O, Axis...> =
    rank_of<O> == 0                          ? Why::a_scalar_has_no_axis
    : !names_one_axis<rank_of<O>, Axis...>() ? Why::name_the_one_axis__as_in_cumulative_sum_0
                                             : Why::an_axis_is_out_of_range_or_named_twice;

template <class O, class I>
inline constexpr Why why_not_taken = Why::nothing_is_wrong;
template <rows::KnownOperand O, rows::KnownOperand I>
  requires(!TakeOperands<O, I>)
inline constexpr Why why_not_taken<O, I> =
    rank_of<O> == 0 ? Why::a_scalar_has_no_axis : Why::indices_are_a_vector_of_integers;

template <class M, class O>
inline constexpr Why why_not_compressed = Why::nothing_is_wrong;
template <rows::KnownOperand M, rows::KnownOperand O>
  requires(!MaskOperand<M, O>)
inline constexpr Why why_not_compressed<M, O> =
    !std::same_as<value_of<M>, bool> ? Why::a_mask_has_elements_of_bool__write_x_not_equal_0
                                     : Why::a_mask_has_as_many_axes_as_the_elements_that_it_picks;

export template <int Axis = -1, class O, class... Rest, Why error = why_not_sorted<Axis, O>>
  requires(is_wrong(error))
void sort(const O&, const Rest&...) = delete;
export template <int Axis = -1, class O, class... Rest, Why error = why_not_sorted<Axis, O>>
  requires(is_wrong(error))
void argsort(const O&, const Rest&...) = delete;
export template <int... Axis, class O, Why error = why_not_scanned<O, Axis...>>
  requires(is_wrong(error))
void cumulative_sum(const O&) = delete;
export template <int... Axis, class O, Why error = why_not_scanned<O, Axis...>>
  requires(is_wrong(error))
void cumulative_prod(const O&) = delete;
export template <class O, class I, Why error = why_not_taken<O, I>>
  requires(is_wrong(error))
void take(const O&, const I&) = delete;
export template <class M, class O, Why error = why_not_compressed<M, O>>
  requires(is_wrong(error))
void compress(const M&, const O&) = delete;

// The forms that write to an array: the operand is right, the result is not.

template <class A, class T, int Rank>
concept WrongResult = Elements<A> && (!ResultElements<A, T, Rank>);

// clang-format off
export template <int Axis = -1, class A, class O, class... Rest>
  requires SortableOperand<O, Axis> && WrongResult<A, value_of<O>, rank_of<O>>
void sort_into(const A&, const O&, const Rest&...) = delete;  // the result is an array with elements of x's type and x's axes
export template <int Axis = -1, class A, class O, class... Rest>
  requires SortableOperand<O, Axis> && WrongResult<A, std::int64_t, rank_of<O>>
void argsort_into(const A&, const O&, const Rest&...) = delete;  // the result is an array of int64 with x's axes
export template <int... Axis, class A, class O>
  requires ScannableOperand<O, Axis...> && WrongResult<A, scanned_t<value_of<O>>, rank_of<O>>
void cumulative_sum_into(const A&, const O&) = delete;  // the result is an array with x's axes, of 64 bits for integers and bool
export template <int... Axis, class A, class O>
  requires ScannableOperand<O, Axis...> && WrongResult<A, scanned_t<value_of<O>>, rank_of<O>>
void cumulative_prod_into(const A&, const O&) = delete;  // the result is an array with x's axes, of 64 bits for integers and bool
// clang-format on
export template <class R, class O, class I>
  requires TakeOperands<O, I> && WrongResult<R, value_of<O>, rank_of<O>>
void take_into(const R&, const O&, const I&) = delete;  // the result is an array with elements of x's type and x's axes
export template <class A, class M, class O>
  requires MaskOperand<M, O> && WrongResult<A, value_of<O>, 1>
void compress_into(const A&, const M&, const O&) = delete;  // the result is a vector with elements of x's type

}  // namespace tessera
