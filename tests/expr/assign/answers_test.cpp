// Every function of arrays answers `requires { f(x); }` with yes or no, whatever x is: no wrong argument is an error inside the library.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;

namespace {

struct Stranger {};
struct Halved {
  static float map(float a) { return a / 2; }
};
struct Sum {
  static float map(float a, float b) { return a + b; }
};

template <class T>
using Vector = Array<T, 1>;

/// Kinds of arguments, each with its letter: numbers in small letters, operands in capitals, what is neither as a sign.
template <class X>
inline constexpr char letter = '?';
template <>
inline constexpr char letter<int> = 'i';
template <>
inline constexpr char letter<double> = 'd';
template <>
inline constexpr char letter<bool> = 'b';
template <>
inline constexpr char letter<Vector<bool>> = 'B';
template <>
inline constexpr char letter<Vector<int>> = 'I';
template <>
inline constexpr char letter<Vector<float>> = 'F';
template <>
inline constexpr char letter<Vector<std::complex<float>>> = 'C';
template <>
inline constexpr char letter<Array<float, 0>> = '0';
template <>
inline constexpr char letter<Array<int, 3>> = '3';
template <>
inline constexpr char letter<Vector<const float>> = 'R';
template <>
inline constexpr char letter<ArrayView<float, 2>> = 'V';
template <>
inline constexpr char letter<Array<float, 1, GpuPlace>> = 'G';
template <>
inline constexpr char letter<Parameter<Array<float, 1>>> = 'P';
template <>
inline constexpr char letter<std::string> = '"';
template <>
inline constexpr char letter<Stranger> = '-';

template <class... X>
struct Kinds {};
using AllKinds = Kinds<int, double, bool, Vector<bool>, Vector<int>, Vector<float>, Vector<std::complex<float>>,
                       Array<float, 0>, Array<int, 3>, Vector<const float>, ArrayView<float, 2>,
                       Array<float, 1, GpuPlace>, Parameter<Array<float, 1>>, std::string, Stranger>;
using MainKinds = Kinds<int, double, bool, Vector<bool>, Vector<int>, Vector<float>, Vector<std::complex<float>>,
                        Array<float, 0>, Array<int, 3>, std::string, Stranger>;

/// The letters of the kinds for which `asks` answers yes.
template <class Asks, class... X>
std::string yes(const Asks& asks, Kinds<X...>) {
  std::string letters;
  ((asks(std::type_identity<X>()) ? letters += letter<X> : letters), ...);
  return letters;
}

template <class Asks>
std::string one(const Asks& asks) {
  return yes(asks, AllKinds());
}

template <class Left, class Asks, class... X>
std::string row(const Asks& asks, Kinds<X...>) {
  return std::string(1, letter<Left>) + ":" +
         yes([&]<class Right>(std::type_identity<Right> right) { return asks(std::type_identity<Left>(), right); },
             MainKinds()) +
         " ";
}

/// "left:rights " for each kind on the left.
template <class Asks>
std::string two(const Asks& asks) {
  std::string rows;
  const auto add = [&]<class... X>(Kinds<X...>) { ((rows += row<X>(asks, MainKinds())), ...); };
  add(MainKinds());
  return rows;
}

#define ONE(expression) one([]<class X>(std::type_identity<X>) { return requires(X& x) { expression; }; })
#define TWO(expression)                                                    \
  two([]<class X, class Y>(std::type_identity<X>, std::type_identity<Y>) { \
    return requires(X& x, Y& y) { expression; };                           \
  })

// The operands, by their elements. Kinds that are in none of the other letters: an array that only reads, a view, one on a GPU, and a parameter.
const std::string operands = "BIFC03RVGP";
const std::string ordered = "BIF03RVGP";
const std::string numbers = "IFC03RVGP";
const std::string real_numbers = "IF03RVGP";
const std::string inexact = "FC0RVGP";
const std::string floats = "F0RVGP";
const std::string of_rank_2 = "3V";

}  // namespace

