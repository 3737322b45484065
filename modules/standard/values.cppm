module;
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <complex>
#include <concepts>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <ostream>
#include <ranges>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
export module tessera.standard:values;

// Names of values, text, containers and what is known of types. Those of <array>, <complex> and <tuple>, which values of users have, are all here.
// NOLINTBEGIN(bugprone-std-namespace-modification): the names are the library's own, passed on.
export namespace std {

// algorithm
using std::copy_n;
using std::fill_n;
using std::find_if;
using std::max;
using std::min;

// array, span, tuple, variant, vector, unordered_map
using std::apply;
using std::array;
using std::dynamic_extent;
using std::erase_if;
using std::forward_as_tuple;
using std::get;
using std::ignore;
using std::make_from_tuple;
using std::make_tuple;
using std::monostate;
using std::span;
using std::ssize;
using std::tie;
using std::to_array;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
using std::unordered_map;
using std::variant;
using std::vector;

// bit, limits
using std::bit_cast;
using std::bit_width;
using std::numeric_limits;
using std::popcount;

// complex
using std::abs;
using std::acos;
using std::acosh;
using std::arg;
using std::asin;
using std::asinh;
using std::atan;
using std::atanh;
using std::complex;
using std::conj;
using std::cos;
using std::cosh;
using std::exp;
using std::imag;
using std::log;
using std::log10;
using std::norm;
using std::polar;
using std::pow;
using std::proj;
using std::real;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

// concepts, type_traits
using std::conditional_t;
using std::constructible_from;
using std::convertible_to;
using std::decay_t;
using std::equality_comparable;
using std::floating_point;
using std::integral;
using std::invocable;
using std::invoke_result_t;
using std::is_arithmetic_v;
using std::is_class_v;
using std::is_const_v;
using std::is_final_v;
using std::is_invocable_v;
using std::is_lvalue_reference_v;
using std::is_same_v;
using std::is_signed_v;
using std::is_trivially_copyable_v;
using std::is_void_v;
using std::make_unsigned_t;
using std::remove_const_t;
using std::remove_cvref_t;
using std::remove_pointer_t;
using std::remove_reference_t;
using std::same_as;
using std::signed_integral;
using std::type_identity;
using std::type_identity_t;
using std::unsigned_integral;

// exception, stdexcept, system_error
using std::current_exception;
using std::exception_ptr;
using std::invalid_argument;
using std::logic_error;
using std::out_of_range;
using std::rethrow_exception;
using std::runtime_error;
using std::system_error;

// functional
using std::divides;
using std::function;
using std::minus;
using std::multiplies;
using std::negate;
using std::plus;

// iterator
using std::back_inserter;
using std::default_sentinel;
using std::default_sentinel_t;
using std::input_iterator_tag;
using std::next;
using std::random_access_iterator;
using std::random_access_iterator_tag;

// optional, utility
using std::as_const;
using std::cmp_equal;
using std::cmp_greater;
using std::cmp_greater_equal;
using std::cmp_less;
using std::declval;
using std::exchange;
using std::forward;
using std::in_range;
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::move;
using std::nullopt;
using std::optional;
using std::pair;
using std::swap;

// ostream, string, string_view, source_location
using std::initializer_list;
using std::ostream;
using std::source_location;
using std::string;
using std::string_view;
using std::to_string;

// of all of them
using std::operator!=;
using std::operator*;
using std::operator+;
using std::operator-;
using std::operator/;
using std::operator<;
using std::operator<<;
using std::operator<=;
using std::operator<=>;
using std::operator==;
using std::operator>;
using std::operator>=;
using std::strong_ordering;

inline namespace literals {
inline namespace complex_literals {
using std::complex_literals::operator""i;
using std::complex_literals::operator""if;
using std::complex_literals::operator""il;
}  // namespace complex_literals
}  // namespace literals

namespace ranges {
using std::ranges::begin;
using std::ranges::contiguous_range;
using std::ranges::copy;
using std::ranges::distance;
using std::ranges::enable_borrowed_range;
using std::ranges::end;
using std::ranges::equal;
using std::ranges::forward_range;
using std::ranges::input_range;
using std::ranges::range_value_t;
}  // namespace ranges

}  // namespace std
// NOLINTEND(bugprone-std-namespace-modification)

#ifdef __GLIBCXX__
// The iterators of its containers, and what compares them, have a namespace of their own.
export namespace __gnu_cxx {
using __gnu_cxx::operator==;
using __gnu_cxx::operator<=>;
using __gnu_cxx::operator+;
using __gnu_cxx::operator-;
}  // namespace __gnu_cxx
#endif
