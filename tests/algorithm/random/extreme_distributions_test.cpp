// Distributions of no elements, of more than memory has, and with parameters that are none.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

import tessera;

using namespace tessera;

namespace {

const random::Key key{1};
const Dim too_large{std::ptrdiff_t{1} << 62, 4};

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("distributions of no elements") {
  const Dim none{0, 3};
  CHECK(evaluate(random::uniform<float>(key, none)).shape() == none);
  CHECK(evaluate(random::normal<float>(key, none)).shape() == none);
  CHECK(evaluate(random::exponential<float>(key, none)).shape() == none);
  CHECK(evaluate(random::laplace<double>(key, none)).shape() == none);
  CHECK(evaluate(random::gumbel<float>(key, none)).shape() == none);
  CHECK(evaluate(random::logistic<float16>(key, none)).shape() == none);
  CHECK(evaluate(random::bernoulli(key, none, 0.5)).shape() == none);
  CHECK(evaluate(random::integers<int>(key, none, 4, 4)).shape() == none);
  CHECK(evaluate(random::categorical(key, zeros<float>(none))).shape() == Dim{0});
  CHECK_THROWS_AS(evaluate(random::categorical(key, zeros<float>(Dim{3, 0}))), ShapeError);
  CHECK(evaluate(random::bits<std::uint32_t>(key, none)).shape() == none);
  CHECK(evaluate(random::gamma<float>(key, none, 2.0)).shape() == none);
  CHECK(evaluate(random::gamma<float>(key, none, zeros<float>(none))).shape() == none);
  CHECK(evaluate(random::beta<float16>(key, none, 2, 3)).shape() == none);
  CHECK(evaluate(random::truncated_normal<double>(key, none, -1, 1)).shape() == none);
  CHECK(evaluate(random::poisson(key, none, 2.0)).shape() == none);
  CHECK(evaluate(random::binomial(key, none, 2, 0.5)).shape() == none);
  CHECK(evaluate(random::multivariate_normal(key, 0, zeros<float>(Dim{3}), eye<float>(3))).shape() == Dim{0, 3});
  CHECK(evaluate(random::multivariate_normal(key, 3, zeros<float>(Dim{0}), eye<float>(0))).shape() == Dim{3, 0});
  CHECK(random::choice(key, zeros<float>(none), 0, zeros<float>(Dim{0})).shape() == none);
  CHECK(random::split<0>(key).empty());
  CHECK(random::shuffle(key, zeros<float>(none)).shape() == none);
  CHECK(random::choice(key, zeros<float>(none), 0).shape() == none);
  CHECK(random::permutation(key, 0).size() == 0);
  CHECK(random::exponential<float>(key, Dim<0>{}).shape() == Dim<0>{});
}

TEST_CASE("shapes that are too large") {
  CHECK_THROWS_AS(random::exponential<float>(key, too_large), ShapeError);
  CHECK_THROWS_AS(random::laplace<float>(key, too_large), ShapeError);
  CHECK_THROWS_AS(random::gumbel<float>(key, too_large), ShapeError);
  CHECK_THROWS_AS(random::logistic<float>(key, too_large), ShapeError);
  CHECK_THROWS_AS(random::bernoulli(key, too_large, 0.5), ShapeError);
  CHECK_THROWS_AS(random::integers<int>(key, too_large, 0, 2), ShapeError);
  CHECK_THROWS_AS(random::bits<std::uint32_t>(key, too_large), ShapeError);
  CHECK_THROWS_AS(random::gamma<float>(key, too_large, 2.0), ShapeError);
  CHECK_THROWS_AS(random::beta<float>(key, too_large, 2.0, 3.0), ShapeError);
  CHECK_THROWS_AS(random::truncated_normal<float>(key, too_large, 2.0, 3.0), ShapeError);
  CHECK_THROWS_AS(random::poisson(key, too_large, 2.0), ShapeError);
  CHECK_THROWS_AS(random::binomial(key, too_large, 2, 0.5), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, std::ptrdiff_t{1} << 62, zeros<float>(Dim{4}), eye<float>(4)),
                  ShapeError);
}