TEST_CASE("elementwise functions of one operand say whether they take it") {
  CHECK(ONE(-x) == "idbIFC03RVGP");
  CHECK(ONE(+x) == "idbIFC03RVGP");
  CHECK(ONE(~x) == "ibBI3");
  CHECK(ONE(!x) == "idbB0");
  CHECK(ONE(negative(x)) == numbers);
  CHECK(ONE(positive(x)) == numbers);
  CHECK(ONE(bitwise_invert(x)) == "BI3");
  CHECK(ONE(logical_not(x)) == "B");
  CHECK(ONE(tessera::abs(x)) == "id" + numbers);
  CHECK(ONE(sign(x)) == "id" + numbers);
  CHECK(ONE(square(x)) == "id" + numbers);
  CHECK(ONE(reciprocal(x)) == "d" + inexact);
  CHECK(ONE(tessera::exp(x)) == "d" + inexact);
  CHECK(ONE(tessera::expm1(x)) == "d" + inexact);
  CHECK(ONE(tessera::exp2(x)) == "d" + floats);
  CHECK(ONE(tessera::log(x)) == "d" + inexact);
  CHECK(ONE(tessera::log1p(x)) == "d" + inexact);
  CHECK(ONE(tessera::log2(x)) == "d" + inexact);
  CHECK(ONE(tessera::log10(x)) == "d" + inexact);
  CHECK(ONE(tessera::sqrt(x)) == "d" + inexact);
  CHECK(ONE(rsqrt(x)) == "d" + floats);
  CHECK(ONE(tessera::cbrt(x)) == "d" + floats);
  CHECK(ONE(tessera::sin(x)) == "d" + inexact);
  CHECK(ONE(tessera::cos(x)) == "d" + inexact);
  CHECK(ONE(tessera::tan(x)) == "d" + inexact);
  CHECK(ONE(tessera::asin(x)) == "d" + inexact);
  CHECK(ONE(tessera::acos(x)) == "d" + inexact);
  CHECK(ONE(tessera::atan(x)) == "d" + inexact);
  CHECK(ONE(tessera::sinh(x)) == "d" + inexact);
  CHECK(ONE(tessera::cosh(x)) == "d" + inexact);
  CHECK(ONE(tessera::tanh(x)) == "d" + inexact);
  CHECK(ONE(tessera::asinh(x)) == "d" + inexact);
  CHECK(ONE(tessera::acosh(x)) == "d" + inexact);
  CHECK(ONE(tessera::atanh(x)) == "d" + inexact);
  CHECK(ONE(degrees(x)) == "d" + floats);
  CHECK(ONE(radians(x)) == "d" + floats);
  CHECK(ONE(tessera::floor(x)) == "d" + real_numbers);
  CHECK(ONE(tessera::ceil(x)) == "d" + real_numbers);
  CHECK(ONE(tessera::trunc(x)) == "d" + real_numbers);
  CHECK(ONE(tessera::round(x)) == "d" + numbers);
  CHECK(ONE(tessera::isnan(x)) == "d" + numbers);
  CHECK(ONE(tessera::isfinite(x)) == "d" + numbers);
  CHECK(ONE(tessera::isinf(x)) == "d" + numbers);
  CHECK(ONE(tessera::signbit(x)) == "d" + real_numbers);
  CHECK(ONE(tessera::real(x)) == numbers);
  CHECK(ONE(tessera::imag(x)) == numbers);
  CHECK(ONE(tessera::conj(x)) == numbers);
  CHECK(ONE(angle(x)) == inexact);
  CHECK(ONE(tessera::erf(x)) == "d" + floats);
  CHECK(ONE(tessera::erfc(x)) == "d" + floats);
  CHECK(ONE(tessera::lgamma(x)) == "d" + floats);
  CHECK(ONE(sigmoid(x)) == "d" + floats);
  CHECK(ONE(relu(x)) == "id" + real_numbers);
  CHECK(ONE(leaky_relu(x)) == floats);
  CHECK(ONE(softplus(x)) == "d" + floats);
  CHECK(ONE(silu(x)) == "d" + floats);
  CHECK(ONE(gelu(x)) == "d" + floats);
}

