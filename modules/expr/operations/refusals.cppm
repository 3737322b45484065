export module tessera.expr:refusals;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operand_concepts;
import :operators;
import :functions;
import :select;
import :user_op;
import :joining;
import :reduction;
import :statistics;
import :axis;
import :dot;

// What functions say to operands that they do not take. Each has a deleted overload for its usual mistakes, which is the first candidate that
// the compiler prints, with the reason as template argument `error`: the sentence is in the first five lines of a message that may have
// hundreds. The constraints of the functions themselves and of these overloads exclude each other. A new function needs a line below.
namespace tessera {

using core::is_wrong;
using core::Why;

/// Two sources of which one makes the operation ours. What has rank 0 on both sides converts to values, which C++ has operators for.
template <class L, class R>
concept Pair = Source<L> && Source<R> && (rank_of<L> > 0 || rank_of<R> > 0);

template <class L, class R>
concept WithCommonValue = requires { typename common_value_t<L, R>; };

// Why an operation does not take two operands. Only pairs that are refused are looked at: the answer for others is known without.

template <class L, class R>
inline constexpr Why why_not_combined = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!Combinable<L, R>)
inline constexpr Why why_not_combined<L, R> =
    WithCommonValue<L, R> ? Why::operands_are_on_different_places__move_one_with_to_place
                          : Why::no_common_element_type__write_cast_T;

/// The reason for which the operands do not meet, or else what is asked for beside that.
template <class L, class R>
constexpr Why first_of(Why asked) {
  return is_wrong(why_not_combined<L, R>) ? why_not_combined<L, R> : asked;
}

template <class L, class R>
inline constexpr Why why_not_arithmetic = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!ArithmeticOperands<L, R>)
inline constexpr Why why_not_arithmetic<L, R> = first_of<L, R>(Why::bool_has_no_arithmetic__write_cast_T);

template <class L, class R>
inline constexpr Why why_not_real = why_not_arithmetic<L, R>;
template <class L, class R>
  requires ArithmeticOperands<L, R> && (!RealOperands<L, R>)
inline constexpr Why why_not_real<L, R> = Why::complex_numbers_have_no_order__compare_abs;

template <class L, class R>
inline constexpr Why why_not_ordered = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!OrderedOperands<L, R>)
inline constexpr Why why_not_ordered<L, R> = first_of<L, R>(Why::complex_numbers_have_no_order__compare_abs);

template <class L, class R>
inline constexpr Why why_not_floating = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!FloatingOperands<L, R>)
inline constexpr Why why_not_floating<L, R> = first_of<L, R>(Why::it_takes_floating_elements__write_cast_float);

template <class L, class R>
inline constexpr Why why_not_integers = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!IntegerOperands<L, R>)
inline constexpr Why why_not_integers<L, R> = first_of<L, R>(Why::it_takes_integers__write_cast_int);

template <class L, class R>
inline constexpr Why why_not_bits = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!BitOperands<L, R>)
inline constexpr Why why_not_bits<L, R> = first_of<L, R>(Why::operations_on_bits_take_integers_or_bool);

template <class L, class R>
inline constexpr Why why_not_logic = Why::nothing_is_wrong;
template <class L, class R>
  requires Pair<L, R> && (!BoolOperands<L, R>)
inline constexpr Why why_not_logic<L, R> = first_of<L, R>(Why::logic_takes_bool__write_x_not_equal_0__or_bitwise_and);

#define TESSERA_REFUSE_TWO(function, why)                   \
  export template <class L, class R, Why error = why<L, R>> \
    requires(is_wrong(error))                               \
  void function(const L&, const R&) = delete;
