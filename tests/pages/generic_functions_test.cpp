// The page "Writing generic functions".
#include <concepts>
#include <type_traits>
#include <vector>

#include "support.hpp"

using namespace tessera;
using support::text;

namespace {

// --8<-- [start:lazy]
/// Values between 0 and 1: the smallest becomes 0, the largest 1.
template <Operand X>
auto rescaled(const X& x) {
  return (x - min(x)) / (max(x) - min(x));
}
// --8<-- [end:lazy]

TEST_CASE("a function takes arrays, views and expressions") {
  // --8<-- [start:lazy_calls]
  Array<float, 2> a{{1, 2, 3}, {4, 5, 9}};
  std::vector<float> mine{2, 4, 6};
  CHECK(text(rescaled(a)) == "[[0.    0.125 0.25 ]\n [0.375 0.5   1.   ]]");
  CHECK(text(rescaled(a(0, ellipsis))) == "[0.  0.5 1. ]");                // a view
  CHECK(text(rescaled(borrow(mine.data(), Dim{3}))) == "[0.  0.5 1. ]");   // memory of yours
  CHECK(text(rescaled(square(a(0, ellipsis)))) == "[0.    0.375 1.   ]");  // an expression
  Array<float, 2> b = 1 - rescaled(a);                                     // fuses with what is around it
  // --8<-- [end:lazy_calls]
  CHECK(text(b(1)) == "[0.625 0.5   0.   ]");
}

// --8<-- [start:evaluated]
/// As often as it is read, an expression is computed: a function that reads its argument twice takes the values first.
template <Operand X>
auto rescaled_once(const X& x) {
  const auto values = evaluate(x);
  const auto low = evaluate(min(values)), high = evaluate(max(values));
  return evaluate((values - low) / (high - low));
}
// --8<-- [end:evaluated]

TEST_CASE("an evaluated result is an array") {
  Array<float, 1> a{1, 2, 3};
  // --8<-- [start:evaluated_calls]
  auto result = rescaled_once(exp(a));
  static_assert(std::same_as<decltype(result), Array<float, 1>>);
  // --8<-- [end:evaluated_calls]
  CHECK(text(result(0)) == "0");
  CHECK(text(result(2)) == "1");
}

// --8<-- [start:facts]
/// The outer product of a vector with itself, in the vector's element type.
template <Operand V>
  requires(rank_of<V> == 1) && std::floating_point<value_of<V>>
Array<value_of<V>, 2> squares(const V& v) {
  return outer(v, v);
}

template <class X>
concept HasSquares = requires(const X& x) { squares(x); };
// --8<-- [end:facts]

TEST_CASE("rank and element type are constraints like any other") {
  // --8<-- [start:facts_calls]
  Array<double, 1> v{1, 2};
  CHECK(text(squares(v + 1)) == "[[4. 6.]\n [6. 9.]]");
  static_assert(!HasSquares<Array<double, 2>>);  // a matrix
  static_assert(!HasSquares<Array<int, 1>>);     // integers
  // --8<-- [end:facts_calls]
}

// --8<-- [start:types]
/// The element type, the number of axes and the place can be deduced as well; then arrays are taken and nothing else.
template <class T, int Rank, class P>
std::ptrdiff_t bytes(const Array<T, Rank, P>& array) {
  return array.size() * static_cast<std::ptrdiff_t>(sizeof(T));
}
// --8<-- [end:types]

TEST_CASE("the parameters of an array's type can be deduced") {
  CHECK(bytes(zeros<float>(2, 3)) == 24);
  CHECK(bytes(zeros<float>(Dim{2, 3}, CpuPlace{})) == 24);
}

// --8<-- [start:place]
/// Whether this is known to be on the host when the program is compiled. An expression of numbers alone has no place: void.
template <Operand X>
constexpr bool on_host = HostPlace<place_of<X>>;
static_assert(on_host<Array<float, 2, CpuPlace>>);
static_assert(!on_host<Array<float, 2>>);  // known at run time: x.place()
static_assert(std::is_void_v<place_of<decltype(random::uniform<float>(random::Key{1}, Dim{2}))>>);
// --8<-- [end:place]

// --8<-- [start:scalar_of]
static_assert(std::same_as<scalar_of<const double&>, double>);
static_assert(std::same_as<scalar_of<Reference<float>>, float>);  // an element, as in a(0, 1)
static_assert(std::same_as<scalar_of<Parameter<float>>, float>);  // what each replay is given
// --8<-- [end:scalar_of]

// --8<-- [start:scratch]
/// The mean of each window of `width` elements.
template <Operand X>
  requires(rank_of<X> == 1)
auto moving_average(const X& x, std::ptrdiff_t width) {
  Array<value_of<X>, 1> sums = zeros<value_of<X>>(x.shape()[0] - width + 1);
  for (std::ptrdiff_t i = 0; i < width; ++i) sums += x(range(i, i + sums.size()));
  return evaluate(sums / static_cast<value_of<X>>(width));
}
// --8<-- [end:scratch]

TEST_CASE("an array of the operand's elements holds what is computed on the way") {
  Array<double, 1> x{1, 3, 5, 10};
  CHECK(text(moving_average(x, 2)) == "[2.  4.  7.5]");
  CHECK(text(moving_average(2 * x, 4)) == "[9.5]");
}

// --8<-- [start:writing]
/// Gives `x` the mean 0. A name: it may get new storage, and nobody else sees it.
template <class T, int Rank>
void centre(Array<T, Rank>& x) {
  x = x - mean(x);
}

/// Writes into elements that exist: of an array, a slice or borrowed memory.
template <Elements Out, Operand X>
void write_centred(Out&& out, const X& x) {
  out(ellipsis) = x - mean(x);
}
// --8<-- [end:writing]

TEST_CASE("a function that writes takes a name by reference, or writes elements") {
  // --8<-- [start:writing_calls]
  Array<double, 2> a{{1, 2, 3}, {4, 5, 9}};
  auto before = a;
  centre(a);
  CHECK(text(a) == "[[-3. -2. -1.]\n [ 0.  1.  5.]]");
  CHECK(text(before(0)) == "[1. 2. 3.]");
  write_centred(before(0, ellipsis), before(1));  // into a row, which everyone sees
  CHECK(text(before) == "[[-2. -1.  3.]\n [ 4.  5.  9.]]");
  // --8<-- [end:writing_calls]
}

// --8<-- [start:scalars]
/// a + t (b - a); t may be a number or an array.
template <Source A, Source B, Source T>
  requires Operand<A> || Operand<B> || Operand<T>
auto mixed(const A& a, const B& b, const T& t) {
  return a + t * (b - a);
}
// --8<-- [end:scalars]

TEST_CASE("numbers stand where operands do") {
  Array<float, 1> a{0, 2}, b{4, 4};
  // --8<-- [start:scalars_calls]
  CHECK(text(mixed(a, b, 0.5)) == "[2. 3.]");
  CHECK(text(mixed(0, b, a)) == "[0. 8.]");
  // --8<-- [end:scalars_calls]
}

}  // namespace
