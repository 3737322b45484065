// The examples of the page on statistics and differences.
#include "../../expr/support.hpp"

using namespace tessera;

TEST_CASE("the page's quantiles are as it says") {
  // --8<-- [start:quantiles]
  const Array<float, 2> x = make_array({{10.0f, 7.0f, 4.0f}, {3.0f, 2.0f, 1.0f}});
  const float middle = median(x);                                       // 3.5
  const auto rows = median<1>(x);                                       // 7 2
  const auto columns = quantile<0>(x, 0.25);                            // 4.75 3.25 1.75
  const auto ends = quantile<1>(x, make_array(std::vector{0.0, 1.0}));  // 4 1 / 10 3
  const float third = percentile(x, 30, QuantileMethod::nearest);       // 3
  // --8<-- [end:quantiles]
  CHECK(middle == 3.5f);
  CHECK(to_string(rows) == "[7. 2.]");
  CHECK(to_string(columns) == "[4.75 3.25 1.75]");
  CHECK(to_string(ends) == "[[ 4.  1.]\n [10.  3.]]");
  CHECK(third == 3.0f);
}

TEST_CASE("the page's reductions are as it says") {
  // --8<-- [start:reductions]
  const Array<double, 1> x{1.0, NAN, 3.0};
  const double total = nansum(x);                                                                         // 4
  const double typical = nanmean(x);                                                                      // 2
  const auto largest = nanargmax(x);                                                                      // 2
  const double weighted = average(make_array(std::vector{1.0, 5.0}), make_array(std::vector{3.0, 1.0}));  // 2
  const double skewed = moment(make_array(std::vector{1.0, 2.0, 4.0, 7.0}), 3);                           // 6
  const auto [mean, variance] = moments<0>(make_array({{1.0, 5.0}, {3.0, 5.0}}));                         // 2 5, 1 0
  const auto spread = ptp(make_array(std::vector{4, 9, 2}));                                              // 7
  const Array<double, 2> observed = make_array({{1.0, 2.0, 3.0}, {6.0, 4.0, 2.0}});
  const auto together = cov(observed);          // 1 -2 / -2 4
  const auto correlation = corrcoef(observed);  // 1 -1 / -1 1
  // --8<-- [end:reductions]
  CHECK(total == 4);
  CHECK(typical == 2);
  CHECK(item(largest) == 2);
  CHECK(weighted == 2);
  CHECK(skewed == 6);
  CHECK(to_string(mean) == "[2. 5.]");
  CHECK(to_string(variance) == "[1. 0.]");
  CHECK(item(spread) == 7);
  CHECK(to_string(together) == "[[ 1. -2.]\n [-2.  4.]]");
  CHECK(to_string(correlation) == "[[ 1. -1.]\n [-1.  1.]]");
}

TEST_CASE("the page's scans are as it says") {
  // --8<-- [start:scans]
  const auto x = make_array(std::vector{1, 3, 2});
  const auto highest = cumulative_max(x);                               // 1 3 3
  const auto before = cumulative_sum(x, {.exclusive = true});           // 0 1 4
  const auto with_zero = cumulative_sum(x, {.include_initial = true});  // 0 1 4 6
  const auto from_the_end = cumulative_sum(x, {.reverse = true});       // 6 5 2
  // --8<-- [end:scans]
  CHECK(to_string(highest) == "[1 3 3]");
  CHECK(to_string(before) == "[0 1 4]");
  CHECK(to_string(with_zero) == "[0 1 4 6]");
  CHECK(to_string(from_the_end) == "[6 5 2]");
}

TEST_CASE("the page's differences are as it says") {
  // --8<-- [start:differences]
  const auto y = make_array(std::vector{1.0, 2.0, 4.0, 7.0});
  const auto at = make_array(std::vector{0.0, 1.0, 3.0, 4.0});
  const auto steps = diff(y);                                                               // 1 2 3
  const auto slopes = gradient(y);                                                          // 1 1.5 2.5 3
  const auto parabolic = gradient(y, at, EdgeOrder::second);                                // 1 1 2.33 3.67
  const double area = trapezoid(y, at);                                                     // 13
  const auto smooth = convolve(y, make_array(std::vector{0.5, 0.5}), ConvolveMode::valid);  // 1.5 3 5.5
  const auto between = interp(make_array(std::vector{-1.0, 2.0, 9.0}), at, y);              // 1 3 7
  // --8<-- [end:differences]
  CHECK(to_string(steps) == "[1. 2. 3.]");
  CHECK(to_string(slopes) == "[1.  1.5 2.5 3. ]");
  CHECK(support::distance(support::elements(parabolic), {1.0, 1.0, 7.0 / 3, 11.0 / 3}, 1e-14, 1e-14) == "");
  CHECK(area == 13);
  CHECK(to_string(smooth) == "[1.5 3.  5.5]");
  CHECK(to_string(between) == "[1. 3. 7.]");
}
