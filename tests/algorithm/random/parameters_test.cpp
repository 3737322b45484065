// Distributions with parameters: each against its cumulative distribution function or its chances, for parameters on all sides of where
// methods change.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "statistics.hpp"

import tessera;

using namespace tessera;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// As in distributions_test.cpp: 2.3 is exceeded once in 20,000 times, 1.36 by one of 20.
template <class Draw, class Cdf>
void check_distribution(const Draw& draw, const Cdf& cdf) {
  int large = 0;
  for (std::uint64_t i = 0; i < statistics::keys; ++i) {
    CAPTURE(i);
    const Array<double, 1> numbers = cast<double>(draw(random::Key{31}.fold(i), Dim{statistics::draws()}));
    const double found = statistics::distance(numbers, cdf);
    CHECK(found < 2.3);
    large += found > 1.36 ? 1 : 0;
  }
  CHECK(large <= 6);
}

/// `chance` of a count gives its probability; counts from `highest` on are one.
template <class Draw, class Chance>
void check_counts(const Draw& draw, std::size_t highest, const Chance& chance) {
  std::vector<double> expected(highest + 1);
  double sum = 0;
  for (std::size_t k = 0; k < highest; ++k) {
    const double each = chance(static_cast<double>(k));
    sum += each;
    expected[k] = each * static_cast<double>(statistics::draws());
  }
  expected[highest] = std::max(0.0, 1 - sum) * static_cast<double>(statistics::draws());
  for (std::uint64_t i = 0; i < statistics::keys; ++i) {
    CAPTURE(i);
    std::vector<std::int64_t> counts(highest + 1);
    const Array<std::int64_t, 1> numbers = draw(random::Key{37}.fold(i), Dim{statistics::draws()});
    for (const std::int64_t number : numbers) {
      REQUIRE(number >= 0);
      ++counts[std::min(static_cast<std::size_t>(number), highest)];
    }
    CHECK(std::abs(statistics::chi_square(counts, expected)) < 5);
  }
}

double poisson_chance(double k, double rate) { return std::exp(k * std::log(rate) - rate - std::lgamma(k + 1)); }

double binomial_chance(double k, double n, double p) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

template <class T>
void check_gamma(double concentration) {
  CAPTURE(concentration);
  check_distribution([&](random::Key key, const auto& shape) { return random::gamma<T>(key, shape, concentration); },
                     [&](double x) { return statistics::gamma_cdf(concentration, x); });
}

void check_truncated(double low, double high) {
  CAPTURE(low);
  CAPTURE(high);
  // In the upper tail as what is left beyond, lest differences of numbers near 1 are lost.
  const double sign = low > 0 ? -1 : 1;
  const double first = statistics::normal_cdf(sign * low), last = statistics::normal_cdf(sign * high);
  check_distribution(
      [&](random::Key key, const auto& shape) { return random::truncated_normal<double>(key, shape, low, high); },
      [&](double x) { return (statistics::normal_cdf(sign * x) - first) / (last - first); });
}

}  // namespace

TEST_CASE("gamma numbers follow their distribution for concentrations small and large") {
  for (const double concentration : {0.3, 1.0, 2.5, 40.0}) check_gamma<double>(concentration);
  check_gamma<float>(0.7);
  check_gamma<float>(3.0);
}

TEST_CASE("beta numbers follow their distribution") {
  for (const auto& [a, b] : {std::pair{0.4, 0.6}, {1.0, 3.0}, {20.0, 5.0}}) {
    CAPTURE(a);
    check_distribution([&](random::Key key, const auto& shape) { return random::beta<double>(key, shape, a, b); },
                       [&](double x) { return statistics::beta_cdf(a, b, x); });
  }
}

TEST_CASE("beta numbers of tiny parameters are at both ends, and none is undefined") {
  const Array<double, 1> x = random::beta<double>(random::Key{1}, Dim{10000}, 1e-4, 1e-4);
  CHECK(item(sum(cast<int>(isnan(x)))) == 0);
  const auto near_one = static_cast<double>(item(sum(cast<int>(x > 0.5))));
  CHECK(std::abs(near_one - 5000) < 250);
}

TEST_CASE("truncated normal numbers follow their distribution") {
  check_truncated(-1.0, 2.0);
  check_truncated(-0.3, 0.4);
  check_truncated(-infinity, 0.5);
  check_truncated(3.0, infinity);
  check_truncated(3.0, 3.1);
  check_truncated(-infinity, -8.0);
  check_truncated(0.0, infinity);
}

TEST_CASE("truncated normal numbers stay in their interval, far out and where it is one number") {
  const auto check = [](double low, double high) {
    CAPTURE(low);
    const Array<double, 1> x = random::truncated_normal<double>(random::Key{1}, Dim{1000}, low, high);
    CHECK(item(min(x)) >= low);
    CHECK(item(max(x)) <= high);
    const Array<float, 1> y = random::truncated_normal<float>(random::Key{1}, Dim{1000}, low, high);
    CHECK(item(min(y)) >= static_cast<float>(low));
    CHECK(item(max(y)) <= static_cast<float>(high));
  };
  check(30.0, infinity);
  check(-infinity, -1e10);
  check(1e300, infinity);
  check(2.0, 2.0);
  check(-1e-300, 1e-300);
  check(1e10, 2e10);
}

