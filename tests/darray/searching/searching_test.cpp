// Tests of searching, sets, counts, quantiles, differences and scans of dynamic arrays, against the static functions.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class T>
void check_searching(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{4, 3, 6}, random);
  const Array<T, 1> b = random_array<T>(Dim{9}, random), sorted = sort(b);
  const DArray x = a, turned = transpose(x, {2, 0, 1});
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(searchsorted(DArray(sorted), x), searchsorted(sorted, a)));
  CHECK(is_same(searchsorted(DArray(sorted), turned, SearchSide::right),
                searchsorted(sorted, transpose(a, {2, 0, 1}), SearchSide::right)));
  CHECK(is_same(digitize(x, sorted), digitize(a, sorted)));
  CHECK(is_same(isin(turned, b), isin(transpose(a, {2, 0, 1}), b)));
  CHECK(is_same(unique(x), unique(a)));
  const DUnique found = unique_all(x);
  const auto expected = unique_all(a);
  CHECK(is_same(found.values, expected.values));
  CHECK(is_same(found.indices, expected.indices));
  CHECK(is_same(found.inverse, expected.inverse));
  CHECK(is_same(found.counts, expected.counts));
  const DUnique slices = unique(x, -1);
  const auto wanted = unique<-1>(a);
  CHECK(is_same(slices.values, wanted.values));
  CHECK(is_same(slices.inverse, wanted.inverse));
  CHECK(is_same(slices.counts, wanted.counts));
  CHECK(is_same(intersect1d(x, b), intersect1d(a, b)));
  CHECK(is_same(union1d(x, b), union1d(a, b)));
  CHECK(is_same(setdiff1d(x, b), setdiff1d(a, b)));
  CHECK(is_same(setxor1d(x, b), setxor1d(a, b)));
  CHECK(is_same(partition(x, 1, 0), partition<0>(a, 1)));
  CHECK(is_same(argpartition(turned, -1), argpartition(transpose(a, {2, 0, 1}), -1)));
  const DTopK top = top_k(x, 2, 1);
  CHECK(is_same(top.values, top_k<1>(a, 2).values));
  CHECK(is_same(top.indices, top_k<1>(a, 2).indices));
  CHECK(is_same(histogram(x, 5).counts, histogram(a, 5).counts));
  CHECK(is_same(histogram(x, 5).edges, histogram(a, 5).edges));
  CHECK(
      is_same(histogram(x, 3, Bounds{0, 2}, cast<double>(a)).counts, histogram(a, 3, {0, 2}, cast<double>(a)).counts));
  CHECK(is_same(histogram(x, sorted).counts, histogram(a, sorted).counts));
  CHECK(is_same(median(x), median(a)));
  CHECK(is_same(median(turned, 1), median<1>(transpose(a, {2, 0, 1}))));
  CHECK(is_same(quantile(x, 0.3, 2), quantile<2>(a, 0.3)));
  const Array<double, 1> q{0.1, 0.9};
  CHECK(is_same(quantile(x, q, 1, QuantileMethod::hazen), quantile<1>(a, q, QuantileMethod::hazen)));
  CHECK(is_same(percentile(x, 40, 0), percentile<0>(a, 40)));
  CHECK(is_same(nanpercentile(x, 40, 0), nanpercentile<0>(a, 40)));
  CHECK(is_same(cumulative_max(x, 1), cumulative_max<1>(a)));
  CHECK(is_same(cumulative_min(turned, 0, {.reverse = true}),
                cumulative_min<0>(transpose(a, {2, 0, 1}), {.reverse = true})));
}

