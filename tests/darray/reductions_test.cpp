// Tests of reductions of dynamic operands: lists of axes, against the static ones, bit for bit.
#include <doctest/doctest.h>

#include <string>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class T>
void check_sums(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{4, 5, 6}, random);
  const DArray d = a, seen = DArray(transpose(a, {2, 0, 1}));
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(DArray(sum(d)), evaluate(sum(a))));
  CHECK(is_same(DArray(sum(d, 1)), evaluate(sum<1>(a))));
  CHECK(is_same(DArray(sum(d, {0, -1})), evaluate(sum<0, 2>(a))));
  CHECK(is_same(DArray(sum(d, {2, 1}, keepdims)), evaluate(sum<1, 2>(a, keepdims))));
  CHECK(is_same(DArray(sum(seen, {0})), evaluate(sum<2>(a))));
  CHECK(is_same(DArray(prod(d, -1)), evaluate(prod<-1>(a))));
  CHECK(is_same(DArray(count_nonzero(d, {0, 1})), evaluate(count_nonzero<0, 1>(a))));
  CHECK(is_same(DArray(any(d, 0)), evaluate(any<0>(a))));
  CHECK(is_same(DArray(all_of(d, {1}, keepdims)), evaluate(all_of<1>(a, keepdims))));
}

template <class T>
void check_orders(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{4, 5, 6}, random);
  const DArray d = a;
  CHECK(is_same(DArray(min(d, {0, 2})), evaluate(min<0, 2>(a))));
  CHECK(is_same(DArray(max(d, keepdims)), evaluate(max(a, keepdims))));
  CHECK(is_same(DArray(argmin(d, 1)), evaluate(argmin<1>(a))));
  CHECK(is_same(DArray(argmax(d)), evaluate(argmax(a))));
}

template <class T>
void check_statistics(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{40, 5, 6}, random);
  const DArray d = a;
  CHECK(is_same(DArray(mean(d, {0, 1})), evaluate(mean<0, 1>(a))));
  CHECK(is_same(DArray(var(d, 0, correction(1))), evaluate(var<0>(a, correction(1)))));
  CHECK(is_same(DArray(stddev(d, {1, 2}, keepdims)), evaluate(stddev<1, 2>(a, keepdims))));
  CHECK(is_same(DArray(logsumexp(d, -1)), evaluate(logsumexp<-1>(a))));
  CHECK(is_same(DArray(norm(d, {0})), evaluate(norm<0>(a))));
  CHECK(is_same(DArray(d - mean(d, 0, keepdims) * 2), evaluate(a - mean<0>(a, keepdims) * 2)));
  CHECK(is_same(DArray(sum(exp(d) * d, {0})), evaluate(sum<0>(exp(a) * a))));
}

}  // namespace

TEST_CASE("sums, products and searches have the types and bits of the static ones") {
  std::mt19937 random(21);
  check_sums<bool>(random);
  check_sums<std::int8_t>(random);
  check_sums<std::uint32_t>(random);
  check_sums<float16>(random);
  check_sums<float>(random);
  check_sums<double>(random);
  check_sums<std::complex<float>>(random);
  check_orders<std::uint8_t>(random);
  check_orders<std::int64_t>(random);
  check_orders<bfloat16>(random);
  check_orders<float>(random);
}

TEST_CASE("statistics have the types and bits of the static ones, inside expressions too") {
  std::mt19937 random(22);
  check_statistics<float16>(random);
  check_statistics<float>(random);
  check_statistics<double>(random);
  const Array<int, 2> whole = random_array<int>(Dim{30, 4}, random);
  CHECK(is_same(DArray(mean(DArray(whole), 0)), evaluate(mean<0>(whole))));
}

TEST_CASE("long reductions of expressions are those of static ones, on several threads") {
  std::mt19937 random(23);
  const Array<float, 2> a = random_array<float>(Dim{700, 900}, random);
  const DArray d = a;
  CHECK(is_same(DArray(sum(d * 2 + 1, 1)), evaluate(sum<1>(a * 2 + 1))));
  CHECK(is_same(DArray(sum(d.T() - 1, 1)), evaluate(sum<0>(a - 1))));
  CHECK(is_same(DArray(max(abs(d))), evaluate(max(abs(a)))));
}

TEST_CASE("axes that are not there, or named twice, and types without an order are refused") {
  const DArray d = make_darray({{1.f, 2.f}, {3.f, 4.f}});
  CHECK_THROWS_AS(sum(d, 2), IndexError);
  CHECK_THROWS_AS(sum(d, {0, -2}), IndexError);
  CHECK_THROWS_AS(argmax(d, {0, 1}), IndexError);
  CHECK_THROWS_WITH_AS(max(cast(d, DType::complex64)),
                       "max: it does not take complex64 elements; the shape is (2, 2); convert them: cast(x, dtype)",
                       DTypeError);
  CHECK_THROWS_AS(var(cast(d, DType::int32)), DTypeError);
  CHECK_THROWS_AS(min(DArray(make_ddim({2, 0}), DType::float32), 1), ShapeError);
}