TEST_CASE("Poisson's numbers have their chances") {
  for (const double rate : {0.01, 1.0, 9.99, 10.0, 57.5, 400.0}) {
    CAPTURE(rate);
    check_counts([&](random::Key key, const auto& shape) { return random::poisson(key, shape, rate); },
                 static_cast<std::size_t>(rate + 8 * std::sqrt(rate) + 10),
                 [&](double k) { return poisson_chance(k, rate); });
  }
}

TEST_CASE("Poisson's numbers of huge rates are nearly normal") {
  const double rate = 1e12;
  check_distribution(
      [&](random::Key key, const auto& shape) {
        return (random::poisson<double>(key, shape, rate) - rate + 0.5) / std::sqrt(rate);
      },
      [](double x) { return statistics::normal_cdf(x); });
}

TEST_CASE("binomial numbers have their chances") {
  struct Case {
    double n, p;
  };
  for (const auto& [n, p] :
       {Case{1, 0.3}, Case{20, 0.1}, Case{20, 0.9}, Case{50, 0.5}, Case{1000, 0.3}, Case{1000, 0.001}}) {
    CAPTURE(n);
    CAPTURE(p);
    check_counts([&](random::Key key, const auto& shape) { return random::binomial(key, shape, n, p); },
                 static_cast<std::size_t>(n) + 1, [&](double k) { return k > n ? 0.0 : binomial_chance(k, n, p); });
  }
}

TEST_CASE("chances that are certain") {
  const Dim shape{100};
  const random::Key key{5};
  CHECK(item(max(random::poisson(key, shape, 0))) == 0);
  CHECK(item(max(random::binomial(key, shape, 100, 0.0))) == 0);
  CHECK(item(min(random::binomial(key, shape, 100, 1.0))) == 100);
  CHECK(item(max(random::binomial(key, shape, 0, 0.5))) == 0);
  CHECK(item(max(random::binomial<std::uint8_t>(key, shape, 255, 1.0f))) == 255);
}

TEST_CASE("each number has a parameter of its own, which broadcasts") {
  const random::Key key{9};
  const Array<float, 1> concentrations{0.5f, 2.0f, 30.0f};
  const Dim shape{5000, 3};
  const Array<float, 2> x = random::gamma<float>(key, shape, concentrations);
  for (std::ptrdiff_t column = 0; column < 3; ++column) {
    const Array<float, 2> one = random::gamma<float>(key, shape, concentrations[{column}]);
    CHECK(array_equal(x(all, column), one(all, column)));
  }
  const Array<std::int64_t, 2> rates = random::poisson(key, shape, concentrations * concentrations);
  CHECK(array_equal(rates(all, 2), evaluate(random::poisson(key, shape, 900.0))(all, 2)));
  const Array<std::int64_t, 2> counts = random::binomial(key, shape, Array<int, 1>{1, 10, 100}, 0.5f);
  CHECK(array_equal(counts(all, 1), evaluate(random::binomial(key, shape, 10, 0.5))(all, 1)));
  const Array<double, 2> bounded =
      random::truncated_normal<double>(key, shape, Array<double, 1>{-1.0, 0.0, 1.0}, infinity);
  CHECK(item(min(bounded(all, 2))) >= 1.0);
}

TEST_CASE("parameters in arrays that are none give NaN, and 0 of integers") {
  const random::Key key{9};
  const Array<double, 1> bad{-1.0, 0.0, NAN};
  const Dim shape{3};
  CHECK(item(sum(cast<int>(isnan(random::gamma<double>(key, shape, bad))))) == 3);
  CHECK(item(sum(cast<int>(isnan(random::beta<double>(key, shape, bad, 1.0))))) == 3);
  CHECK(item(sum(cast<int>(isnan(random::poisson<double>(key, shape, bad))))) == 2);
  CHECK(item(max(random::poisson(key, shape, bad))) == 0);
  CHECK(item(sum(cast<int>(isnan(random::binomial<double>(key, shape, 10, Array<double, 1>{-0.1, 1.1, NAN}))))) == 3);
  CHECK(item(sum(cast<int>(isnan(random::truncated_normal<double>(key, shape, 1.0, bad))))) == 3);
}

TEST_CASE("the same for any number of threads") {
  const int threads = num_threads();
  const Dim shape{300, 1001};
  const auto draw = [&](int count) {
    set_num_threads(count);
    const Array<double, 2> result = random::gamma<double>(random::Key{7}, shape, 0.6) +
                                    random::poisson<double>(random::Key{8}, shape, 20.0) +
                                    random::truncated_normal<double>(random::Key{9}, shape, 1.0, 2.0);
    return result;
  };
  const Array<double, 2> alone = draw(1);
  CHECK(array_equal(alone, draw(4)));
  set_num_threads(threads);
}