TEST_CASE("reductions say whether they take it") {
  CHECK(ONE(sum(x)) == operands);
  CHECK(ONE(sum<0>(x)) == "BIFC3RVGP");
  CHECK(ONE(sum<1>(x)) == of_rank_2);
  CHECK(ONE(sum(x, 0)) == "BIFC3RVGP");
  CHECK(ONE(sum(x, axis<1>)) == of_rank_2);
  CHECK(ONE(sum(x, keepdims)) == operands);
  CHECK(ONE(sum(x, x)) == "");
  CHECK(ONE((sum<0, 0>(x))) == "");
  CHECK(ONE(prod(x)) == operands);
  CHECK(ONE(any(x)) == operands);
  CHECK(ONE(any_of(x)) == operands);
  CHECK(ONE(all_of(x)) == operands);
  CHECK(ONE(all(x)) == operands);
  CHECK(ONE(count_nonzero(x)) == operands);
  CHECK(ONE(tessera::min(x)) == ordered);
  CHECK(ONE(tessera::max<1>(x)) == of_rank_2);
  CHECK(ONE(tessera::max(x, x)) == "");
  CHECK(ONE(tessera::max(x, 0)) == "BIF3RVGP");
  CHECK(ONE(tessera::min(x, 0.5)) == "");
  CHECK(ONE(argmin(x)) == ordered);
  CHECK(ONE(argmax(x, 0)) == "BIF3RVGP");
  CHECK(ONE((argmax<0, 1>(x))) == "");
  CHECK(ONE(argmax(x, axis<0, 1>)) == "");
  CHECK(ONE(mean(x)) == operands);
  CHECK(ONE(mean<1>(x, keepdims)) == of_rank_2);
  CHECK(ONE(var(x)) == operands);
  CHECK(ONE(stddev(x)) == operands);
  CHECK(ONE(logsumexp(x)) == floats);
  CHECK(ONE(norm(x)) == inexact);
  CHECK(ONE(norm<1>(x)) == "V");
  CHECK(ONE(norm(x, 3)) == inexact);
  CHECK(ONE(softmax<0>(x)) == "FRVGP");
  CHECK(ONE(log_softmax(x)) == floats);
  CHECK(ONE(standardise(x)) == floats);
  CHECK(ONE(layernorm(x)) == "FRVGP");
  CHECK(ONE(layernorm(x, x, x)) == "FRVGP");
}

TEST_CASE("functions of several operands say whether they take them") {
  CHECK(ONE(clip(x, 0, 1)) == real_numbers);
  CHECK(ONE(clip(x, none, x)) == real_numbers);
  CHECK(ONE(clip(x, 0.5, none)) == floats);
  CHECK(ONE(where(x, 1, 0.5)) == "B");
  CHECK(ONE(where(x, x, 0)) == "");
  CHECK(ONE(where(true, x, x)) == operands);
  CHECK(ONE(where(x, "a", 1)) == "");
  CHECK(ONE(cast<float>(x)) == operands);
  CHECK(ONE(cast<std::string>(x)) == "");
  CHECK(ONE(cast<bool>(x)) == operands);
  CHECK(ONE(F<Halved>(x)) == ordered);
  CHECK(ONE(F<Sum>(x)) == "");
  CHECK(ONE((F<Sum>(x, 1.0L))) == "");
  CHECK(ONE((F<Sum>(x, 1.f))) == ordered);
  CHECK(ONE(F<Stranger>(x)) == "");
  CHECK(ONE(F<int>(x)) == "");
  CHECK(ONE(concat<0>(x)) == "BIFC3RVGP");
  CHECK(ONE((concat<1>(x, x))) == of_rank_2);
  CHECK(ONE(stack<0>(x, x)) == operands);
  CHECK(ONE(stack<2>(x)) == of_rank_2);
  CHECK(ONE(concat<0>(std::vector{x, x})) == "BIFC3RVG");
}