TESSERA_REFUSE_TWO(operator+, why_not_arithmetic)
TESSERA_REFUSE_TWO(operator-, why_not_arithmetic)
TESSERA_REFUSE_TWO(operator*, why_not_arithmetic)
TESSERA_REFUSE_TWO(operator/, why_not_arithmetic)
TESSERA_REFUSE_TWO(operator%, why_not_integers)
TESSERA_REFUSE_TWO(operator&, why_not_bits)
TESSERA_REFUSE_TWO(operator|, why_not_bits)
TESSERA_REFUSE_TWO(operator^, why_not_bits)
TESSERA_REFUSE_TWO(operator<<, why_not_integers)
TESSERA_REFUSE_TWO(operator>>, why_not_integers)
TESSERA_REFUSE_TWO(operator==, why_not_combined)
TESSERA_REFUSE_TWO(operator!=, why_not_combined)
TESSERA_REFUSE_TWO(operator<, why_not_ordered)
TESSERA_REFUSE_TWO(operator<=, why_not_ordered)
TESSERA_REFUSE_TWO(operator>, why_not_ordered)
TESSERA_REFUSE_TWO(operator>=, why_not_ordered)
TESSERA_REFUSE_TWO(add, why_not_arithmetic)
TESSERA_REFUSE_TWO(subtract, why_not_arithmetic)
TESSERA_REFUSE_TWO(multiply, why_not_arithmetic)
TESSERA_REFUSE_TWO(divide, why_not_arithmetic)
TESSERA_REFUSE_TWO(floor_divide, why_not_real)
TESSERA_REFUSE_TWO(remainder, why_not_real)
TESSERA_REFUSE_TWO(pow, why_not_arithmetic)
TESSERA_REFUSE_TWO(maximum, why_not_real)
TESSERA_REFUSE_TWO(minimum, why_not_real)
TESSERA_REFUSE_TWO(copysign, why_not_floating)
TESSERA_REFUSE_TWO(nextafter, why_not_floating)
TESSERA_REFUSE_TWO(logaddexp, why_not_floating)
TESSERA_REFUSE_TWO(atan2, why_not_floating)
TESSERA_REFUSE_TWO(hypot, why_not_floating)
TESSERA_REFUSE_TWO(leaky_relu, why_not_floating)
TESSERA_REFUSE_TWO(equal, why_not_combined)
TESSERA_REFUSE_TWO(not_equal, why_not_combined)
TESSERA_REFUSE_TWO(less, why_not_ordered)
TESSERA_REFUSE_TWO(less_equal, why_not_ordered)
TESSERA_REFUSE_TWO(greater, why_not_ordered)
TESSERA_REFUSE_TWO(greater_equal, why_not_ordered)
TESSERA_REFUSE_TWO(bitwise_and, why_not_bits)
TESSERA_REFUSE_TWO(bitwise_or, why_not_bits)
TESSERA_REFUSE_TWO(bitwise_xor, why_not_bits)
TESSERA_REFUSE_TWO(bitwise_left_shift, why_not_integers)
TESSERA_REFUSE_TWO(bitwise_right_shift, why_not_integers)
TESSERA_REFUSE_TWO(logical_and, why_not_logic)
TESSERA_REFUSE_TWO(logical_or, why_not_logic)
TESSERA_REFUSE_TWO(logical_xor, why_not_logic)
#undef TESSERA_REFUSE_TWO

/// What has rank 0 converts to its value, which C++ has functions for.
template <class O>
concept WithAxes = Operand<O> && (rank_of<O> > 0);

template <class O>
inline constexpr Why why_not_numbers = Why::nothing_is_wrong;
template <WithAxes O>
  requires(!NumericOperand<O>)
inline constexpr Why why_not_numbers<O> = Why::bool_has_no_arithmetic__write_cast_T;

template <class O>
inline constexpr Why why_not_real_numbers = why_not_numbers<O>;
template <WithAxes O>
  requires NumericOperand<O> && (!RealOperand<O>)
inline constexpr Why why_not_real_numbers<O> = Why::complex_numbers_have_no_order__compare_abs;

template <class O>
inline constexpr Why why_not_floats = Why::nothing_is_wrong;
template <WithAxes O>
  requires(!FloatingOperand<O>)
inline constexpr Why why_not_floats<O> = Why::it_takes_floating_elements__write_cast_float;

template <class O>
inline constexpr Why why_not_inexact = Why::nothing_is_wrong;
template <WithAxes O>
  requires(!InexactOperand<O>)
inline constexpr Why why_not_inexact<O> = Why::it_takes_floating_or_complex_elements__write_cast_float;

template <class O>
inline constexpr Why why_not_bit_pattern = why_not_bits<O, O>;
template <class O>
inline constexpr Why why_not_truth = why_not_logic<O, O>;

#define TESSERA_REFUSE(function, why)           \
  export template <class O, Why error = why<O>> \
    requires(is_wrong(error))                   \
  void function(const O&) = delete;