TEST_CASE("parameters that are none are named, with what they are") {
  const Dim shape{3};
  const auto has_message = [&](const auto& call, const char* part) {
    CAPTURE(part);
    CHECK(has(message_of(call), part));
  };
  has_message([&] { static_cast<void>(random::gamma<float>(key, shape, 0.0)); }, "concentration is 0.0");
  has_message([&] { static_cast<void>(random::gamma<float>(key, shape, NAN)); }, "concentration is nan");
  has_message([&] { static_cast<void>(random::beta<float>(key, shape, 1, -2)); }, "b is -2.0");
  has_message([&] { static_cast<void>(random::truncated_normal<float>(key, shape, 2, 1)); }, "[2.0");
  has_message([&] { static_cast<void>(random::truncated_normal<float>(key, shape, NAN, 1)); },
              "there is no number in [nan");
  has_message([&] { static_cast<void>(random::poisson(key, shape, -1)); }, "the rate is -1.0");
  has_message([&] { static_cast<void>(random::poisson(key, shape, INFINITY)); }, "the rate is inf");
  has_message([&] { static_cast<void>(random::binomial(key, shape, -1, 0.5)); }, "the number of trials is -1.0");
  has_message([&] { static_cast<void>(random::binomial(key, shape, 1, 1.5)); }, "the probability is 1.5");
  CHECK_THROWS_AS(random::gamma<float>(key, shape, zeros<float>(Dim{2})), ShapeError);
  CHECK_THROWS_AS(random::gamma<float>(key, Dim{1, 3}, zeros<float>(Dim{2, 3})), ShapeError);
  const Array<double, 1> mean{0.0, 0.0};
  const auto covariance = [&](double a, double b, double c, double d) {
    return [=] { static_cast<void>(random::multivariate_normal(key, 2, mean, Array<double, 2>{{a, b}, {c, d}})); };
  };
  has_message(covariance(1, 0.5, 0.4, 1), "at (1, 0) is 0.4");
  has_message(covariance(1, 2, 2, 1), "row 1 leaves a variance of -3.0");
  has_message(covariance(0, 1, 1, 1), "leaves 1.000000 beside a variance of 0");
  has_message(covariance(1, NAN, 0, 1), "at (0, 1) is nan");
  CHECK_THROWS_AS(random::multivariate_normal(key, 2, mean, eye<double>(3)), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, -1, mean, eye<double>(2)), ShapeError);
  const Array<float, 1> x = zeros<float>(shape);
  has_message([&] { random::choice(key, x, 1, Array<double, 1>{1.0, -1.0, 0.0}); }, "weight 1 is -1.0");
  has_message([&] { random::choice(key, x, 1, Array<double, 1>{1.0, NAN, 0.0}); }, "weight 1 is nan");
  has_message([&] { random::choice(key, x, 1, Array<int, 1>{0, 0, 0}); }, "1 rows cannot be chosen of 0");
  has_message([&] { random::choice(key, x, 3, Array<int, 1>{1, 0, 1}, {.replace = false}); },
              "3 rows cannot be chosen of 2");
  CHECK_THROWS_AS(random::choice(key, x, 1, Array<int, 1>{1, 1}), ShapeError);
}

TEST_CASE("parameters out of range are named") {
  for (const double probability : {-0.5, 1.5, double(NAN), double(INFINITY)})
    CHECK_THROWS_AS(random::bernoulli(key, Dim{3}, probability), std::invalid_argument);
  CHECK(has(message_of([] { static_cast<void>(random::bernoulli(key, Dim{3}, 1.5)); }), "the probability is 1.5"));
  CHECK(has(message_of([] { static_cast<void>(random::integers<int>(key, Dim{3}, 4, 4)); }), "[4, 4)"));
  CHECK(has(message_of([] { static_cast<void>(random::integers<int>(key, Dim{3}, 4, 3)); }), "[4, 3)"));
  const std::uint64_t half = std::uint64_t{1} << 63;
  const Array<std::uint64_t, 1> around = random::integers<std::uint64_t>(key, Dim{100}, half - 1, half + 1);
  CHECK(item(min(around)) == half - 1);
  CHECK(item(max(around)) == half);
  const Array<float, 1> x = zeros<float>(Dim{3});
  CHECK(has(message_of([&] { random::choice(key, x, 4, {.replace = false}); }), "4 rows cannot be chosen of 3"));
  CHECK(has(message_of([&] { random::choice(key, zeros<float>(Dim{0}), 1); }), "1 rows cannot be chosen of 0"));
  CHECK_THROWS_AS(random::choice(key, x, -1), ShapeError);
  CHECK_THROWS_AS(random::choice(key, x, -1, {.replace = false}), ShapeError);
}