TEST_CASE("16-bit numbers are those of float, rounded") {
  const random::Key key{3};
  CHECK(array_equal(evaluate(random::gamma<float16>(key, Dim{99}, 2)),
                    evaluate(cast<float16>(random::gamma<float>(key, Dim{99}, 2)))));
  CHECK(array_equal(evaluate(random::truncated_normal<bfloat16>(key, Dim{99}, -2, 2)),
                    evaluate(cast<bfloat16>(random::truncated_normal<float>(key, Dim{99}, -2, 2)))));
}

TEST_CASE("normal vectors have their mean and covariance") {
  const Array<double, 1> mean{1.0, -2.0, 0.5};
  const Array<double, 2> covariance{{4.0, 1.2, 0.0}, {1.2, 1.0, -0.3}, {0.0, -0.3, 2.0}};
  constexpr std::ptrdiff_t count = 200000;
  const Array<double, 2> x = random::multivariate_normal(random::Key{4}, count, mean, covariance);
  CHECK(x.shape() == Dim{count, 3});
  const Array<double, 1> found_mean = tessera::mean<0>(x);
  CHECK(allclose(found_mean, mean, 0, 0.02));
  CHECK(allclose(evaluate(cov(x.T())), covariance, 0, 0.05));
  // A linear combination is normal.
  const double deviation = std::sqrt(4.0 + 1.0 + 2 * 1.2);
  check_distribution(
      [&](random::Key key, const auto& shape) {
        const Array<double, 2> vectors = random::multivariate_normal(key, shape[0], mean, covariance);
        return (vectors(all, 0) + vectors(all, 1) + 1.0) / deviation;
      },
      [](double value) { return statistics::normal_cdf(value); });
}

TEST_CASE("a variance of 0 makes numbers that follow from the others") {
  const Array<float, 2> covariance{{1.0f, 2.0f, 0.0f}, {2.0f, 4.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
  const Array<float, 2> x = random::multivariate_normal(random::Key{4}, 1000, zeros<float>(Dim{3}), covariance);
  CHECK(allclose(x(all, 1), 2.0f * x(all, 0), 1e-4, 1e-4));
  CHECK(item(max(abs(x(all, 2)))) == 0.0f);
}

TEST_CASE("rows are chosen as often as their weights say") {
  const Array<int, 1> x = arange(4);
  const Array<double, 1> weights{1.0, 0.0, 3.0, 6.0};
  std::vector<std::int64_t> counts(4);
  const Array<int, 1> many = random::choice(random::Key{6}, x, statistics::draws(), weights);
  for (const int value : many) ++counts[static_cast<std::size_t>(value)];
  CHECK(counts[1] == 0);
  const auto n = static_cast<double>(statistics::draws());
  CHECK(std::abs(statistics::chi_square({counts[0], counts[2], counts[3]}, {n / 10, 3 * n / 10, 6 * n / 10})) < 5);
  // Without replacement the first is chosen by the weights, the next by those of the others.
  std::vector<std::int64_t> pairs(16);
  constexpr int rounds = 20000;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const Array<int, 1> two =
        random::choice(random::Key{6}.fold(i), x, 2, Array<float, 1>{1.0f, 0.0f, 3.0f, 6.0f}, {.replace = false});
    ++pairs[static_cast<std::size_t>(4 * two[{0}] + two[{1}])];
  }
  std::vector<double> expected(16);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const double first = weights.data()[i] / 10;
      if (i != j) expected[4 * i + j] = rounds * first * weights.data()[j] / (10 - weights.data()[i]);
    }
  }
  CHECK(std::abs(statistics::chi_square(pairs, expected)) < 5);
}

TEST_CASE("the page's examples") {
  // --8<-- [start:parameters]
  const random::Key key{7};
  Array<double, 1> waits = random::gamma<double>(key, Dim{100}, 2.5);
  Array<std::int64_t, 2> photons = random::poisson(key.fold(1), Dim{64, 64}, 3.5 * ones<float>(Dim{64, 64}));
  Array<int, 1> heads = random::binomial<int>(key.fold(2), Dim{12}, 10, 0.5);
  Array<float, 2> weights = 0.02f * random::truncated_normal<float>(key.fold(3), Dim{784, 10}, -2, 2);
  Array<double, 1> mean{1, -1};
  Array<double, 2> pairs = random::multivariate_normal(key.fold(4), 100, mean, make_array<double>({{2, 1}, {1, 2}}));
  Array<double, 1> drawn = random::choice(key.fold(5), waits, 5, waits, {.replace = false});  // long ones rather
  const auto [first, second] = random::split(key.fold(6));
  // --8<-- [end:parameters]
  CHECK(item(min(waits)) > 0);
  CHECK(item(min(photons)) >= 0);
  CHECK(item(max(heads)) <= 10);
  CHECK(item(max(abs(weights))) <= 0.04f);
  CHECK(pairs.shape() == Dim{100, 2});
  CHECK(item(sum(isin(drawn, waits))) == 5);
  CHECK_FALSE(first == second);
}
