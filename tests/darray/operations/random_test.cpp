// Random numbers of a type that is known at run time: those of the functions for arrays.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "../support.hpp"

using namespace tessera;

namespace {

const random::Key key{19};
const DDim shape = make_ddim({5, 7});

}  // namespace

TEST_CASE("distributions with one parameter for all are those of arrays") {
  const Dim s{5, 7};
  CHECK(array_equal(get<Array<double, 2>>(random::gamma(key, DType::float64, shape, 2.5)),
                    random::gamma<double>(key, s, 2.5)));
  CHECK(array_equal(get<Array<float16, 2>>(random::gamma(key, DType::float16, shape, 0.5f)),
                    random::gamma<float16>(key, s, 0.5)));
  CHECK(array_equal(get<Array<float, 2>>(random::beta(key, DType::float32, shape, 2, 3)),
                    random::beta<float>(key, s, 2, 3)));
  CHECK(array_equal(get<Array<float, 2>>(random::truncated_normal(key, DType::float32, shape, -1, 2)),
                    random::truncated_normal<float>(key, s, -1, 2)));
  CHECK(array_equal(get<Array<std::int64_t, 2>>(random::poisson(key, DType::int64, shape, 12)),
                    random::poisson(key, s, 12)));
  CHECK(array_equal(get<Array<std::uint8_t, 2>>(random::binomial(key, DType::uint8, shape, 10, 0.25)),
                    random::binomial<std::uint8_t>(key, s, 10, 0.25)));
  CHECK(array_equal(get<Array<bool, 2>>(random::bernoulli(key, shape, 0.25)), random::bernoulli(key, s, 0.25)));
  CHECK(array_equal(get<Array<std::uint16_t, 2>>(random::bits(key, DType::uint16, shape)),
                    random::bits<std::uint16_t>(key, s)));
}

TEST_CASE("parameters in arrays of any type broadcast") {
  const Array<int, 1> rates = arange(7);
  CHECK(array_equal(get<Array<double, 2>>(random::poisson(key, DType::float64, shape, DArray(rates))),
                    random::poisson<double>(key, Dim{5, 7}, cast<double>(rates))));
  const DArray mixed = random::binomial(key, DType::int64, shape, DArray(rates), 0.5);
  CHECK(array_equal(get<Array<std::int64_t, 2>>(mixed), random::binomial(key, Dim{5, 7}, rates, 0.5)));
  CHECK_THROWS_AS(random::gamma(key, DType::float32, shape, DArray(arange(3.0))), ShapeError);
}

TEST_CASE("labels, rows and vectors") {
  const Array<float, 2> logits = random::normal<float>(key, Dim{6, 4});
  CHECK(array_equal(get<Array<std::int64_t, 1>>(random::categorical(key, DArray(logits))),
                    random::categorical(key, logits)));
  CHECK(array_equal(get<Array<float, 2>>(random::shuffle(key, DArray(logits))), random::shuffle(key, logits)));
  CHECK(array_equal(get<Array<float, 2>>(random::choice(key, DArray(logits), 3, {.replace = false})),
                    random::choice(key, logits, 3, {.replace = false})));
  const Array<int, 1> weights{1, 2, 3, 4, 5, 6};
  CHECK(array_equal(get<Array<float, 2>>(random::choice(key, DArray(logits), 3, DArray(weights))),
                    random::choice(key, logits, 3, weights)));
  const Array<float, 1> mean{1.0f, 2.0f};
  const Array<double, 2> covariance{{2.0, 0.5}, {0.5, 1.0}};
  CHECK(array_equal(get<Array<float, 2>>(random::multivariate_normal(key, 9, DArray(mean), DArray(covariance))),
                    random::multivariate_normal(key, 9, mean, covariance)));
}

TEST_CASE("types and parameters that are none") {
  CHECK_THROWS_AS(random::gamma(key, DType::int32, shape, 2.0), DTypeError);
  CHECK_THROWS_AS(random::poisson(key, DType::boolean, shape, 2.0), DTypeError);
  CHECK_THROWS_AS(random::bits(key, DType::int32, shape), DTypeError);
  CHECK_THROWS_AS(random::gamma(key, DType::float32, shape, -2.0), std::invalid_argument);
  CHECK_THROWS_AS(random::poisson(key, DType::int64, shape, -1), std::invalid_argument);
  CHECK_THROWS_AS(random::binomial(key, DType::int64, shape, 3, 1.5), std::invalid_argument);
  CHECK_THROWS_AS(random::truncated_normal(key, DType::float32, shape, 2, 1), std::invalid_argument);
  const DArray x = zeros(DType::float32, shape), one = x({0, 0});
  CHECK_THROWS_AS(random::categorical(key, x.cast(DType::int32)), DTypeError);
  CHECK_THROWS_AS(random::categorical(key, one), ShapeError);
  CHECK_THROWS_AS(random::shuffle(key, one), ShapeError);
  CHECK_THROWS_AS(random::choice(key, one, 1), ShapeError);
  CHECK_THROWS_AS(random::choice(key, x, 9, {.replace = false}), std::invalid_argument);
  CHECK_THROWS_AS(random::choice(key, x, 1, x), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, 2, x, x), ShapeError);
  CHECK_THROWS_AS(random::multivariate_normal(key, 2, zeros(DType::int32, make_ddim({2})), x), DTypeError);
}