TESSERA_REFUSE(operator-, why_not_numbers)
TESSERA_REFUSE(operator+, why_not_numbers)
TESSERA_REFUSE(operator~, why_not_bit_pattern)
TESSERA_REFUSE(operator!, why_not_truth)
TESSERA_REFUSE(negative, why_not_numbers)
TESSERA_REFUSE(positive, why_not_numbers)
TESSERA_REFUSE(bitwise_invert, why_not_bit_pattern)
TESSERA_REFUSE(logical_not, why_not_truth)
TESSERA_REFUSE(abs, why_not_numbers)
TESSERA_REFUSE(sign, why_not_numbers)
TESSERA_REFUSE(square, why_not_numbers)
TESSERA_REFUSE(reciprocal, why_not_inexact)
TESSERA_REFUSE(exp, why_not_inexact)
TESSERA_REFUSE(expm1, why_not_inexact)
TESSERA_REFUSE(exp2, why_not_floats)
TESSERA_REFUSE(log, why_not_inexact)
TESSERA_REFUSE(log1p, why_not_inexact)
TESSERA_REFUSE(log2, why_not_inexact)
TESSERA_REFUSE(log10, why_not_inexact)
TESSERA_REFUSE(sqrt, why_not_inexact)
TESSERA_REFUSE(rsqrt, why_not_floats)
TESSERA_REFUSE(cbrt, why_not_floats)
TESSERA_REFUSE(sin, why_not_inexact)
TESSERA_REFUSE(cos, why_not_inexact)
TESSERA_REFUSE(tan, why_not_inexact)
TESSERA_REFUSE(asin, why_not_inexact)
TESSERA_REFUSE(acos, why_not_inexact)
TESSERA_REFUSE(atan, why_not_inexact)
TESSERA_REFUSE(sinh, why_not_inexact)
TESSERA_REFUSE(cosh, why_not_inexact)
TESSERA_REFUSE(tanh, why_not_inexact)
TESSERA_REFUSE(asinh, why_not_inexact)
TESSERA_REFUSE(acosh, why_not_inexact)
TESSERA_REFUSE(atanh, why_not_inexact)
TESSERA_REFUSE(degrees, why_not_floats)
TESSERA_REFUSE(radians, why_not_floats)
TESSERA_REFUSE(floor, why_not_real_numbers)
TESSERA_REFUSE(ceil, why_not_real_numbers)
TESSERA_REFUSE(trunc, why_not_real_numbers)
TESSERA_REFUSE(round, why_not_numbers)
TESSERA_REFUSE(isnan, why_not_numbers)
TESSERA_REFUSE(isfinite, why_not_numbers)
TESSERA_REFUSE(isinf, why_not_numbers)
TESSERA_REFUSE(signbit, why_not_real_numbers)
TESSERA_REFUSE(real, why_not_numbers)
TESSERA_REFUSE(imag, why_not_numbers)
TESSERA_REFUSE(conj, why_not_numbers)
TESSERA_REFUSE(angle, why_not_inexact)
TESSERA_REFUSE(erf, why_not_floats)
TESSERA_REFUSE(erfc, why_not_floats)
TESSERA_REFUSE(lgamma, why_not_floats)
TESSERA_REFUSE(sigmoid, why_not_floats)
TESSERA_REFUSE(relu, why_not_real_numbers)
TESSERA_REFUSE(leaky_relu, why_not_floats)
TESSERA_REFUSE(softplus, why_not_floats)
TESSERA_REFUSE(silu, why_not_floats)
TESSERA_REFUSE(gelu, why_not_floats)
#undef TESSERA_REFUSE

// Reductions: `Axes` is the AxisList of the axes that are named, and Rest what stands behind the operand.

template <class Axes, class O, class... Rest>
inline constexpr Why why_not_axes = Why::nothing_is_wrong;
template <int... Axis, Operand O, class... Rest>
  requires(!ReducibleAxes<O, Axis...>)
inline constexpr Why why_not_axes<AxisList<Axis...>, O, Rest...> = Why::an_axis_is_out_of_range_or_named_twice;
template <int... Axis, class O, int... Named, class... Rest>
inline constexpr Why why_not_axes<AxisList<Axis...>, O, AxisList<Named...>, Rest...> =
    why_not_axes<AxisList<Axis..., Named...>, O, Rest...>;

template <class Axes, class O, class... Rest>
inline constexpr Why why_not_order = why_not_axes<Axes, O, Rest...>;
template <class Axes, Operand O, class... Rest>
  requires(!OrderedOperand<O>)
inline constexpr Why why_not_order<Axes, O, Rest...> = Why::complex_numbers_have_no_order__compare_abs;

template <class Axes, class O, class... Rest>
inline constexpr Why why_not_position = why_not_order<Axes, O, Rest...>;
template <int First, int Second, int... Axis, OrderedOperand O, class... Rest>
inline constexpr Why why_not_position<AxisList<First, Second, Axis...>, O, Rest...> =
    Why::a_position_is_along_one_axis_or_among_all_elements;
