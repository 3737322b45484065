// Medians and quantiles against sorting and against what NumPy 2 gives: methods, types, layouts, axes, NaN, threads, and what can go wrong.
#include "awkward.hpp"

using namespace tessera;
using namespace support;

namespace {

/// The median of a row by sorting it.
double median_of(std::vector<double> row, bool skips_nan) {
  if (skips_nan) std::erase_if(row, [](double value) { return value != value; });
  if (row.empty()) return std::nan("");
  for (const double value : row) {
    if (value != value) return value;
  }
  std::ranges::sort(row);
  const double low = row[(row.size() - 1) / 2], high = row[row.size() / 2];
  return low == high ? low : (low + high) / 2;
}

}  // namespace

TEST_CASE("every method gives what NumPy's does") {
  const Array<double, 1> x{7., 1., 4., 4., 9., -2., 3.};
  const Array<double, 1> q{0., 0.1, 0.25, 1 / 3., 0.5, 5 / 7., 0.9, 1.};
  struct Row {
    QuantileMethod method;
    std::vector<double> expected;
  };
  const Row table[] = {
      {QuantileMethod::inverted_cdf, {-2.0, -2.0, 1.0, 3.0, 4.0, 4.0, 9.0, 9.0}},
      {QuantileMethod::averaged_inverted_cdf, {-2.0, -2.0, 1.0, 3.0, 4.0, 5.5, 9.0, 9.0}},
      {QuantileMethod::closest_observation, {-2.0, -2.0, 1.0, 1.0, 4.0, 4.0, 7.0, 9.0}},
      {QuantileMethod::interpolated_inverted_cdf, {-2.0, -2.0, 0.25, 1.666666666666666, 3.5, 4.0, 7.6, 9.0}},
      {QuantileMethod::hazen, {-2.0, -1.3999999999999995, 1.5, 2.666666666666666, 4.0, 5.5, 8.6, 9.0}},
      {QuantileMethod::weibull, {-2.0, -2.0, 1.0, 2.333333333333333, 4.0, 6.142857142857143, 9.0, 9.0}},
      {QuantileMethod::linear, {-2.0, -0.19999999999999973, 2.0, 3.0, 4.0, 4.857142857142857, 7.800000000000001, 9.0}},
      {QuantileMethod::median_unbiased,
       {-2.0, -1.8, 1.333333333333333, 2.5555555555555554, 4.0, 5.7142857142857135, 8.866666666666667, 9.0}},
      {QuantileMethod::normal_unbiased,
       {-2.0, -1.6999999999999997, 1.375, 2.583333333333333, 4.0, 5.6607142857142865, 8.799999999999999, 9.0}},
      {QuantileMethod::lower, {-2.0, -2.0, 1.0, 3.0, 4.0, 4.0, 7.0, 9.0}},
      {QuantileMethod::higher, {-2.0, 1.0, 3.0, 3.0, 4.0, 7.0, 9.0, 9.0}},
      {QuantileMethod::midpoint, {-2.0, -0.5, 2.0, 3.0, 4.0, 5.5, 8.0, 9.0}},
      {QuantileMethod::nearest, {-2.0, 1.0, 3.0, 3.0, 4.0, 4.0, 7.0, 9.0}},
  };
  for (const Row& row : table) {
    CAPTURE(static_cast<int>(row.method));
    CHECK(distance(elements(quantile(x, q, row.method)), row.expected, 1e-15, 1e-15) == "");
    if (row.method == QuantileMethod::linear)  // a discrete one may change with q's last bit
      CHECK(distance(elements(percentile(x, q * 100.0, row.method)), row.expected, 1e-12, 1e-12) == "");
    for (std::ptrdiff_t i = 0; i < 8; ++i)
      CHECK(item(quantile(x, double(q(i)), row.method)) == doctest::Approx(row.expected[static_cast<std::size_t>(i)]));
  }
}

