module;
#include <cstddef>
export module tessera.core:explain;
import tessera.standard;

// Concepts that say in a sentence why they failed.
namespace tessera {

namespace core {

/// A string literal as a template argument.
export template <std::size_t Size>
struct Sentence {
  char text[Size];
  constexpr Sentence(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
};

}  // namespace core
using core::Sentence;

/// Always false. As the last term of a disjunction it puts its sentence into the compiler's message:
/// `requires(From::rank <= To::rank || unsatisfied<"the source has more axes than the destination">)`.
export template <Sentence Why>
inline constexpr bool unsatisfied = false;

namespace core {

/// Why an operation refuses what it was called with. The compiler prints the name behind `error =` in its first note, because operations
/// are deleted for each of these reasons: `requires { a + b; }` is a question that has an answer.
export enum class Why {
  nothing_is_wrong,
  no_common_element_type__write_cast_T,
  operands_are_on_different_places__move_one_with_to_place,
  bool_has_no_arithmetic__write_cast_T,
  complex_numbers_have_no_order__compare_abs,
  it_takes_integers__write_cast_int,
  operations_on_bits_take_integers_or_bool,
  logic_takes_bool__write_x_not_equal_0__or_bitwise_and,
  it_takes_floating_elements__write_cast_float,
  it_takes_floating_or_complex_elements__write_cast_float,
  an_axis_is_out_of_range_or_named_twice,
  a_position_is_along_one_axis_or_among_all_elements,
  elements_of_a_pair_are_compared_by_maximum_and_minimum,
  the_condition_is_an_expression_of_bool__as_z_greater_than_0_is,
  the_branches_have_no_common_element_type__write_cast_T,
  elements_are_bool_integers_floating_and_complex_numbers,
  dot_multiplies_vectors_and_matrices__matmul_takes_batches,
  matmul_multiplies_vectors_matrices_and_batches__not_scalars,
  outer_takes_two_vectors,
  the_axis_counts_from_the_end_and_both_operands_have_it,
  joined_operands_have_the_same_number_of_axes,
  one_argument_at_least_is_an_array_or_an_expression,
  Op_needs_a_static_function_map,
  map_of_Op_is_not_static,
  map_of_Op_cannot_be_called_with_one_scalar_of_each_argument,
  map_of_Op_returns_no_element,
  a_const_array_is_read_only,
  these_elements_have_no_such_operation__write_cast_T,
  the_source_has_more_axes_than_the_array__index_or_reduce_it,
  the_elements_do_not_fit__write_cast_T,
  a_scalar_has_no_axis,
  name_the_one_axis__as_in_cumulative_sum_0,
  a_mask_has_elements_of_bool__write_x_not_equal_0,
  a_mask_has_as_many_axes_as_the_elements_that_it_picks,
  indices_are_a_vector_of_integers,
};

/// Not by an operator: arrays' own would be looked up, which ask this.
export constexpr bool is_wrong(Why why) { return static_cast<int>(why) != 0; }

}  // namespace core
using core::is_wrong;
using core::Why;

}  // namespace tessera