template <OrderedOperand O, int First, int Second, int... Axis, class... Rest>
inline constexpr Why why_not_position<AxisList<>, O, AxisList<First, Second, Axis...>, Rest...> =
    Why::a_position_is_along_one_axis_or_among_all_elements;

template <class Axes, class O, class... Rest>
inline constexpr Why why_not_floating_axes = why_not_axes<Axes, O, Rest...>;
template <class Axes, Operand O, class... Rest>
  requires(!FloatingOperand<O>)
inline constexpr Why why_not_floating_axes<Axes, O, Rest...> = Why::it_takes_floating_elements__write_cast_float;

template <class Axes, class O, class... Rest>
inline constexpr Why why_not_averaged_axes = why_not_axes<Axes, O, Rest...>;
template <class Axes, Operand O, class... Rest>
  requires(!AveragedOperand<O>)
inline constexpr Why why_not_averaged_axes<Axes, O, Rest...> =
    Why::it_takes_floating_or_complex_elements__write_cast_float;

/// max(a, b) of two operands, or of an operand and a number that is no axis.
template <class Axes, class O, class... Rest>
inline constexpr Why why_not_extreme = why_not_order<Axes, O, Rest...>;
template <class L, class R>
  requires Pair<L, R> && (!(Operand<L> && std::integral<R>))
inline constexpr Why why_not_extreme<AxisList<>, L, R> = Why::elements_of_a_pair_are_compared_by_maximum_and_minimum;

#define TESSERA_REFUSE_AXES(function, why)                                                              \
  export template <int... Axis, class O, class... Rest, Why error = why<AxisList<Axis...>, O, Rest...>> \
    requires(is_wrong(error))                                                                           \
  void function(const O&, const Rest&...) = delete;
TESSERA_REFUSE_AXES(sum, why_not_axes)
TESSERA_REFUSE_AXES(prod, why_not_axes)
TESSERA_REFUSE_AXES(min, why_not_extreme)
TESSERA_REFUSE_AXES(max, why_not_extreme)
TESSERA_REFUSE_AXES(any, why_not_axes)
TESSERA_REFUSE_AXES(any_of, why_not_axes)
TESSERA_REFUSE_AXES(all_of, why_not_axes)
TESSERA_REFUSE_AXES(count_nonzero, why_not_axes)
TESSERA_REFUSE_AXES(argmin, why_not_position)
TESSERA_REFUSE_AXES(argmax, why_not_position)
TESSERA_REFUSE_AXES(mean, why_not_axes)
TESSERA_REFUSE_AXES(var, why_not_axes)
TESSERA_REFUSE_AXES(stddev, why_not_axes)
TESSERA_REFUSE_AXES(logsumexp, why_not_floating_axes)
TESSERA_REFUSE_AXES(norm, why_not_averaged_axes)
TESSERA_REFUSE_AXES(softmax, why_not_floating_axes)
TESSERA_REFUSE_AXES(log_softmax, why_not_floating_axes)
TESSERA_REFUSE_AXES(standardise, why_not_floating_axes)
TESSERA_REFUSE_AXES(layernorm, why_not_floating_axes)
#undef TESSERA_REFUSE_AXES

template <class Condition, class A, class B>
inline constexpr Why why_not_where = Why::nothing_is_wrong;
template <Source Condition, Source A, Source B>
  requires(!std::same_as<value_of<Condition>, bool>) && (Operand<Condition> || Operand<A> || Operand<B>)
inline constexpr Why why_not_where<Condition, A, B> =
    Why::the_condition_is_an_expression_of_bool__as_z_greater_than_0_is;
template <Source Condition, Source A, Source B>
  requires std::same_as<value_of<Condition>, bool> && (Operand<Condition> || Operand<A> || Operand<B>) &&
               (!requires { typename where_value<A, B>::type; })
inline constexpr Why why_not_where<Condition, A, B> = Why::the_branches_have_no_common_element_type__write_cast_T;

export template <class Condition, class A, class B, Why error = why_not_where<Condition, A, B>>
  requires(is_wrong(error))
void where(const Condition&, const A&, const B&) = delete;

export template <class T, Operand O>
  requires(!Element<T>)
void cast(const O&) = delete;  // elements are bool, integers, floating and complex numbers: cast<float>(x)

// Products.

template <class A, class B>
inline constexpr Why why_not_product = why_not_arithmetic<A, B>;

template <class A, class B>
inline constexpr Why why_not_dot = why_not_product<A, B>;
template <class A, class B>
  requires NumericOperands<A, B> && (!DotOperands<A, B>)
