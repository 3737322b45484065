// Searching, sets, counts, quantiles, differences and scans of arrays without storage or elements, with huge extents of nothing, and with extreme
// numbers: each either answers or says what is wrong.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr std::ptrdiff_t most = PTRDIFF_MAX, least = PTRDIFF_MIN;

}  // namespace

TEST_CASE("searching and sets of nothing") {
  const Array<float, 1> none;
  CHECK(searchsorted(none, none).shape() == Dim{0});
  CHECK(searchsorted(none, 1.0f) == 0);
  CHECK(digitize(none, none).shape() == Dim{0});
  CHECK(isin(none, none).shape() == Dim{0});
  CHECK(unique(none).shape() == Dim{0});
  CHECK(unique_counts(none).counts.shape() == Dim{0});
  CHECK(unique_inverse(none).inverse.shape() == Dim{0});
  CHECK(unique_all(none).indices.shape() == Dim{0});
  CHECK(intersect1d(none, none).shape() == Dim{0});
  CHECK(union1d(none, none).shape() == Dim{0});
  CHECK(setdiff1d(none, none).shape() == Dim{0});
  CHECK(setxor1d(none, none).shape() == Dim{0});
  const Array<float, 0> no_storage;
  CHECK_THROWS_AS(unique(no_storage), ShapeError);
  CHECK_THROWS_AS(isin(no_storage, none), ShapeError);
  CHECK_THROWS_AS(searchsorted(none, no_storage), ShapeError);
}

TEST_CASE("huge extents of nothing are searched") {
  const Array<float, 2> huge = zeros<float>(Dim{most, std::ptrdiff_t(0)});
  CHECK(isin(huge, huge).shape() == huge.shape());
  CHECK(searchsorted(Array<float, 1>(), huge).shape() == huge.shape());
  CHECK(unique(huge).shape() == Dim{0});
  CHECK_THROWS_AS(unique<0>(huge), ShapeError);
  CHECK(median<0>(huge).shape() == Dim{0});
  CHECK_THROWS_AS(median<1>(huge), ShapeError);
  CHECK(top_k<1>(huge, 0).values.shape() == huge.shape());
  CHECK(cumulative_max<1>(huge).shape() == huge.shape());
  CHECK(histogram(huge, 2).counts.shape() == Dim{2});
  CHECK_THROWS_AS(segment_sum(huge, Array<int, 1>(), 1), ShapeError);
}

TEST_CASE("counts and partial orders of nothing, and of too much") {
  const Array<float, 1> none;
  const Array<int, 1> no_labels;
  CHECK(bincount(no_labels).shape() == Dim{0});
  CHECK_THROWS_AS(bincount(no_labels, most), ShapeError);
  CHECK_THROWS_AS(bincount(no_labels, least), ShapeError);
  CHECK(to_string(histogram(none, 1).density()) == "[nan]");
  CHECK_THROWS_AS(histogram(none, most), ShapeError);
  CHECK_THROWS_AS(histogram(none, least), ShapeError);
  CHECK_THROWS_AS(histogram(none, none), ShapeError);
  CHECK_THROWS_AS(histogram(none, 1, {-std::numeric_limits<double>::infinity(), 0}), std::invalid_argument);
  CHECK(histogram(Array<double, 1>{1e308}, 3, {-1.7e308, 1.7e308}).counts.shape() == Dim{3});
  CHECK_THROWS_AS(segment_sum(none, no_labels, most), ShapeError);
  CHECK_THROWS_AS(segment_mean(none, no_labels, least), ShapeError);
  CHECK(to_string(segment_min(none, no_labels, 1)) == "[inf]");
  CHECK(to_string(segment_max(none, no_labels, 1)) == "[-inf]");
  CHECK_THROWS_AS(partition(none, 0), IndexError);
  CHECK_THROWS_AS(argpartition(none, least), IndexError);
  CHECK(top_k(none, 0).indices.shape() == Dim{0});
  CHECK_THROWS_AS(top_k(none, most), IndexError);
}

TEST_CASE("statistics of nothing, and of extreme numbers") {
  const Array<double, 1> none, largest{1.7e308, 1.7e308};
  CHECK_THROWS_AS(median(none), ShapeError);
  CHECK_THROWS_AS(nanmedian(none), ShapeError);
  CHECK_THROWS_AS(quantile(none, 0.5), ShapeError);
  CHECK_THROWS_AS(percentile(none, 50), ShapeError);
  CHECK_THROWS_AS(nanquantile(none, 0.5), ShapeError);
  CHECK_THROWS_AS(nanpercentile(none, 50), ShapeError);
  CHECK_THROWS_AS(item(moment(none, 2)), ShapeError);
  CHECK(item(moment(largest, 0)) == 1);
  CHECK_THROWS_AS(moment(largest, std::numeric_limits<int>::min()), std::invalid_argument);
  CHECK_THROWS_AS(moments(none), ShapeError);
  CHECK(quantile(largest, none).shape() == Dim{0});
  CHECK(item(median(largest)) == 1.7e308);
  CHECK(item(median(Array<std::int64_t, 1>{INT64_MIN, INT64_MAX})) == 0);
  CHECK(item(nansum(none)) == 0);
  CHECK(std::isnan(item(nanmean(none))));
  CHECK(std::isnan(item(nanvar(none))));
  CHECK(std::isnan(item(nanstddev(none))));
  CHECK_THROWS_AS(item(nanmin(none)), ShapeError);
  CHECK_THROWS_AS(item(nanmax(none)), ShapeError);
  CHECK_THROWS_AS(item(nanargmin(none)), ShapeError);
  CHECK_THROWS_AS(item(nanargmax(none)), ShapeError);
  CHECK_THROWS_AS(item(ptp(none)), ShapeError);
  CHECK(std::isnan(item(average(none, none))));
  CHECK_THROWS_AS(cov(Array<double, 2>()), ShapeError);
  CHECK_THROWS_AS(corrcoef(Array<double, 2>()), ShapeError);
}

TEST_CASE("differences, filters and scans of nothing") {
  const Array<double, 1> none;
  CHECK(diff(none, most).shape() == Dim{0});
  CHECK_THROWS_AS(diff(none, least), std::invalid_argument);
  CHECK_THROWS_AS(gradient(none), ShapeError);
  CHECK(item(trapezoid(none)) == 0);
  CHECK_THROWS_AS(convolve(none, none), ShapeError);
  CHECK_THROWS_AS(interp(none, none, none), ShapeError);
  CHECK(cumulative_max(none).shape() == Dim{0});
  CHECK(cumulative_min(none, {.exclusive = true}).shape() == Dim{0});
  CHECK(to_string(cumulative_logsumexp(none, {.include_initial = true})) == "[-inf]");
}