TEST_CASE_TEMPLATE("median is the middle of a sorted row", T, bool, std::int8_t, std::uint16_t, std::int32_t,
                   std::uint64_t, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  using Result = std::conditional_t<Floating<T>, T, double>;
  for (const Arrangement kind : all_arrangements) {
    CAPTURE(name_of(kind));
    for (const std::ptrdiff_t length : {1, 2, 5, 70}) {
      const auto x = awkward::array<T>(Dim<3>{4, length, 3}, kind, random);
      const auto medians = median<1>(x);
      const auto skipping = nanmedian<1>(x, keepdims);
      CHECK(skipping.shape() == Dim<3>{4, 1, 3});
      CHECK(difference(elements(median(x, 1)), elements(medians)) == "");
      for (std::ptrdiff_t i = 0; i < 4; ++i) {
        for (std::ptrdiff_t k = 0; k < 3; ++k) {
          std::vector<double> row;
          for (std::ptrdiff_t j = 0; j < length; ++j) row.push_back(static_cast<double>(T(x(i, j, k))));
          const auto wanted = static_cast<Result>(median_of(row, false)),
                     skipped = static_cast<Result>(median_of(row, true));
          REQUIRE(awkward::is_same<Result>(medians(i, k), wanted));
          REQUIRE(awkward::is_same<Result>(skipping(i, 0, k), skipped));
        }
      }
    }
  }
}

TEST_CASE("long rows have the same quantiles for any number of threads") {
  const Array<float, 1> x = random::normal<float>(random::Key{5}, Dim{300'001});
  const Array<double, 1> q = linspace<double>(0, 1, 41);
  const std::vector<float> sorted = elements(sort(x));
  for (const int threads : {1, 2, 3}) {
    const Threads restore(threads);
    CHECK(item(median(x)) == sorted[150'000]);
    const auto few = quantile(x, Array<double, 1>{0.0, 0.25, 1.0});
    CHECK(float(few(0)) == sorted.front());
    CHECK(float(few(1)) == sorted[75'000]);
    CHECK(float(few(2)) == sorted.back());
    const auto many = elements(quantile(x, q, QuantileMethod::lower));
    for (std::size_t i = 0; i < many.size(); ++i)
      REQUIRE(many[i] == sorted[static_cast<std::size_t>(std::floor(300'000 * q.data()[i]))]);
  }
}

TEST_CASE("quantiles of everything and along axes, and where their axis is") {
  const Array<int, 2> x{{10, 7, 4}, {3, 2, 1}};
  CHECK(item(median(x)) == 3.5);
  CHECK(median(x, keepdims).shape() == Dim{1, 1});
  CHECK(to_string(median<0>(x)) == "[6.5 4.5 2.5]");
  CHECK(to_string(median<1>(x)) == "[7. 2.]");
  CHECK(to_string(quantile<1>(x, Array<double, 1>{0.0, 0.5})) == "[[4. 1.]\n [7. 2.]]");
  CHECK(to_string(percentile<0>(x, 50)) == "[6.5 4.5 2.5]");
  CHECK(to_string(nanquantile<0>(cast<double>(x), 0.25)) == "[4.75 3.25 1.75]");
  CHECK(to_string(nanquantile(Array<double, 1>{1.0, std::nan(""), 3.0}, Array<double, 1>{0.5, 1.0})) == "[2. 3.]");
  CHECK(std::isnan(item(quantile(Array<double, 1>{1.0, std::nan(""), 3.0}, 0.0))));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(item(median(Array<double, 1>{infinity, infinity})) == infinity);
  CHECK(item(median(Array<double, 1>{1e308, 1.5e308})) == doctest::Approx(1.25e308));
}

TEST_CASE("quantiles say which probability or axis is wrong") {
  const Array<double, 1> x{1.0, 2.0};
  const auto message = message_of<std::invalid_argument>([&] { static_cast<void>(quantile(x, 1.5)); });
  CHECK(contains(message, "quantile: q: 1.5 at position 0 is not in [0, 1]"));
  CHECK(contains(message, "quantile_test.cpp"));
  CHECK(contains(
      message_of<std::invalid_argument>([&] { static_cast<void>(percentile(x, Array<double, 1>{5.0, -1.0})); }),
      "percentile: q: -1 at position 1 is not in [0, 100]"));
  CHECK_THROWS_AS(quantile(x, std::nan("")), std::invalid_argument);
  CHECK(contains(message_of<ShapeError>([&] { static_cast<void>(median<1>(Array<double, 2>(Dim{3, 0}))); }),
                 "median: axis 1 of shape (3, 0) has no elements"));
  CHECK(median<0>(Array<double, 2>(Dim{3, 0})).shape() == Dim{0});
  CHECK_THROWS_AS(median(x, 1), IndexError);
}