inline constexpr Why why_not_dot<A, B> = Why::dot_multiplies_vectors_and_matrices__matmul_takes_batches;

template <class A, class B>
inline constexpr Why why_not_matmul = why_not_product<A, B>;
template <class A, class B>
  requires NumericOperands<A, B> && (!MatmulOperands<A, B>)
inline constexpr Why why_not_matmul<A, B> = Why::matmul_multiplies_vectors_matrices_and_batches__not_scalars;

template <class A, class B>
inline constexpr Why why_not_outer = why_not_product<A, B>;
template <class A, class B>
  requires NumericOperands<A, B> && (rank_of<A> != 1 || rank_of<B> != 1)
inline constexpr Why why_not_outer<A, B> = Why::outer_takes_two_vectors;

template <int Axis, class A, class B>
inline constexpr Why why_not_vecdot = why_not_product<A, B>;
template <int Axis, class A, class B>
  requires NumericOperands<A, B> && (Axis >= 0 || -Axis > rank_of<A> || -Axis > rank_of<B>)
inline constexpr Why why_not_vecdot<Axis, A, B> = Why::the_axis_counts_from_the_end_and_both_operands_have_it;

export template <class A, class B, Why error = why_not_dot<A, B>>
  requires Operand<A> && Operand<B> && (is_wrong(error))
void dot(const A&, const B&) = delete;
export template <class A, class B, Why error = why_not_matmul<A, B>>
  requires Operand<A> && Operand<B> && (is_wrong(error))
void matmul(const A&, const B&) = delete;
export template <class A, class B, Why error = why_not_outer<A, B>>
  requires Operand<A> && Operand<B> && (is_wrong(error))
void outer(const A&, const B&) = delete;
export template <int Axis = -1, class A, class B, Why error = why_not_vecdot<Axis, A, B>>
  requires Operand<A> && Operand<B> && (is_wrong(error))
void vecdot(const A&, const B&) = delete;

// What is joined.

template <int NewAxes, int Axis, class... O>
inline constexpr Why why_not_joined = Why::nothing_is_wrong;
template <int NewAxes, int Axis, Operand First, Operand... O>
  requires(!JoinableOperands<rank_of<First> + NewAxes, Axis, First, O...>)
inline constexpr Why why_not_joined<NewAxes, Axis, First, O...> =
    ((rank_of<O> != rank_of<First>) || ...) ? Why::joined_operands_have_the_same_number_of_axes
    : (Axis < -(rank_of<First> + NewAxes) || Axis >= rank_of<First> + NewAxes)
        ? Why::an_axis_is_out_of_range_or_named_twice
    : !PromotableOperands<First, O...> ? Why::no_common_element_type__write_cast_T
                                       : Why::operands_are_on_different_places__move_one_with_to_place;

export template <int Axis, class... O, Why error = why_not_joined<0, Axis, O...>>
  requires(is_wrong(error))
void concat(const O&...) = delete;
export template <int Axis, class... O, Why error = why_not_joined<1, Axis, O...>>
  requires(is_wrong(error))
void stack(const O&...) = delete;

// The user's operations.

template <class Op, class... Arguments>
inline constexpr Why why_not_user_op = Why::nothing_is_wrong;
template <class Op, Source... Arguments>
  requires(!(Element<value_of<Arguments>> && ...))
inline constexpr Why why_not_user_op<Op, Arguments...> = Why::elements_are_bool_integers_floating_and_complex_numbers;
template <class Op, Source... Arguments>
  requires(Element<value_of<Arguments>> && ...) && (!UserOperation<Op, Arguments...>)
inline constexpr Why why_not_user_op<Op, Arguments...> =
    !(Operand<Arguments> || ...) ? Why::one_argument_at_least_is_an_array_or_an_expression
    : !HasMap<Op>                ? Why::Op_needs_a_static_function_map
    : CallsMapOfObject<Op, argument_value<Arguments>...> && !CallsMap<Op, argument_value<Arguments>...>
        ? Why::map_of_Op_is_not_static
    : !CallsMap<Op, argument_value<Arguments>...> ? Why::map_of_Op_cannot_be_called_with_one_scalar_of_each_argument
    : !places_may_meet<place_of<Arguments>...>    ? Why::operands_are_on_different_places__move_one_with_to_place
                                                  : Why::map_of_Op_returns_no_element;

export template <class Op, class... Arguments, Why error = why_not_user_op<Op, Arguments...>>
  requires(is_wrong(error))
void F(const Arguments&...) = delete;

}  // namespace tessera
