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
}

TEST_CASE("parameters out of range are named") {
  for (const double probability : {-0.5, 1.5, double(NAN), double(INFINITY)})
    CHECK_THROWS_AS(random::bernoulli(key, Dim{3}, probability), std::invalid_argument);
  CHECK(has(message_of([] { static_cast<void>(random::bernoulli(key, Dim{3}, 1.5)); }), "the probability is 1.5"));
  CHECK(has(message_of([] { static_cast<void>(random::integers<int>(key, Dim{3}, 4, 4)); }), "[4, 4)"));
  CHECK(has(message_of([] { static_cast<void>(random::integers<int>(key, Dim{3}, 4, 3)); }), "[4, 3)"));
  using Limits = std::numeric_limits<std::int64_t>;
  CHECK(has(
      message_of([] { static_cast<void>(random::integers<std::int64_t>(key, Dim{3}, Limits::min(), Limits::max())); }),
      "more than 4294967296"));
  const std::uint64_t half = std::uint64_t{1} << 63;
  const Array<std::uint64_t, 1> around = random::integers<std::uint64_t>(key, Dim{100}, half - 1, half + 1);
  CHECK(item(min(around)) == half - 1);
  CHECK(item(max(around)) == half);
  CHECK(has(message_of([] {
              static_cast<void>(
                  random::integers<std::uint64_t>(key, Dim{3}, 0, std::numeric_limits<std::uint64_t>::max()));
            }),
            "integers in [0, 18446744073709551615)"));
  const Array<float, 1> x = zeros<float>(Dim{3});
  CHECK(has(message_of([&] { random::choice(key, x, 4, {.replace = false}); }), "4 rows cannot be chosen of 3"));
  CHECK(has(message_of([&] { random::choice(key, zeros<float>(Dim{0}), 1); }), "1 rows cannot be chosen of 0"));
  CHECK_THROWS_AS(random::choice(key, x, -1), ShapeError);
  CHECK_THROWS_AS(random::choice(key, x, -1, {.replace = false}), ShapeError);
}
