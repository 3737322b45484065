module;
#include <cstddef>
#include <cstdint>
export module tessera.core:standard_names;
import tessera.standard;

// Names of the C++ standard library that whoever imports this room can use without their headers: all of <array>, <complex>, <coroutine> and
// <tuple>, and what else the library's functions take and return. Without these, clang tells a user who has forgotten a header to import
// tessera.standard.
// NOLINTBEGIN(bugprone-std-namespace-modification): the names are the library's own, passed on.
export namespace std {

// array, tuple
using std::apply;
using std::array;
using std::forward_as_tuple;
using std::get;
using std::ignore;
using std::make_from_tuple;
using std::make_tuple;
using std::tie;
using std::to_array;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;

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
inline namespace literals {
inline namespace complex_literals {
using std::complex_literals::operator""i;
using std::complex_literals::operator""if;
using std::complex_literals::operator""il;
}  // namespace complex_literals
}  // namespace literals

// coroutine
using std::coroutine_handle;
using std::coroutine_traits;
using std::noop_coroutine;
using std::noop_coroutine_handle;
using std::noop_coroutine_promise;
using std::suspend_always;
using std::suspend_never;

// cstddef, cstdint
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::ptrdiff_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// what functions take and return
using std::exception_ptr;
using std::function;
using std::initializer_list;
using std::optional;
using std::ostream;
using std::pair;
using std::shared_ptr;
using std::source_location;
using std::span;
using std::stop_source;
using std::stop_token;
using std::string;
using std::string_view;
using std::to_string;
using std::unique_ptr;
using std::vector;

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

}  // namespace std
// NOLINTEND(bugprone-std-namespace-modification)

// What compares and moves the iterators of libstdc++'s vectors and strings, as loops over them do. clang 19 then takes no <algorithm> below the
// import: it sees a second definition of another name of that namespace.
#if defined(__GLIBCXX__) && __clang_major__ >= 22
export namespace __gnu_cxx {
using __gnu_cxx::operator==;
using __gnu_cxx::operator<=>;
using __gnu_cxx::operator+;
using __gnu_cxx::operator-;
}  // namespace __gnu_cxx
#endif
