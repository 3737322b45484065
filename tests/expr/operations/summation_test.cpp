// Rounding errors of long sums, and what is built on them: mean, var, softmax, logsumexp.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Error bound of pairwise summation: eps * log2(n) * sum of magnitudes (N. Higham, "Accuracy and Stability of Numerical
/// Algorithms", 4.2), with eps half a unit in the last place.
double pairwise_bound(double n, double magnitudes) { return 0x1p-24 * std::ceil(std::log2(n)) * magnitudes; }

}  // namespace

TEST_CASE("the sum of ten million floats is at least as accurate as pairwise summation") {
  const std::ptrdiff_t n = 10'000'000;
  const Array<float, 1> tenths = full(Dim<1>{n}, 0.1f);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(n);
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    CHECK(std::abs(static_cast<double>(item(sum(tenths))) - exact) <= pairwise_bound(double(n), exact));
    const Array<float, 2> columns = reshape(tenths, Dim{n / 10, std::ptrdiff_t{10}});
    for (const float column : elements(evaluate(sum<0>(columns)))) {
      CHECK(std::abs(static_cast<double>(column) - exact / 10) <= pairwise_bound(double(n) / 10, exact / 10));
    }
  });
}

TEST_CASE("sums of random floats stay within the bound of pairwise summation, contiguous or strided, fused or not" *
          doctest::test_suite("any place")) {
  Random random(400);
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t n : {1000, 65536, 1000003}) {
    CAPTURE(n);
    const Array<float, 1> a = random_array<float>(Dim<1>{n}, Arrangement::contiguous, random);
    double exact = 0;
    double magnitudes = 0;
    for (const float value : elements(a)) {
      exact += static_cast<double>(value);
      magnitudes += std::abs(static_cast<double>(value));
    }
    const auto x = there(a);
    for_each_isa([&](device::Isa) {
      CHECK(std::abs(static_cast<double>(item(sum(x))) - exact) <= pairwise_bound(double(n), magnitudes));
      CHECK(std::abs(static_cast<double>(item(sum(x(range(none, none, -1))))) - exact) <=
            pairwise_bound(double(n), magnitudes));
      CHECK(std::abs(static_cast<double>(item(sum(x * 2))) - 2 * exact) <= pairwise_bound(double(n), 2 * magnitudes));
    });
  }
}

TEST_CASE("mean and var along every axis agree with two passes in double" * doctest::test_suite("any place")) {
  Random random(401);
  INFO(random.how_to_repeat());
  for (const auto kind : all_arrangements) {
    CAPTURE(name_of(kind));
    const Array<float, 2> a = random_array<float>(Dim{31, 70}, kind, random);
    std::vector<double> means, variances;
    for (std::ptrdiff_t j = 0; j < 70; ++j) {
      double total = 0;
      for (std::ptrdiff_t i = 0; i < 31; ++i) total += static_cast<double>(element(a, std::array{i, j}));
      double squares = 0;
      for (std::ptrdiff_t i = 0; i < 31; ++i)
        squares += std::pow(static_cast<double>(element(a, std::array{i, j})) - total / 31, 2);
      means.push_back(total / 31);
      variances.push_back(squares / 31);
    }
    CHECK(distance(elements(evaluate(mean<0>(there(a)))), means, 1e-6, 1e-6) == "");
    CHECK(distance(elements(evaluate(mean<1>(Array<float, 2>(there(a).T()), keepdims))), means, 1e-6, 1e-6) == "");
    CHECK(distance(elements(evaluate(var<0>(there(a)))), variances, 2e-6, 1e-6) == "");
  }
  CHECK(item(var(make_array<double>({1, 2, 3, 4}))) == 1.25);
  CHECK(item(mean(make_array<double>({1, 2, 4}))) == doctest::Approx(7.0 / 3));
}

TEST_CASE("softmax, log_softmax and logsumexp agree with the definition in double, also far from zero" *
          doctest::test_suite("any place")) {
  Random random(402);
  INFO(random.how_to_repeat());
  for (const float shift : {0.0f, 1000.0f, -1000.0f}) {
    for (const auto kind : all_arrangements) {
      INFO(name_of(kind) << ", shifted by " << shift);
      const Array<float, 2> z = evaluate(random_array<float>(Dim{9, 130}, kind, random) + shift);
      std::vector<double> soft, logs, totals;
      for (std::ptrdiff_t i = 0; i < 9; ++i) {
        double total = 0;
        for (std::ptrdiff_t j = 0; j < 130; ++j)
          total += std::exp(static_cast<double>(element(z, std::array{i, j})) - double(shift));
        for (std::ptrdiff_t j = 0; j < 130; ++j) {
          const double x = static_cast<double>(element(z, std::array{i, j})) - double(shift);
          soft.push_back(std::exp(x) / total);
          logs.push_back(x - std::log(total));
        }
        totals.push_back(std::log(total) + double(shift));
      }
      const double precision = shift == 0 ? 2e-6 : 2e-4;  // around 1000 neighbouring floats are 6e-5 apart
      CHECK(distance(elements(evaluate(softmax<1>(there(z)))), soft, precision, 1e-9) == "");
      CHECK(distance(elements(evaluate(log_softmax<-1>(there(z)))), logs, precision, precision) == "");
      CHECK(distance(elements(evaluate(logsumexp<1>(there(z), keepdims))), totals, 1e-6, 1e-6) == "");
    }
  }
}