template <class T>
void check_numbers(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{4, 3, 6}, random);
  const DArray x = a;
  const Array<int, 1> labels{1, 0, 1, 3};
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(segment_sum(x, labels, 4), segment_sum(a, labels, 4)));
  CHECK(is_same(segment_mean(x, labels, 4), segment_mean(a, labels, 4)));
  if constexpr (!Complex<T>) CHECK(is_same(segment_max(x, labels, 4), segment_max(a, labels, 4)));
  CHECK(is_same(diff(x), evaluate(diff(a))));
  CHECK(is_same(diff(x, 2, 0), diff(a, 2, 0)));
  CHECK(is_same(gradient(x, 2, 1), gradient<1>(a, 2)));
  CHECK(is_same(gradient(x, Array<double, 1>{0.0, 1.0, 3.0}, 1), gradient<1>(a, Array<double, 1>{0.0, 1.0, 3.0})));
  CHECK(is_same(gradient(x, 2, 1, EdgeOrder::second), gradient<1>(a, 2, EdgeOrder::second)));
  if constexpr (!Complex<T>) {
    CHECK(is_same(moment(x, 3, 1), evaluate(moment<1>(a, 3))));
    CHECK(is_same(moments(x, {0, 2}).mean, moments<0, 2>(a).mean));
    CHECK(is_same(moments(x, correction(1)).variance, moments(a, correction(1)).variance));
  }
  CHECK(is_same(trapezoid(x, 1, 0), evaluate(trapezoid<0>(a))));
  CHECK(is_same(trapezoid(x, Array<double, 1>{0.0, 1.0, 3.0}, 1),
                evaluate(trapezoid<1>(a, Array<double, 1>{0.0, 1.0, 3.0}))));
  CHECK(is_same(cumulative_sum(x, 1, {.exclusive = true}), cumulative_sum<1>(a, {.exclusive = true})));
  CHECK(is_same(cumulative_prod(x, 0, {.include_initial = true}), cumulative_prod<0>(a, {.include_initial = true})));
  if constexpr (Numeric<T>) CHECK(is_same(convolve(DArray(a(0, 0)), a(1, 1)), convolve(a(0, 0), a(1, 1))));
}

template <class T>
void check_without_nan(std::mt19937& random) {
  Array<T, 3> a = random_array<T>(Dim{4, 3, 6}, random);
  for (T& element : a) element = random() % 3 == 0 ? static_cast<T>(NAN) : element;
  a(0, all, all) = static_cast<T>(NAN);
  const DArray x = a;
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(nansum(x, 2), evaluate(nansum<2>(a))));
  CHECK(is_same(nanmean(x, 2), evaluate(nanmean<2>(a))));
  CHECK(is_same(nanmin(x, 2), evaluate(nanmin<2>(a))));
  CHECK(is_same(nanmax(x, 2, keepdims), evaluate(nanmax<2>(a, keepdims))));
  CHECK(is_same(nanargmin(x, 2), evaluate(nanargmin<2>(a))));
  CHECK(is_same(nanargmax(x), evaluate(nanargmax(a))));
  CHECK(is_same(nanmedian(x, 1), nanmedian<1>(a)));
  CHECK(is_same(nanquantile(x, 0.25), nanquantile(a, 0.25)));
  CHECK(to_string(nanvar(x, 2, correction(1))) == to_string(evaluate(nanvar<2>(a, correction(1)))));
  CHECK(to_string(nanstddev(x, 2)) == to_string(evaluate(nanstddev<2>(a))));
  CHECK(is_same(cumulative_logsumexp(x, 0), cumulative_logsumexp<0>(a)));
  CHECK(is_same(interp(x, Array<int, 1>{0, 1}, Array<int, 1>{5, 7}),
                interp(a, Array<int, 1>{0, 1}, Array<int, 1>{5, 7})));
}

}  // namespace

TEST_CASE("searching, sets, partial orders and quantiles are those of static arrays") {
  std::mt19937 random(1);
  check_searching<bool>(random);
  check_searching<std::int8_t>(random);
  check_searching<std::uint16_t>(random);
  check_searching<std::int64_t>(random);
  check_searching<bfloat16>(random);
  check_searching<float>(random);
  check_searching<double>(random);
}

TEST_CASE("segments, differences and scans are those of static arrays") {
  std::mt19937 random(2);
  check_numbers<std::int16_t>(random);
  check_numbers<std::uint64_t>(random);
  check_numbers<float16>(random);
  check_numbers<float>(random);
  check_numbers<std::complex<float>>(random);
}

TEST_CASE("reductions without NaN are those of static arrays") {
  std::mt19937 random(3);
  check_without_nan<float16>(random);
  check_without_nan<float>(random);
  check_without_nan<double>(random);
}

