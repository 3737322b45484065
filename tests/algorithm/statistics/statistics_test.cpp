// Reductions without NaN, averages, covariances and correlations against plain loops and against what NumPy 2 gives.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Random numbers, of which some are NaN; of each third row all.
template <class T>
Array<T, 3> with_nan(const Dim<3>& shape, Arrangement kind, Random& random) {
  const Array<T, 3> x = storage_like<T>(shape, kind, T(0), random, false);
  for_each_position(shape, [&](const auto& at) {
    const bool is_nan = random.below(4) == 0 || (at[0] + at[2]) % 3 == 0;
    element(x, at) = is_nan ? static_cast<T>(nan_value) : random_value<T>(random);
  });
  return x;
}

struct Expected {
  double sum = 0, mean = nan_value, min = nan_value, max = nan_value, var = nan_value;
  std::int64_t argmin = -1, argmax = -1;
};

Expected expected_of(const std::vector<double>& row) {
  Expected result;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != row[i]) continue;
    result.sum += row[i];
    if (count == 0 || row[i] < result.min) result.min = row[i], result.argmin = static_cast<std::int64_t>(i);
    if (count == 0 || row[i] > result.max) result.max = row[i], result.argmax = static_cast<std::int64_t>(i);
    ++count;
  }
  if (count == 0) return result;
  result.mean = result.sum / static_cast<double>(count);
  double squares = 0;
  for (const double x : row) squares += x == x ? (x - result.mean) * (x - result.mean) : 0;
  result.var = squares / static_cast<double>(count);
  return result;
}

/// Equal up to what T rounds.
template <class T>
bool is_near(T got, double expected) {
  const double epsilon = sizeof(T) == 2 ? 2e-2 : sizeof(T) == 4 ? 1e-5 : 1e-12, value = static_cast<double>(got);
  return (value != value && expected != expected) || std::abs(value - expected) <= epsilon * (1 + std::abs(expected));
}

}  // namespace

TEST_CASE_TEMPLATE("reductions skip NaN", T, float16, bfloat16, float, double) {
  Random random(sizeof(T));
  INFO(random.how_to_repeat());
  for (const Arrangement kind : target_arrangements) {
    CAPTURE(name_of(kind));
    const auto x = with_nan<T>(Dim{4, 9, 5}, kind, random);
    const Array<T, 2> sums = nansum<1>(x), means = nanmean<1>(x), lowest = nanmin<1>(x), highest = nanmax<1>(x),
                      variances = nanvar<1>(x), deviations = nanstddev<1>(x);
    const Array<std::int64_t, 2> first = nanargmin<1>(x), last = nanargmax<1>(x);
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      for (std::ptrdiff_t k = 0; k < 5; ++k) {
        std::vector<double> row;
        for (std::ptrdiff_t j = 0; j < 9; ++j) row.push_back(static_cast<double>(T(x(i, j, k))));
        const Expected expected = expected_of(row);
        CAPTURE(i);
        CAPTURE(k);
        CHECK(is_near<T>(sums(i, k), expected.sum));
        CHECK(is_near<T>(means(i, k), expected.mean));
        CHECK(is_near<T>(lowest(i, k), expected.min));
        CHECK(is_near<T>(highest(i, k), expected.max));
        CHECK(is_near<T>(variances(i, k), expected.var));
        CHECK(is_near<T>(deviations(i, k), std::sqrt(expected.var)));
        CHECK(first(i, k) == expected.argmin);
        CHECK(last(i, k) == expected.argmax);
      }
    }
  }
}

TEST_CASE("reductions without NaN of everything, with keepdims, along an axis at run time, and with a correction") {
  const Array<double, 2> x{{1.0, nan_value, 3.0}, {nan_value, nan_value, nan_value}};
  CHECK(item(nansum(x)) == 4);
  CHECK(item(nanmean(x)) == 2);
  CHECK(item(nanmin(x)) == 1);
  CHECK(item(nanargmax(x)) == 2);
  CHECK(item(nanvar(x, correction(1))) == 2);
  CHECK(to_string(nanvar<1>(x, correction(2))) == "[nan nan]");
  CHECK(to_string(nanmean<1>(x, keepdims)) == "[[ 2.]\n [nan]]");
  CHECK(to_string(nanstddev<1>(x, keepdims)) == "[[ 1.]\n [nan]]");
  CHECK(to_string(nansum(x, 1)) == "[4. 0.]");
  CHECK(to_string(nanmax(x, 0)) == "[ 1. nan  3.]");
  CHECK(to_string(nanargmin(x, -1)) == "[ 0 -1]");
  CHECK(to_string(nansum(x + 1)) == "6.0");
  CHECK_THROWS_AS(nansum(x, 2), IndexError);
  CHECK(item(nansum(Array<double, 1>())) == 0);
  CHECK_THROWS_AS(evaluate(nanmin<0>(Array<double, 2>(Dim{0, 2}))), ShapeError);
}

TEST_CASE("ptp is the range of elements") {
  const Array<int, 2> x{{3, 9, 4}, {-2, 0, 7}};
  CHECK(item(ptp(x)) == 11);
  CHECK(to_string(ptp<1>(x)) == "[6 9]");
  CHECK(to_string(ptp<0>(x, keepdims)) == "[[5 9 3]]");
  CHECK(std::isnan(item(ptp(Array<double, 1>{1.0, nan_value}))));
}