TEST_CASE("functions of shapes say whether they take it") {
  CHECK(ONE(flip(x)) == operands);
  CHECK(ONE(flip<1>(x)) == of_rank_2);
  CHECK(ONE(roll<0>(x, 1)) == "BIFC3RVGP");
  CHECK(ONE((roll<0, 1>(x, 1))) == "");
  CHECK(ONE(pad(x, 1, 0)) == numbers);
  CHECK(ONE(pad(x, {{1, 1}}, 0)) == "IFCRGP");
  CHECK(ONE(pad(x, 1, PadMode::edge)) == operands);
  CHECK(ONE(pad(x, 1, x)) == "");
  CHECK(ONE(tile(x, {2})) == "BIFCRGP");
  CHECK(ONE(repeat<0>(x, 2)) == "BIFC3RVGP");
  CHECK(ONE(repeat<1>(x, 2)) == of_rank_2);
  CHECK(ONE(transpose(x)) == operands);
  CHECK(ONE(transpose(x, {1, 0})) == of_rank_2);
  CHECK(ONE(moveaxis(x, 0, 1)) == operands);
  CHECK(ONE(swapaxes(x, 0, 1)) == operands);
  CHECK(ONE(matrix_transpose(x)) == of_rank_2);
  CHECK(ONE(expand_dims<0>(x)) == operands);
  CHECK(ONE(expand_dims<3>(x)) == "3");
  CHECK(ONE(squeeze<0>(x)) == "BIFC3RVGP");
  CHECK(ONE(squeeze<1>(x)) == of_rank_2);
  CHECK(ONE(reshape(x, 2, -1)) == "BIFC03RVG");
  CHECK(ONE(reshape(x, {2, 3})) == "BIFC03RVG");
  CHECK(ONE(reshape(x, Dim{2, 3})) == "BIFC03RVG");
  CHECK(ONE(reshape(x, x)) == "");
  CHECK(ONE(flatten(x)) == "BIFC03RVG");
  CHECK(ONE(broadcast_to(x, Dim{2, 3})) == "BIFC0RVGP");
  CHECK(ONE((sliding_window<0>(x, {2}))) == "BIFC3RVGP");
  CHECK(ONE(slice(x, {0}, {1})) == "BIFCRGP");
}

TEST_CASE("what makes arrays and what reads them says whether it takes it") {
  CHECK(ONE(zeros_like(x)) == operands);
  CHECK(ONE(ones_like<int>(x)) == operands);
  CHECK(ONE(full_like(x, 1)) == operands);
  CHECK(ONE(full_like(x, x)) == "0");
  CHECK(ONE(empty_like(x)) == operands);
  CHECK(ONE(full(Dim{2}, x)) == "idb");
  CHECK(ONE(make_array(x)) == "");
  CHECK(ONE(make_array({x})) == "idb0");
  CHECK(ONE(zeros<X>(Dim{2})) == "idb");
  CHECK(ONE(eye<X>(2)) == "idb");
  CHECK(ONE(arange<X>(2)) == "idb");
  CHECK(ONE(linspace(x, x, 2)) == "idb");
  CHECK(ONE(arange(x, x)) == "idb");
  CHECK(ONE(copy(x)) == operands);
  CHECK(ONE(evaluate(x)) == operands);
  CHECK(ONE(item(x)) == operands);
  CHECK(ONE(tessera::to_string(x)) == "BIFC03RVG");
  CHECK(ONE(explain(x)) == operands);
  CHECK(ONE(make_view(x)) == "BIFC03RG");
  CHECK(ONE(make_iterator(x)) == "BIFC03RV");
}