TEST_CASE("types are promoted, and averages and covariances are those of static arrays") {
  const Array<int, 2> a{{0, 1, 5}, {2, 3, 4}};
  const DArray x = a;
  CHECK(to_string(isin(x, Array<std::int8_t, 1>{3, 5})) == "[[False False  True]\n [False  True False]]");
  CHECK(to_string(bincount(x.flatten())) == "[1 1 1 1 1 1]");
  CHECK(to_string(bincount(x.flatten(), Array<float, 1>{1, 2, 3, 4, 5, 6}, 7)) == "[1. 2. 4. 5. 6. 3. 0.]");
  CHECK(is_same(average(x, Array<double, 1>{1.0, 2.0, 3.0}, 1),
                evaluate(average<1>(a, Array<double, 1>{1.0, 2.0, 3.0}))));
  CHECK(is_same(average(x, cast<double>(a)), evaluate(average(a, cast<double>(a)))));
  CHECK(is_same(cov(x), cov(a)));
  CHECK(is_same(corrcoef(x), corrcoef(a)));
  CHECK(is_same(ptp(x, 1), evaluate(ptp<1>(a))));
  CHECK(to_string(ptp(x)) == "5");
}

TEST_CASE("what dynamic arrays cannot be searched or counted for") {
  const DArray x = make_darray({{1.0, 2.0}, {3.0, 4.0}});
  const DArray complex_ones = make_darray({2}, std::complex<float>(1));
  CHECK_THROWS_WITH_AS(unique(complex_ones),
                       doctest::Contains("unique: the elements are complex64, it takes elements that have an order"),
                       DTypeError);
  CHECK_THROWS_WITH_AS(searchsorted(x, x),
                       doctest::Contains("searchsorted: sorted has the shape (2, 2); it is a vector"), ShapeError);
  CHECK_THROWS_WITH_AS(bincount(x.flatten()), doctest::Contains("labels that are integers"), DTypeError);
  CHECK_THROWS_AS(isin(x, Array<int, 1>{1}), DTypeError);
  CHECK_THROWS_AS(unique(x, 2), IndexError);
  CHECK_THROWS_AS(partition(x, 2), IndexError);
  CHECK_THROWS_AS(top_k(x, 1, 5), IndexError);
  CHECK_THROWS_AS(quantile(x, 2.0), std::invalid_argument);
  CHECK_THROWS_AS(median(x, -3), IndexError);
  CHECK_THROWS_AS(nansum(x.cast(DType::int32)), DTypeError);
  CHECK_THROWS_AS(cov(x.flatten()), ShapeError);
  CHECK_THROWS_AS(cumulative_max(x), ShapeError);
  CHECK_THROWS_AS(segment_sum(x, Array<int, 1>{0, 5}, 2), IndexError);
  CHECK_THROWS_AS(histogram(x, 0), ShapeError);
  CHECK_THROWS_AS(histogram(x, 2, {}, Array<double, 1>{1.0}), ShapeError);
  CHECK_THROWS_AS(diff(x, -1), std::invalid_argument);
  CHECK_THROWS_AS(convolve(x, x), ShapeError);
}

namespace {

/// Of numbers that are no small fractions, whose roundings show.
template <class T>
void check_rounded() {
  CAPTURE(name(dtype_of<T>));
  const random::Key key{83};
  const Array<T, 2> a = cast<T>(random::normal<float>(key, Dim{37, 6}) * 40);
  const Array<double, 1> at = cumulative_sum(0.01 + random::uniform<double>(key.fold(1), Dim{37}));
  const DArray x = a;
  CHECK(is_same(gradient(x, 0.3, 0), copy(gradient<0>(a, 0.3))));
  CHECK(is_same(gradient(x, DArray(at), 0), copy(gradient<0>(a, at))));
  CHECK(is_same(gradient(x, 0.3, 0, EdgeOrder::second), copy(gradient<0>(a, 0.3, EdgeOrder::second))));
  CHECK(is_same(gradient(x, DArray(at), 0, EdgeOrder::second), copy(gradient<0>(a, at, EdgeOrder::second))));
  CHECK(is_same(moment(x, 2, 0), evaluate(moment<0>(a, 2))));
  CHECK(is_same(trapezoid(x, 0.3, 0), evaluate(trapezoid<0>(a, 0.3))));
  CHECK(is_same(trapezoid(x, DArray(at), 0), evaluate(trapezoid<0>(a, at))));
  CHECK(is_same(diff(x, 3, 0), copy(diff(a, 3, 0))));
}

}  // namespace

TEST_CASE("slopes and areas of any numbers are rounded as those of static arrays") {
  check_rounded<float16>();
  check_rounded<bfloat16>();
  check_rounded<float>();
  check_rounded<double>();
}
