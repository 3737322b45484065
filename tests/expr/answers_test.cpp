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
using AllKinds = Kinds<int, double, bool, Vector<bool>, Vector<int>, Vector<float>, Vector<std::complex<float>>, Array<float, 0>, Array<int, 3>,
                       Vector<const float>, ArrayView<float, 2>, Array<float, 1, GpuPlace>, Parameter<Array<float, 1>>, std::string, Stranger>;
using MainKinds = Kinds<int, double, bool, Vector<bool>, Vector<int>, Vector<float>, Vector<std::complex<float>>, Array<float, 0>, Array<int, 3>,
                        std::string, Stranger>;

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
         yes([&]<class Right>(std::type_identity<Right> right) { return asks(std::type_identity<Left>(), right); }, MainKinds()) + " ";
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
#define TWO(expression) \
  two([]<class X, class Y>(std::type_identity<X>, std::type_identity<Y>) { return requires(X& x, Y& y) { expression; }; })

}  // namespace

#define SHOW1(e) MESSAGE(#e " " << ONE(e));
#define SHOW2(e) MESSAGE(#e " " << TWO(e));
TEST_CASE("x") {
SHOW1(-x) SHOW1(+x) SHOW1(~x) SHOW1(!x) SHOW1(negative(x)) SHOW1(positive(x)) SHOW1(bitwise_invert(x)) SHOW1(logical_not(x))
SHOW1(tessera::abs(x)) SHOW1(sign(x)) SHOW1(square(x)) SHOW1(reciprocal(x)) SHOW1(tessera::exp(x)) SHOW1(tessera::expm1(x)) SHOW1(tessera::exp2(x))
SHOW1(tessera::log(x)) SHOW1(tessera::log1p(x)) SHOW1(tessera::log2(x)) SHOW1(tessera::log10(x)) SHOW1(tessera::sqrt(x)) SHOW1(rsqrt(x)) SHOW1(tessera::cbrt(x))
SHOW1(tessera::sin(x)) SHOW1(tessera::cos(x)) SHOW1(tessera::tan(x)) SHOW1(tessera::asin(x)) SHOW1(tessera::acos(x)) SHOW1(tessera::atan(x)) SHOW1(tessera::sinh(x)) SHOW1(tessera::cosh(x)) SHOW1(tessera::tanh(x)) SHOW1(tessera::asinh(x)) SHOW1(tessera::acosh(x)) SHOW1(tessera::atanh(x)) SHOW1(degrees(x)) SHOW1(radians(x))
SHOW1(tessera::floor(x)) SHOW1(tessera::ceil(x)) SHOW1(tessera::trunc(x)) SHOW1(tessera::round(x)) SHOW1(tessera::isnan(x)) SHOW1(tessera::isfinite(x)) SHOW1(tessera::isinf(x)) SHOW1(tessera::signbit(x)) SHOW1(tessera::real(x)) SHOW1(tessera::imag(x)) SHOW1(tessera::conj(x)) SHOW1(angle(x))
SHOW1(tessera::erf(x)) SHOW1(tessera::erfc(x)) SHOW1(tessera::lgamma(x)) SHOW1(sigmoid(x)) SHOW1(relu(x)) SHOW1(leaky_relu(x)) SHOW1(softplus(x)) SHOW1(silu(x)) SHOW1(gelu(x))
SHOW1(sum(x)) SHOW1(sum<0>(x)) SHOW1(sum<1>(x)) SHOW1(sum(x, 0)) SHOW1(sum(x, axis<1>)) SHOW1(sum(x, keepdims)) SHOW1(sum(x, x)) SHOW1((sum<0, 0>(x)))
SHOW1(prod(x)) SHOW1(any(x)) SHOW1(any_of(x)) SHOW1(all_of(x)) SHOW1(all(x)) SHOW1(count_nonzero(x)) SHOW1(tessera::min(x)) SHOW1(tessera::max<1>(x)) SHOW1(tessera::max(x, x)) SHOW1(tessera::max(x, 0)) SHOW1(tessera::min(x, 0.5))
SHOW1(argmin(x)) SHOW1(argmax(x, 0)) SHOW1((argmax<0, 1>(x))) SHOW1(argmax(x, axis<0, 1>)) SHOW1(mean(x)) SHOW1(mean<1>(x, keepdims)) SHOW1(var(x)) SHOW1(stddev(x)) SHOW1(logsumexp(x)) SHOW1(norm(x)) SHOW1(norm<1>(x)) SHOW1(norm(x, 3)) SHOW1(softmax<0>(x)) SHOW1(log_softmax(x)) SHOW1(standardise(x)) SHOW1(layernorm(x)) SHOW1(layernorm(x, x, x))
SHOW1(clip(x, 0, 1)) SHOW1(clip(x, none, x)) SHOW1(clip(x, 0.5, none))
SHOW1(where(x, 1, 0.5)) SHOW1(where(x, x, 0)) SHOW1(where(true, x, x)) SHOW1(where(x, "a", 1))
SHOW1(cast<float>(x)) SHOW1(cast<std::string>(x)) SHOW1(cast<bool>(x))
SHOW1(F<Halved>(x)) SHOW1(F<Sum>(x)) SHOW1((F<Sum>(x, 1.f))) SHOW1(F<Stranger>(x)) SHOW1(F<int>(x))
SHOW1(concat<0>(x)) SHOW1((concat<1>(x, x))) SHOW1(stack<0>(x, x)) SHOW1(stack<2>(x)) SHOW1(concat<0>(std::vector{x, x}))
SHOW1(flip(x)) SHOW1(flip<1>(x)) SHOW1(roll<0>(x, 1)) SHOW1((roll<0, 1>(x, 1))) SHOW1(pad(x, 1, 0)) SHOW1(pad(x, {{1, 1}}, 0)) SHOW1(pad(x, 1, PadMode::edge)) SHOW1(pad(x, 1, x)) SHOW1(tile(x, {2})) SHOW1(repeat<0>(x, 2)) SHOW1(repeat<1>(x, 2))
SHOW1(transpose(x)) SHOW1(transpose(x, {1, 0})) SHOW1(moveaxis(x, 0, 1)) SHOW1(swapaxes(x, 0, 1)) SHOW1(matrix_transpose(x)) SHOW1(expand_dims<0>(x)) SHOW1(expand_dims<3>(x)) SHOW1(squeeze<0>(x)) SHOW1(squeeze<1>(x)) SHOW1(reshape(x, 2, -1)) SHOW1(reshape(x, {2, 3})) SHOW1(reshape(x, Dim{2, 3})) SHOW1(reshape(x, x)) SHOW1(flatten(x)) SHOW1(broadcast_to(x, Dim{2, 3})) SHOW1((sliding_window<0>(x, {2}))) SHOW1(slice(x, {0}, {1}))
SHOW1(zeros_like(x)) SHOW1(ones_like<int>(x)) SHOW1(full_like(x, 1)) SHOW1(full_like(x, x)) SHOW1(empty_like(x)) SHOW1(full(Dim{2}, x)) SHOW1(make_array(x)) SHOW1(make_array({x})) SHOW1(zeros<X>(Dim{2})) SHOW1(eye<X>(2)) SHOW1(arange<X>(2)) SHOW1(linspace(x, x, 2)) SHOW1(arange(x, x))
SHOW1(copy(x)) SHOW1(evaluate(x)) SHOW1(item(x)) SHOW1(tessera::to_string(x)) SHOW1(explain(x)) SHOW1(make_view(x)) SHOW1(make_iterator(x))
SHOW1(sort(x)) SHOW1(sort<0>(x, descending)) SHOW1(sort<1>(x)) SHOW1(argsort(x)) SHOW1(sort_into(x, x)) SHOW1(argsort_into(x, x)) SHOW1(cumulative_sum(x)) SHOW1(cumulative_sum<1>(x)) SHOW1(cumulative_prod<0>(x)) SHOW1(cumulative_sum_into(x, x)) SHOW1(cumulative_prod_into<0>(x, x)) SHOW1(take(x, x)) SHOW1(take(x, Vector<int>())) SHOW1(take_into(x, x, Vector<int>())) SHOW1(compress(x, x)) SHOW1(compress(x, Vector<float>())) SHOW1(compress_into(x, Vector<bool>(), x))
SHOW1(x(0)) SHOW1(x(0, 0)) SHOW1(x(all, 0)) SHOW1(x(ellipsis, ellipsis)) SHOW1(x(0.5)) SHOW1(x(x)) SHOW1(x[0]) SHOW1(x[0.5]) SHOW1((x[{0}])) SHOW1(x[0][1]) SHOW1(x.T()) SHOW1(x.begin()) SHOW1(x.sum()) SHOW1(x.template sum<1>()) SHOW1(x.mean()) SHOW1(x.reshape(2, 3)) SHOW1(x.item()) SHOW1(x.to(GpuPlace{0})) SHOW1((x + x)(0, 0)) SHOW1((x + x)(0.5)) SHOW1((x + x)(x)) SHOW1((x * 2).begin()) SHOW1(x && true) SHOW1(x || x) SHOW1(bool(x)) SHOW1(double(x)) SHOW1(std::cout << x)
SHOW1((Vector<int>(x))) SHOW1((Array<float, 2>(x))) SHOW1((Array<float, 0>(x))) SHOW1((Array<float, 1, CpuPlace>(x)))
SHOW2(x + y) SHOW2(x % y) SHOW2(x == y) SHOW2(x < y) SHOW2(x & y) SHOW2(x << y) SHOW2(logical_and(x, y)) SHOW2(tessera::maximum(x, y)) SHOW2(tessera::atan2(x, y)) SHOW2(tessera::pow(x, y)) SHOW2(dot(x, y)) SHOW2(matmul(x, y)) SHOW2(outer(x, y)) SHOW2(vecdot(x, y)) SHOW2(x = y) SHOW2(x += y) SHOW2(x %= y) SHOW2(where(Vector<bool>(), x, y)) SHOW2(array_equal(x, y)) SHOW2(allclose(x, y)) SHOW2(x(ellipsis) = y) SHOW2(std::as_const(x) = y) SHOW2(std::as_const(x) += y) SHOW2((concat<0>(x, y)))
}