TEST_CASE("algorithms say whether they take it") {
  CHECK(ONE(sort(x)) == "BIFC3RVG");
  CHECK(ONE(sort<0>(x, descending)) == "BIFC3RVG");
  CHECK(ONE(sort<1>(x)) == of_rank_2);
  CHECK(ONE(argsort(x)) == "BIFC3RVG");
  CHECK(ONE(sort_into(x, x)) == "BIFC3VG");
  CHECK(ONE(argsort_into(x, x)) == "");
  CHECK(ONE(cumulative_sum(x)) == "BIFCRG");
  CHECK(ONE(cumulative_sum<1>(x)) == of_rank_2);
  CHECK(ONE(cumulative_prod<0>(x)) == "BIFC3RVG");
  CHECK(ONE(cumulative_sum_into(x, x)) == "FCG");
  CHECK(ONE(cumulative_prod_into<0>(x, x)) == "FCVG");
  CHECK(ONE(take(x, x)) == "I");
  CHECK(ONE(take(x, Vector<int>())) == "BIFC3RVG");
  CHECK(ONE(take_into(x, x, Vector<int>())) == "BIFC3VG");
  CHECK(ONE(compress(x, x)) == "B");
  CHECK(ONE(compress(x, Vector<float>())) == "B");
  CHECK(ONE(compress_into(x, Vector<bool>(), x)) == "BIFCG");
}

TEST_CASE("indices, members and conversions say whether there is one") {
  CHECK(ONE(x(0)) == "BIFC3RVG");
  CHECK(ONE(x(0, 0)) == of_rank_2);
  CHECK(ONE(x(all, 0)) == of_rank_2);
  CHECK(ONE(x(ellipsis, ellipsis)) == "");
  CHECK(ONE(x(0.5)) == "");
  CHECK(ONE(x(x)) == "BI3");
  CHECK(ONE(x[0]) == "BIFCRG\"");
  CHECK(ONE(x[0.5]) == "\"");
  CHECK(ONE((x[{0}])) == "BIFCRG\"");
  CHECK(ONE(x[0][1]) == "");
  CHECK(ONE(x.T()) == operands);
  CHECK(ONE(x.begin()) == "BIFC03RV\"");
  CHECK(ONE(x.sum()) == "BIFC03RVG");
  CHECK(ONE(x.template sum<1>()) == of_rank_2);
  CHECK(ONE(x.mean()) == "BIFC03RVG");
  CHECK(ONE(x.reshape(2, 3)) == "BIFC03RVG");
  CHECK(ONE(x.item()) == "0");
  CHECK(ONE(x.to(GpuPlace{0})) == "BIFC03RVG");
  CHECK(ONE((x + x)(0, 0)) == of_rank_2);
  CHECK(ONE((x + x)(0.5)) == "");
  CHECK(ONE((x + x)(x)) == "I3");
  CHECK(ONE((x * 2).begin()) == numbers);
  CHECK(ONE(x && true) == "idb0");
  CHECK(ONE(x || x) == "idb0");
  CHECK(ONE(bool(x)) == "idb0");
  CHECK(ONE(double(x)) == "idb0");
  CHECK(ONE(std::cout << x) == "idbBIFC03RVG\"");
  CHECK(ONE((Vector<int>(x))) == "I");
  CHECK(ONE((Array<float, 2>(x))) == "V");
  CHECK(ONE((Array<float, 0>(x))) == "id0");
  CHECK(ONE((Array<float, 1, CpuPlace>(x))) == "F");
}

