// The page "Array API": what the standard's functions are called here. What each line should print is what NumPy 2.4 prints for its standard's side.
#include <complex>
#include <cstdint>
#include <limits>
#include <tuple>

#include "support.hpp"

using namespace tessera;
using support::text;

namespace {

const auto x = make_array({{1.5, -2.0, 4.0}, {0.25, 3.0, -1.0}}), y = make_array({{2.0, 2.0, 0.5}, {1.0, -3.0, 4.0}});
const auto u = make_array({{0.5, 0.25, 0.75}, {0.125, 0.875, 0.0}});
const auto v = make_array({3.0, 1.0, 2.0, 1.0});
const auto i = make_array<std::int64_t>({{6, 3, -4}, {5, 0, 7}}), j = make_array<std::int64_t>({{2, 2, 3}, {4, 1, 2}});
const auto m = make_array({{true, false, true}, {false, false, true}});
const Array<std::complex<double>, 1> z{{1, 2}, {0, -3}};
const auto s = make_array({{2.0, 1.0}, {0.0, 4.0}});

TEST_CASE("array API: creation") {
  // --8<-- [start:creation]
  // Standard: xp.arange(0, 10, 3)
  CHECK(text(arange(0, 10, 3)) == "[0 3 6 9]");
  // Standard: xp.asarray([1.0, 2.0])
  CHECK(text(make_array({1.0, 2.0})) == "[1. 2.]");
  // Standard: xp.empty((2, 3)).shape
  CHECK(text(empty<double>(2, 3).shape()) == "(2, 3)");
  // Standard: xp.empty_like(x).shape
  CHECK(text(empty_like(x).shape()) == "(2, 3)");
  // Standard: xp.eye(2, 3, k=1)
  CHECK(text(eye<double>(2, 3, 1)) == "[[0. 1. 0.]\n [0. 0. 1.]]");
  // Standard: xp.full((2,), 7.0)
  CHECK(text(full(Dim{2}, 7.0)) == "[7. 7.]");
  // Standard: xp.full_like(x, 2.0)
  CHECK(text(full_like(x, 2.0)) == "[[2. 2. 2.]\n [2. 2. 2.]]");
  // Standard: xp.linspace(0, 1, 4, endpoint=False)
  CHECK(text(linspace(0, 1, 4, Endpoint::excluded)) == "[0.   0.25 0.5  0.75]");
  // Standard: xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4]))[0]
  CHECK(text(std::get<0>(meshgrid(make_array({1, 2}), make_array({3, 4})))) == "[[1 2]\n [1 2]]");
  // Standard: xp.ones((2, 2))
  CHECK(text(ones<double>(2, 2)) == "[[1. 1.]\n [1. 1.]]");
  // Standard: xp.ones_like(v)
  CHECK(text(ones_like(v)) == "[1. 1. 1. 1.]");
  // Standard: xp.tril(s)
  CHECK(text(tril(s)) == "[[2. 0.]\n [0. 4.]]");
  // Standard: xp.triu(x, k=1)
  CHECK(text(triu(x, 1)) == "[[ 0. -2.  4.]\n [ 0.  0. -1.]]");
  // Standard: xp.zeros((3,))
  CHECK(text(zeros<double>(3)) == "[0. 0. 0.]");
  // Standard: xp.zeros_like(v)
  CHECK(text(zeros_like(v)) == "[0. 0. 0. 0.]");
  // --8<-- [end:creation]
}

TEST_CASE("array API: types") {
  // --8<-- [start:types]
  // Standard: xp.astype(i, xp.float64)
  CHECK(text(cast<double>(i)) == "[[ 6.  3. -4.]\n [ 5.  0.  7.]]");
  // Standard: xp.finfo(xp.float32).eps == 2**-23
  CHECK(text(std::numeric_limits<float>::epsilon() == 0x1p-23f) == "true");
  // Standard: xp.iinfo(xp.int16).max
  CHECK(text(std::numeric_limits<std::int16_t>::max()) == "32767");
  // Standard: xp.result_type(xp.int32, xp.int64)
  CHECK(text(promote(DType::int32, DType::int64)) == "int64");
  // --8<-- [end:types]
}

TEST_CASE("array API: elementwise") {
  // --8<-- [start:elementwise]
  // Standard: xp.abs(x)
  CHECK(text(abs(x)) == "[[1.5  2.   4.  ]\n [0.25 3.   1.  ]]");
  // Standard: xp.ceil(x)
  CHECK(text(ceil(x)) == "[[ 2. -2.  4.]\n [ 1.  3. -1.]]");
  // Standard: xp.exp(x)
  CHECK(text(exp(x)) == "[[ 4.48168907  0.13533528 54.59815003]\n [ 1.28402542 20.08553692  0.36787944]]");
  // Standard: xp.expm1(x)
  CHECK(text(expm1(x)) == "[[ 3.48168907 -0.86466472 53.59815003]\n [ 0.28402542 19.08553692 -0.63212056]]");
  // Standard: xp.floor(x)
  CHECK(text(floor(x)) == "[[ 1. -2.  4.]\n [ 0.  3. -1.]]");
  // Standard: xp.isfinite(x)
  CHECK(text(isfinite(x)) == "[[ True  True  True]\n [ True  True  True]]");
  // Standard: xp.isinf(x)
  CHECK(text(isinf(x)) == "[[False False False]\n [False False False]]");
  // Standard: xp.isnan(x)
  CHECK(text(isnan(x)) == "[[False False False]\n [False False False]]");
  // Standard: xp.negative(x)
  CHECK(text(negative(x)) == "[[-1.5   2.   -4.  ]\n [-0.25 -3.    1.  ]]");
  // Standard: xp.positive(x)
  CHECK(text(positive(x)) == "[[ 1.5  -2.    4.  ]\n [ 0.25  3.   -1.  ]]");
  // Standard: xp.round(x)
  CHECK(text(round(x)) == "[[ 2. -2.  4.]\n [ 0.  3. -1.]]");
  // Standard: xp.sign(x)
  CHECK(text(sign(x)) == "[[ 1. -1.  1.]\n [ 1.  1. -1.]]");
  // Standard: xp.signbit(x)
  CHECK(text(signbit(x)) == "[[False  True False]\n [False False  True]]");
  // Standard: xp.sin(x)
  CHECK(text(sin(x)) == "[[ 0.99749499 -0.90929743 -0.7568025 ]\n [ 0.24740396  0.14112001 -0.84147098]]");
  // Standard: xp.cos(x)
  CHECK(text(cos(x)) == "[[ 0.0707372  -0.41614684 -0.65364362]\n [ 0.96891242 -0.9899925   0.54030231]]");
  // Standard: xp.sinh(x)
  CHECK(text(sinh(x)) == "[[ 2.12927946 -3.62686041 27.2899172 ]\n [ 0.25261232 10.01787493 -1.17520119]]");
  // Standard: xp.cosh(x)
  CHECK(text(cosh(x)) == "[[ 2.35240962  3.76219569 27.30823284]\n [ 1.0314131  10.067662    1.54308063]]");
  // Standard: xp.tan(x)
  CHECK(text(tan(x)) == "[[14.10141995  2.18503986  1.15782128]\n [ 0.25534192 -0.14254654 -1.55740772]]");
  // Standard: xp.tanh(x)
  CHECK(text(tanh(x)) == "[[ 0.90514825 -0.96402758  0.9993293 ]\n [ 0.24491866  0.99505475 -0.76159416]]");
  // Standard: xp.square(x)
  CHECK(text(square(x)) == "[[ 2.25    4.     16.    ]\n [ 0.0625  9.      1.    ]]");
  // Standard: xp.trunc(x)
  CHECK(text(trunc(x)) == "[[ 1. -2.  4.]\n [ 0.  3. -1.]]");
  // Standard: xp.reciprocal(x)
  CHECK(text(reciprocal(x)) == "[[ 0.66666667 -0.5         0.25      ]\n [ 4.          0.33333333 -1.        ]]");
  // Standard: xp.acos(u[0, :])
  CHECK(text(acos(u(0, all))) == "[1.04719755 1.31811607 0.72273425]");
  // Standard: xp.asin(u[0, :])
  CHECK(text(asin(u(0, all))) == "[0.52359878 0.25268026 0.84806208]");
  // Standard: xp.atan(u[0, :])
  CHECK(text(atan(u(0, all))) == "[0.46364761 0.24497866 0.64350111]");
  // Standard: xp.atanh(u[0, :])
  CHECK(text(atanh(u(0, all))) == "[0.54930614 0.25541281 0.97295507]");
  // Standard: xp.log(u[0, :])
  CHECK(text(log(u(0, all))) == "[-0.69314718 -1.38629436 -0.28768207]");
  // Standard: xp.log1p(u[0, :])
  CHECK(text(log1p(u(0, all))) == "[0.40546511 0.22314355 0.55961579]");
  // Standard: xp.log2(u[0, :])
  CHECK(text(log2(u(0, all))) == "[-1.        -2.        -0.4150375]");
  // Standard: xp.log10(u[0, :])
  CHECK(text(log10(u(0, all))) == "[-0.30103    -0.60205999 -0.12493874]");
  // Standard: xp.sqrt(u[0, :])
  CHECK(text(sqrt(u(0, all))) == "[0.70710678 0.5        0.8660254 ]");
  // Standard: xp.acosh(x[0, ::2])
  CHECK(text(acosh(x(0, range(none, none, 2)))) == "[0.96242365 2.06343707]");
  // Standard: xp.asinh(x)
  CHECK(text(asinh(x)) == "[[ 1.19476322 -1.44363548  2.09471255]\n [ 0.24746646  1.81844646 -0.88137359]]");
  // Standard: xp.add(x, y)
  CHECK(text(add(x, y)) == "[[3.5  0.   4.5 ]\n [1.25 0.   3.  ]]");
  // Standard: xp.subtract(x, y)
  CHECK(text(subtract(x, y)) == "[[-0.5  -4.    3.5 ]\n [-0.75  6.   -5.  ]]");
  // Standard: xp.multiply(x, y)
  CHECK(text(multiply(x, y)) == "[[ 3.   -4.    2.  ]\n [ 0.25 -9.   -4.  ]]");
  // Standard: xp.divide(x, y)
  CHECK(text(divide(x, y)) == "[[ 0.75 -1.    8.  ]\n [ 0.25 -1.   -0.25]]");
  // Standard: xp.maximum(x, y)
  CHECK(text(maximum(x, y)) == "[[2. 2. 4.]\n [1. 3. 4.]]");
  // Standard: xp.minimum(x, y)
  CHECK(text(minimum(x, y)) == "[[ 1.5  -2.    0.5 ]\n [ 0.25 -3.   -1.  ]]");
  // Standard: xp.atan2(x, y)
  CHECK(text(atan2(x, y)) == "[[ 0.64350111 -0.78539816  1.44644133]\n [ 0.24497866  2.35619449 -0.24497866]]");
  // Standard: xp.copysign(x, y)
  CHECK(text(copysign(x, y)) == "[[ 1.5   2.    4.  ]\n [ 0.25 -3.    1.  ]]");
  // Standard: xp.hypot(x, y)
  CHECK(text(hypot(x, y)) == "[[2.5        2.82842712 4.03112887]\n [1.03077641 4.24264069 4.12310563]]");
  // Standard: xp.nextafter(x, y)
  CHECK(text(nextafter(x, y)) == "[[ 1.5  -2.    4.  ]\n [ 0.25  3.   -1.  ]]");
  // Standard: xp.equal(x, y)
  CHECK(text(equal(x, y)) == "[[False False False]\n [False False False]]");
  // Standard: xp.not_equal(x, y)
  CHECK(text(not_equal(x, y)) == "[[ True  True  True]\n [ True  True  True]]");
  // Standard: xp.less(x, y)
  CHECK(text(less(x, y)) == "[[ True  True False]\n [ True False  True]]");
  // Standard: xp.less_equal(x, y)
  CHECK(text(less_equal(x, y)) == "[[ True  True False]\n [ True False  True]]");
  // Standard: xp.greater(x, y)
  CHECK(text(greater(x, y)) == "[[False False  True]\n [False  True False]]");
  // Standard: xp.greater_equal(x, y)
  CHECK(text(greater_equal(x, y)) == "[[False False  True]\n [False  True False]]");
  // Standard: xp.logaddexp(x, y)
  CHECK(text(logaddexp(x, y)) == "[[2.47407698 2.01814993 4.02975042]\n [1.38687101 3.00247569 4.00671535]]");
  // Standard: xp.floor_divide(x, y)
  CHECK(text(floor_divide(x, y)) == "[[ 0. -1.  8.]\n [ 0. -1. -1.]]");
  // Standard: xp.remainder(x, y)
  CHECK(text(remainder(x, y)) == "[[ 1.5   0.    0.  ]\n [ 0.25 -0.    3.  ]]");
  // Standard: xp.pow(v, 2.0)
  CHECK(text(pow(v, 2.0)) == "[9. 1. 4. 1.]");
  // Standard: xp.bitwise_and(i, j)
  CHECK(text(bitwise_and(i, j)) == "[[2 2 0]\n [4 0 2]]");
  // Standard: xp.bitwise_or(i, j)
  CHECK(text(bitwise_or(i, j)) == "[[ 6  3 -1]\n [ 5  1  7]]");
  // Standard: xp.bitwise_xor(i, j)
  CHECK(text(bitwise_xor(i, j)) == "[[ 4  1 -1]\n [ 1  1  5]]");
  // Standard: xp.bitwise_left_shift(i, j)
  CHECK(text(bitwise_left_shift(i, j)) == "[[ 24  12 -32]\n [ 80   0  28]]");
  // Standard: xp.bitwise_right_shift(i, j)
  CHECK(text(bitwise_right_shift(i, j)) == "[[ 1  0 -1]\n [ 0  0  1]]");
  // Standard: xp.bitwise_invert(i)
  CHECK(text(bitwise_invert(i)) == "[[-7 -4  3]\n [-6 -1 -8]]");
  // Standard: xp.logical_and(m, x > 0)
  CHECK(text(logical_and(m, x > 0)) == "[[ True False  True]\n [False False False]]");
  // Standard: xp.logical_or(m, x > 0)
  CHECK(text(logical_or(m, x > 0)) == "[[ True False  True]\n [ True  True  True]]");
  // Standard: xp.logical_xor(m, x > 0)
  CHECK(text(logical_xor(m, x > 0)) == "[[False False False]\n [ True  True  True]]");
  // Standard: xp.logical_not(m)
  CHECK(text(logical_not(m)) == "[[False  True False]\n [ True  True False]]");
  // Standard: xp.conj(z)
  CHECK(text(conj(z)) == "[1.-2.j 0.+3.j]");
  // Standard: xp.real(z)
  CHECK(text(real(z)) == "[1. 0.]");
  // Standard: xp.imag(z)
  CHECK(text(imag(z)) == "[ 2. -3.]");
  // Standard: xp.clip(x, -1, 2)
  CHECK(text(clip(x, -1, 2)) == "[[ 1.5  -1.    2.  ]\n [ 0.25  2.   -1.  ]]");
  // --8<-- [end:elementwise]
}

TEST_CASE("array API: indexing") {
  // --8<-- [start:indexing]
  // Standard: xp.take(x, xp.asarray([1, 0]), axis=0)
  CHECK(text(take(x, make_array({1, 0}))) == "[[ 0.25  3.   -1.  ]\n [ 1.5  -2.    4.  ]]");
  // Standard: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1)
  CHECK(text(take_along_axis<1>(x, argsort<1>(x))) == "[[-2.    1.5   4.  ]\n [-1.    0.25  3.  ]]");
  // Standard: x[..., 0]
  CHECK(text(x(ellipsis, 0)) == "[1.5  0.25]");
  // Standard: x[xp.newaxis, 1].shape
  CHECK(text(x(newaxis, 1).shape()) == "(1, 3)");
  // Standard: x[x > 1]
  CHECK(text(x(x > 1)) == "[1.5 4.  3. ]");
  // Standard: x[xp.asarray([0, 1]), xp.asarray([2, 0])]
  CHECK(text(x(make_array({0, 1}), make_array({2, 0}))) == "[4.   0.25]");
  // --8<-- [end:indexing]
}

TEST_CASE("array API: linalg") {
  // --8<-- [start:linalg]
  // Standard: xp.matmul(x, xp.matrix_transpose(y))
  CHECK(text(matmul(x, matrix_transpose(y))) == "[[  1.    23.5 ]\n [  6.   -12.75]]");
  // Standard: xp.tensordot(x, y, axes=2)
  CHECK(text(tensordot<2>(x, y)) == "-11.75");
  // Standard: xp.vecdot(x, y)
  CHECK(text(vecdot(x, y)) == "[  1.   -12.75]");
  // Standard: xp.linalg.cross(x[0, :], y[0, :])
  CHECK(text(cross(x(0, all), y(0, all))) == "[-9.    7.25  7.  ]");
  // Standard: xp.linalg.diagonal(x)
  CHECK(text(diagonal(x)) == "[1.5 3. ]");
  // Standard: xp.linalg.matrix_norm(s)
  CHECK(text(norm(s)) == "4.58257569495584");
  // Standard: xp.linalg.matrix_power(s, 3)
  CHECK(text(matrix_power(s, 3)) == "[[ 8. 28.]\n [ 0. 64.]]");
  // Standard: xp.linalg.outer(v, v)
  CHECK(text(outer(v, v)) == "[[9. 3. 6. 3.]\n [3. 1. 2. 1.]\n [6. 2. 4. 2.]\n [3. 1. 2. 1.]]");
  // Standard: xp.linalg.trace(s)
  CHECK(text(trace(s)) == "6.0");
  // Standard: xp.linalg.vector_norm(x, axis=1, ord=1)
  CHECK(text(norm<1>(x, 1)) == "[7.5  4.25]");
  // --8<-- [end:linalg]
}

TEST_CASE("array API: manipulation") {
  // --8<-- [start:manipulation]
  // Standard: [a.shape for a in xp.broadcast_arrays(x, x[:1, :1])][1]
  CHECK(text(std::get<1>(broadcast_arrays(x, x(range(0, 1), range(0, 1)))).shape()) == "(2, 3)");
  // Standard: xp.broadcast_to(v, (2, 4)).shape
  CHECK(text(broadcast_to(v, Dim{2, 4}).shape()) == "(2, 4)");
  // Standard: xp.concat([x, y], axis=1).shape
  CHECK(text(concat<1>(x, y).shape()) == "(2, 6)");
  // Standard: xp.expand_dims(v, axis=0).shape
  CHECK(text(expand_dims<0>(v).shape()) == "(1, 4)");
  // Standard: xp.flip(v)
  CHECK(text(flip(v)) == "[1. 2. 1. 3.]");
  // Standard: xp.moveaxis(x, 0, 1).shape
  CHECK(text(moveaxis(x, 0, 1).shape()) == "(3, 2)");
  // Standard: xp.permute_dims(x, (1, 0))
  CHECK(text(permute_dims(x, {1, 0})) == "[[ 1.5   0.25]\n [-2.    3.  ]\n [ 4.   -1.  ]]");
  // Standard: xp.repeat(v, xp.asarray([0, 1, 2, 1]))
  CHECK(text(repeat<0>(v, make_array({0, 1, 2, 1}))) == "[1. 2. 2. 1.]");
  // Standard: xp.reshape(x, (3, -1))
  CHECK(text(reshape(x, 3, -1)) == "[[ 1.5  -2.  ]\n [ 4.    0.25]\n [ 3.   -1.  ]]");
  // Standard: xp.roll(x, 1)
  CHECK(text(roll(x, 1)) == "[[-1.    1.5  -2.  ]\n [ 4.    0.25  3.  ]]");
  // Standard: xp.squeeze(x[:1, :], axis=0)
  CHECK(text(squeeze<0>(x(range(0, 1), all))) == "[ 1.5 -2.   4. ]");
  // Standard: xp.stack([v, v]).shape
  CHECK(text(stack<0>(v, v).shape()) == "(2, 4)");
  // Standard: xp.tile(v, (2,))
  CHECK(text(tile(v, {2})) == "[3. 1. 2. 1. 3. 1. 2. 1.]");
  // Standard: xp.unstack(x, axis=1)[2]
  CHECK(text(unstack<1>(x)[2]) == "[ 4. -1.]");
  // --8<-- [end:manipulation]
}

TEST_CASE("array API: searching") {
  // --8<-- [start:searching]
  // Standard: xp.argmax(x, axis=1)
  CHECK(text(argmax<1>(x)) == "[2 1]");
  // Standard: xp.argmin(x)
  CHECK(text(argmin(x)) == "1");
  // Standard: xp.count_nonzero(i, axis=0)
  CHECK(text(count_nonzero<0>(i)) == "[2 1 2]");
  // Standard: xp.nonzero(m)[1]
  CHECK(text(nonzero(m)[1]) == "[0 2 2]");
  // Standard: xp.searchsorted(xp.asarray([1.0, 2.0]), v)
  CHECK(text(searchsorted(make_array({1.0, 2.0}), v)) == "[2 0 1 0]");
  // Standard: xp.where(x > 0, x, y)
  CHECK(text(where(x > 0, x, y)) == "[[1.5  2.   4.  ]\n [0.25 3.   4.  ]]");
  // --8<-- [end:searching]
}

TEST_CASE("array API: sets") {
  // --8<-- [start:sets]
  // Standard: xp.unique_all(v).indices
  CHECK(text(unique_all(v).indices) == "[1 2 0]");
  // Standard: xp.unique_counts(v).counts
  CHECK(text(unique_counts(v).counts) == "[2 1 1]");
  // Standard: xp.unique_inverse(v).inverse_indices
  CHECK(text(unique_inverse(v).inverse) == "[2 0 1 0]");
  // Standard: xp.unique_values(v)
  CHECK(text(unique(v)) == "[1. 2. 3.]");
  // --8<-- [end:sets]
}

TEST_CASE("array API: sorting") {
  // --8<-- [start:sorting]
  // Standard: xp.argsort(v)
  CHECK(text(argsort(v)) == "[1 3 2 0]");
  // Standard: xp.sort(x, axis=1)
  CHECK(text(sort<1>(x)) == "[[-2.    1.5   4.  ]\n [-1.    0.25  3.  ]]");
  // --8<-- [end:sorting]
}

TEST_CASE("array API: statistics") {
  // --8<-- [start:statistics]
  // Standard: xp.cumulative_prod(v)
  CHECK(text(cumulative_prod(v)) == "[3. 3. 6. 6.]");
  // Standard: xp.cumulative_sum(x, axis=1)
  CHECK(text(cumulative_sum<1>(x)) == "[[ 1.5  -0.5   3.5 ]\n [ 0.25  3.25  2.25]]");
  // Standard: xp.max(x, axis=0)
  CHECK(text(max<0>(x)) == "[1.5 3.  4. ]");
  // Standard: xp.mean(x)
  CHECK(text(mean(x)) == "0.9583333333333334");
  // Standard: xp.min(x)
  CHECK(text(min(x)) == "-2.0");
  // Standard: xp.prod(v)
  CHECK(text(prod(v)) == "6.0");
  // Standard: xp.std(v, correction=1)
  CHECK(text(stddev(v, correction(1))) == "0.9574271077563381");
  // Standard: xp.sum(x, axis=1, keepdims=True)
  CHECK(text(sum<1>(x, keepdims)) == "[[3.5 ]\n [2.25]]");
  // Standard: xp.var(x, axis=1)
  CHECK(text(var<1>(x)) == "[6.05555556 2.79166667]");
  // --8<-- [end:statistics]
}

TEST_CASE("array API: utility") {
  // --8<-- [start:utility]
  // Standard: xp.all(m, axis=0)
  CHECK(text(all_of<0>(m)) == "[False False  True]");
  // Standard: xp.any(m, axis=0)
  CHECK(text(any<0>(m)) == "[ True False  True]");
  // Standard: xp.diff(v)
  CHECK(text(diff(v)) == "[-2.  1. -1.]");
  // --8<-- [end:utility]
}

}  // namespace