TEST_CASE("norms of other orders are those of static arrays") {
  std::mt19937 random(24);
  const Array<double, 2> a = random_array<double>(Dim{7, 9}, random);
  const DArray d = a;
  CHECK(is_same(DArray(norm(d, NormOrder::one, 0)), evaluate(norm<NormOrder::one, 0>(a))));
  CHECK(is_same(DArray(norm(d, NormOrder::infinity, {1})), evaluate(norm<NormOrder::infinity, 1>(a))));
  CHECK(is_same(DArray(norm(d, NormOrder::minus_infinity)), evaluate(norm<NormOrder::minus_infinity>(a))));
  CHECK(is_same(DArray(norm(d, NormOrder::zero)), evaluate(norm<NormOrder::zero>(a))));
  CHECK(is_same(DArray(norm(d, 3, {-1})), evaluate(norm<-1>(a, 3))));  // a number is an exponent, axes are in braces
  CHECK(is_same(DArray(norm(d, 1)), evaluate(norm(a, 1))));
  CHECK(is_same(DArray(norm(d, {1})), evaluate(norm<1>(a))));
  const Array<bfloat16, 1> narrow = cast<bfloat16>(random::uniform<float>(random::Key{5}, Dim{3000}));
  CHECK(is_same(DArray(norm(DArray(narrow), 7)), evaluate(norm(narrow, 7))));
  CHECK(norm(cast<double>(narrow), 7) ==
        doctest::Approx(double(float(evaluate(norm(narrow, 7)).item()))).epsilon(0.004));
  CHECK_THROWS_WITH_AS(norm(d.cast(DType::int8), NormOrder::one), doctest::Contains("int8"), DTypeError);
  CHECK_THROWS_WITH_AS(norm(d.cast(DType::complex64), 3), doctest::Contains("norm: the elements are complex64"),
                       DTypeError);
}

TEST_CASE("axes of variances are written in braces as those of sums, and axes of transpositions too") {
  const DArray x = arange(DType::float64, 12).reshape({3, 4});
  CHECK(double(DArray(var(x, {1}))[{0}]) == doctest::Approx(1.25));
  CHECK(double(DArray(stddev(x, {0, 1}, correction(1)))) == doctest::Approx(double(stddev(x, correction(1)))));
  CHECK(x.transpose().shape() == make_ddim({4, 3}));
  CHECK(x.transpose({1, 0}).shape() == make_ddim({4, 3}));
}

namespace {

/// Numbers whose sums are rounded, so that their order shows.
template <class T, int Rank>
Array<T, Rank> fractions(const Dim<Rank>& shape, std::mt19937& random) {
  std::uniform_real_distribution<T> distribution(T(0.1), T(1));
  Array<T, Rank> array(shape);
  for (T& element : array) element = distribution(random);
  return array;
}

/// Of values that a static array folds as it computes them, and a dynamic one by the loops of the library.
template <class T>
void check_computed(std::mt19937& random) {
  for (const std::ptrdiff_t wide : {2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 700, 1500, 4097}) {
    for (const std::ptrdiff_t high : {1, 7, 9, 20, 40, 70}) {
      if (wide * high > 20'000) continue;
      CAPTURE(wide);
      CAPTURE(high);
      const Array<T, 2> a = fractions<T>(Dim{high, wide}, random), b = fractions<T>(Dim{wide, high}, random),
                        column = fractions<T>(Dim<2>{high, 1}, random);
      const DArray d = a, e = b, c = column;
      CHECK(is_same(DArray(sum(d * 2 - c, {1})), evaluate(sum<1>(a * 2 - column))));
      CHECK(is_same(DArray(sum(d * 2 - c, {0})), evaluate(sum<0>(a * 2 - column))));
      CHECK(is_same(DArray(mean(d - transpose(e), {1})), evaluate(mean<1>(a - transpose(b)))));
      CHECK(is_same(DArray(mean(d - transpose(e), {0})), evaluate(mean<0>(a - transpose(b)))));
      CHECK(is_same(DArray(max(d * c)), evaluate(max(a * column))));
      CHECK(is_same(DArray(sum(d * c)), evaluate(sum(a * column))));
    }
  }
}

/// Of parts of arrays, whose rows have others between them.
template <class T>
void check_parts(std::mt19937& random) {
  for (const std::ptrdiff_t wide : {5, 33, 64, 100, 130, 600}) {
    for (const auto& [sets, high] : {std::pair{40, 20}, std::pair{3, 70}, std::pair{9, 4}}) {
      CAPTURE(wide);
      CAPTURE(high);
      const Array<T, 3> x = fractions<T>(Dim<3>{sets, high + 10, wide + 36}, random),
                        rows = fractions<T>(Dim<3>{1, high, 1}, random);
      const DArray d = x, r = rows;
      const auto a = x(all, range(0, high), range(0, wide));
      const DArray e = d(all, range(0, high), range(0, wide));
      CHECK(is_same(DArray(sum(e * 2 + 1, {1, 2})), evaluate(sum<1, 2>(a * 2 + 1))));
      CHECK(is_same(DArray(sum(e * r, {0, 2})), evaluate(sum<0, 2>(a * rows))));
      CHECK(is_same(DArray(mean(e - r, {2})), evaluate(mean<2>(a - rows))));
      CHECK(is_same(DArray(mean(e - r, {1})), evaluate(mean<1>(a - rows))));
      CHECK(is_same(DArray(sum(e * 2, {0})), evaluate(sum<0>(a * 2))));
      CHECK(is_same(DArray(sum(e, {1, 2})), evaluate(sum<1, 2>(a))));
    }
  }
}

}  // namespace

TEST_CASE("computed values of any extents are added up in the order of the static ones, to the bit") {
  for (const device::Isa isa : {device::Isa::baseline, device::Isa::avx2, device::Isa::avx512}) {
    device::limit_isa(isa);
    std::mt19937 random(8);
    check_computed<float>(random);
    check_computed<double>(random);
    check_parts<float>(random);
    check_parts<double>(random);
  }
  device::limit_isa(device::Isa::avx512);
}