TEST_CASE("pairs of operands say whether they meet") {
  CHECK(TWO(x + y) == "i:idbIFC03 d:idbFC0 b:idb0 B: I:iI3 F:idFC0 C:idFC0 0:idbFC0 3:iI3 \":\" -: ");
  CHECK(TWO(x % y) == "i:ibI3 d: b:ib B: I:iI3 F: C: 0: 3:iI3 \": -: ");
  CHECK(TWO(x == y) == "i:idbIFC03 d:idbFC0 b:idbB0 B:bB I:iI3 F:idFC0 C:idFC0 0:idbFC0 3:iI3 \":\" -: ");
  CHECK(TWO(x < y) == "i:idbIF03 d:idbF0 b:idbB0 B:bB I:iI3 F:idF0 C: 0:idbF0 3:iI3 \":\" -: ");
  CHECK(TWO(x & y) == "i:ibI3 d: b:ibB B:bB I:iI3 F: C: 0: 3:iI3 \": -: ");
  CHECK(TWO(x << y) == "i:ibI3 d: b:ib B: I:iI3 F: C: 0: 3:iI3 \": -: ");
  CHECK(TWO(logical_and(x, y)) == "i: d: b:B B:bB I: F: C: 0: 3: \": -: ");
  CHECK(TWO(tessera::maximum(x, y)) == "i:IF03 d:F0 b: B: I:iI3 F:idF0 C: 0:idF0 3:iI3 \": -: ");
  CHECK(TWO(tessera::atan2(x, y)) == "i:F0 d:F0 b: B: I: F:idF0 C: 0:idF0 3: \": -: ");
  CHECK(TWO(tessera::pow(x, y)) == "i:IFC03 d:FC0 b: B: I:iI3 F:idFC0 C:idFC0 0:idFC0 3:iI3 \": -: ");
  CHECK(TWO(dot(x, y)) == "i: d: b: B: I:I F:FC C:FC 0: 3: \": -: ");
  CHECK(TWO(matmul(x, y)) == "i: d: b: B: I:I3 F:FC C:FC 0: 3:I3 \": -: ");
  CHECK(TWO(outer(x, y)) == "i: d: b: B: I:I F:FC C:FC 0: 3: \": -: ");
  CHECK(TWO(vecdot(x, y)) == "i: d: b: B: I:I3 F:FC C:FC 0: 3:I3 \": -: ");
  CHECK(TWO(x = y) == "i:idb0 d:idb0 b:idb0 B:bB I:iI F:idF C:idC 0:id0 3:i3 \":idb0\" -:- ");
  CHECK(TWO(x += y) == "i:idb0 d:idb0 b:idb0 B: I:iI F:idF0 C:idFC0 0:id0 3:iI3 \":idb0\" -: ");
  CHECK(TWO(x %= y) == "i:ib d: b:ib B: I:iI F: C: 0: 3:iI3 \": -: ");
  CHECK(TWO(where(Vector<bool>(), x, y)) == "i:idIFC03 d:idFC0 b:bB B:bB I:iI3 F:idFC0 C:idFC0 0:idFC0 3:iI3 \": -: ");
  CHECK(TWO(array_equal(x, y)) == "i:IFC03 d:FC0 b:B B:bB I:iI3 F:idFC0 C:idFC0 0:idFC0 3:iI3 \": -: ");
  CHECK(TWO(allclose(x, y)) == "i:IFC03 d:FC0 b: B: I:iI3 F:idFC0 C:idFC0 0:idFC0 3:iI3 \": -: ");
  CHECK(TWO(x(ellipsis) = y) == "i: d: b: B:bB I:iI F:idF0 C:idFC0 0:id0 3:iI3 \": -: ");
  CHECK(TWO(std::as_const(x) = y) == "i: d: b: B: I: F: C: 0: 3: \": -: ");
  CHECK(TWO(std::as_const(x) += y) == "i: d: b: B: I: F: C: 0: 3: \": -: ");
  CHECK(TWO((concat<0>(x, y))) == "i: d: b: B:B I:I F:FC C:FC 0: 3:3 \": -: ");
}