TEST_CASE_TEMPLATE("central moments are those of plain loops", T, std::uint8_t, int, float16, float, double) {
  Random random(sizeof(T) + 7);
  INFO(random.how_to_repeat());
  const Array<T, 2> x = random_array<T>(Dim{5, 37}, Arrangement::contiguous, random);
  const auto [means, variances] = moments<1>(x);
  const double epsilon = sizeof(T) == 2 ? 2e-2 : sizeof(T) == 4 ? 1e-4 : 1e-12;
  for (int order = 0; order < 5; ++order) {
    CAPTURE(order);
    const auto found = evaluate(moment<1>(x, order));
    for (std::ptrdiff_t i = 0; i < 5; ++i) {
      double mean = 0, sum = 0, size = 0;
      for (std::ptrdiff_t j = 0; j < 37; ++j) mean += static_cast<double>(T(x(i, j))) / 37;
      for (std::ptrdiff_t j = 0; j < 37; ++j) {
        const double power = std::pow(static_cast<double>(T(x(i, j))) - mean, order);
        sum += power / 37;
        size += std::abs(power) / 37;
      }
      CHECK(std::abs(static_cast<double>(found[{i}]) - sum) <= epsilon * (1 + size));
      if (order == 2) CHECK(std::abs(static_cast<double>(variances[{i}]) - sum) <= epsilon * (1 + size));
      if (order == 0) CHECK(std::abs(static_cast<double>(means[{i}]) - mean) <= epsilon * (1 + std::abs(mean)));
    }
  }
  CHECK(contains(message_of<std::invalid_argument>([&] { static_cast<void>(moment(x, -1)); }), "the order is -1"));
}

TEST_CASE("averages are those of NumPy") {
  const Array<int, 2> x{{0, 1}, {2, 3}, {4, 5}};
  CHECK(item(average(x)) == 2.5);
  CHECK(to_string(average<1>(x, Array<double, 1>{0.25, 0.75})) == "[0.75 2.75 4.75]");
  CHECK(to_string(average<0>(x, Array<int, 1>{1, 0, 3})) == "[3. 4.]");
  CHECK(item(average(x, cast<double>(x))) == doctest::Approx(55.0 / 15));
  CHECK(to_string(average<0, 1>(x, Array<double, 2>{{1.0}, {0.0}, {0.0}})) == "0.5");
  CHECK(std::isnan(item(average(Array<double, 1>{1.0, 2.0}, Array<double, 1>{0.0, 0.0}))));
  const Array<float, 1> y{1.f, 3.f};
  CHECK(std::is_same_v<value_of<decltype(average(y, y))>, float>);
  CHECK(item(average(y, y)) == 2.5f);
  CHECK_THROWS_AS(evaluate(average(x, Array<double, 1>{1.0, 2.0, 3.0})), ShapeError);
  const Array<double, 3> z = reshape(cast<double>(arange(24)), 2, 3, 4);
  const Array<double, 2> wanted = (z(all, 0, all) + z(all, 1, all) * 2.0 + z(all, 2, all) * 3.0) / 6.0;
  CHECK(allclose(average<1>(z, Array<double, 1>{1.0, 2.0, 3.0}), wanted));
}

TEST_CASE("covariances and correlations are those of a loop") {
  const Array<double, 2> x = random::normal<double>(random::Key{3}, Dim{4, 50});
  const Array<double, 2> covariances = cov(x), correlations = corrcoef(x), population = cov(x, correction(0));
  for (std::ptrdiff_t i = 0; i < 4; ++i) {
    for (std::ptrdiff_t j = 0; j < 4; ++j) {
      const auto product = [&](std::ptrdiff_t a, std::ptrdiff_t b) {
        double mean_a = 0, mean_b = 0, sum = 0;
        for (std::ptrdiff_t k = 0; k < 50; ++k) mean_a += x(a, k) / 50, mean_b += x(b, k) / 50;
        for (std::ptrdiff_t k = 0; k < 50; ++k) sum += (x(a, k) - mean_a) * (x(b, k) - mean_b);
        return sum;
      };
      CHECK(double(covariances(i, j)) == doctest::Approx(product(i, j) / 49));
      CHECK(double(population(i, j)) == doctest::Approx(product(i, j) / 50));
      CHECK(double(correlations(i, j)) == doctest::Approx(product(i, j) / std::sqrt(product(i, i) * product(j, j))));
    }
  }
}

TEST_CASE("covariances of two vectors, of integers, of 16 bits, and of what does not vary") {
  const Array<int, 1> a{1, 2, 3}, b{6, 4, 2};
  CHECK(to_string(cov(a, b)) == "[[ 1. -2.]\n [-2.  4.]]");
  CHECK(to_string(corrcoef(a, b)) == "[[ 1. -1.]\n [-1.  1.]]");
  CHECK(std::is_same_v<value_of<decltype(cov(Array<float16, 2>()))>, float>);
  CHECK(std::is_same_v<value_of<decltype(cov(Array<float, 2>()))>, float>);
  CHECK(std::isnan(double(corrcoef(ones<double>(Dim{2, 3}))(0, 1))));
  CHECK(std::isnan(double(cov(ones<double>(Dim{1, 1}))(0, 0))));
  CHECK_THROWS_AS(cov(Array<double, 2>(Dim{2, 0})), ShapeError);
  CHECK_THROWS_AS(cov(a, Array<int, 1>{1}), ShapeError);
}
