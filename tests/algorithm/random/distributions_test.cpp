// Distributions: each against its cumulative distribution function by A. Kolmogorov's and N. Smirnov's statistic, or by chi-square.
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

const std::ptrdiff_t draws = statistics::draws();
using statistics::keys;

/// 2.3 is exceeded once in 20,000 times: so by none of some hundred keys. 1.36 is exceeded by one of 20.
template <class Draw, class Cdf>
void check_distribution(const Draw& draw, const Cdf& cdf) {
  int large = 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    CAPTURE(i);
    const double found = statistics::distance(evaluate(cast<double>(draw(random::Key{11}.fold(i), Dim{draws}))), cdf);
    CHECK(found < 2.3);
    large += found > 1.36 ? 1 : 0;
  }
  CHECK(large <= 6);  // of 20 with a chance of 0.05 each: once in 30,000 times
}

template <class T>
void check_all() {
  check_distribution([](random::Key key, const auto& shape) { return random::exponential<T>(key, shape); },
                     [](double x) { return -std::expm1(-x); });
  check_distribution([](random::Key key, const auto& shape) { return random::laplace<T>(key, shape); },
                     [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; });
  check_distribution([](random::Key key, const auto& shape) { return random::gumbel<T>(key, shape); },
                     [](double x) { return std::exp(-std::exp(-x)); });
  check_distribution([](random::Key key, const auto& shape) { return random::logistic<T>(key, shape); },
                     [](double x) { return 1 / (1 + std::exp(-x)); });
}

}  // namespace

TEST_CASE("numbers follow their distribution for each of twenty keys") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("numbers of 16 bits are those of float, rounded") {
  const random::Key key{3};
  const Dim shape{7, 31};
  CHECK(array_equal(evaluate(random::exponential<float16>(key, shape)),
                    evaluate(cast<float16>(random::exponential<float>(key, shape)))));
  CHECK(array_equal(evaluate(random::gumbel<bfloat16>(key, shape)),
                    evaluate(cast<bfloat16>(random::gumbel<float>(key, shape)))));
}

TEST_CASE("no key and position gives a number that is not finite") {
  // What the ends of the uniform numbers become is computed from them.
  const Array<float, 1> ends{0.0f, 0x1p-24f, 0.5f, 1.0f - 0x1p-24f};
  CHECK(item(sum(!isfinite(log1p(-ends)))) == 0);
  CHECK(item(sum(!isfinite(log1p(-2.0f * abs((ends - 0.5f) + 0x1p-25f))))) == 0);
  CHECK(item(sum(!isfinite(log(-log1p(-maximum(ends, 0x1p-25f)))))) == 0);
  CHECK(item(sum(!isfinite(atanh(2.0f * ((ends - 0.5f) + 0x1p-25f))))) == 0);
  const Dim shape{1 << 20};
  CHECK(item(sum(cast<int>(!isfinite(random::exponential<float>(random::Key{1}, shape))))) == 0);
  CHECK(item(sum(cast<int>(!isfinite(random::laplace<float>(random::Key{1}, shape))))) == 0);
  CHECK(item(sum(cast<int>(!isfinite(random::gumbel<float>(random::Key{1}, shape))))) == 0);
  CHECK(item(sum(cast<int>(!isfinite(random::logistic<float>(random::Key{1}, shape))))) == 0);
  CHECK(item(min(random::exponential<float>(random::Key{1}, shape))) >= 0.0f);
  CHECK_FALSE(std::signbit(item(min(random::exponential<float>(random::Key{1}, shape)))));
}

TEST_CASE("true comes as often as its probability says") {
  const Dim shape{draws};
  for (const double probability : {0.0, 0.001, 0.3, 0.5, 0.97, 1.0}) {
    CAPTURE(probability);
    const double deviation = std::sqrt(static_cast<double>(draws) * probability * (1 - probability));
    for (std::uint64_t i = 0; i < keys; ++i) {
      const auto count = static_cast<double>(
          item(sum(cast<std::int64_t>(random::bernoulli(random::Key{5}.fold(i), shape, probability)))));
      CHECK(std::abs(count - probability * static_cast<double>(draws)) <= 4.5 * deviation);
    }
  }
  CHECK(dtype_of<decltype(evaluate(random::bernoulli(random::Key{5}, shape, 0.5f)))::value_type> == DType::boolean);
}

TEST_CASE("integers are in their interval, and equally likely") {
  for (std::uint64_t i = 0; i < keys; ++i) {
    const Array<std::int32_t, 1> x = random::integers<std::int32_t>(random::Key{8}.fold(i), Dim{draws}, -3, 97);
    std::vector<std::int64_t> counts(100);
    for (const std::int32_t value : x) {
      REQUIRE((value >= -3 && value < 97));
      ++counts[static_cast<std::size_t>(value + 3)];
    }
    CHECK(std::abs(statistics::chi_square(counts, static_cast<double>(draws) / 100)) < 5);
  }
  const Array<std::uint8_t, 1> bytes = random::integers<std::uint8_t>(random::Key{1}, Dim{100000}, 0, 255);
  CHECK(item(max(bytes)) == 254);
  CHECK(item(min(bytes)) == 0);
  const std::int64_t low = (std::int64_t{1} << 62) + 1;
  const Array<std::int64_t, 1> far = random::integers<std::int64_t>(random::Key{1}, Dim{1000}, low, low + 3);
  for (const std::int64_t value : far) CHECK((value >= low && value < low + 3));
  check_distribution(
      [](random::Key key, const auto& shape) { return random::integers<std::uint32_t>(key, shape, 0, 4294967295u); },
      [](double x) { return x / 4294967295.0; });
}

TEST_CASE("intervals of any width, to all integers of 64 bits but the last") {
  using Limits = std::numeric_limits<std::int64_t>;
  check_distribution(
      [](random::Key key, const auto& shape) {
        return random::integers<std::int64_t>(key, shape, Limits::min(), Limits::max());
      },
      [](double x) { return x * 0x1p-64 + 0.5; });
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const Array<std::uint64_t, 1> high = random::integers<std::uint64_t>(random::Key{3}, Dim{1000}, top - 5, top);
  CHECK(item(min(high)) == top - 5);
  CHECK(item(max(high)) == top - 1);
  check_distribution(
      [](random::Key key, const auto& shape) {
        return random::integers<std::uint64_t>(key, shape, 0, std::uint64_t{3} << 61);
      },
      [](double x) { return x * 0x1p-61 / 3; });
}

TEST_CASE("bits of each width have all values, and those of 32 and 64 are the words of the stream") {
  const random::Key key{17};
  const Array<std::uint32_t, 1> words = random::bits<std::uint32_t>(key, Dim{1001});
  const Array<std::uint64_t, 1> pairs = random::bits<std::uint64_t>(key, Dim{1001});
  for (std::ptrdiff_t i = 0; i < 1001; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    CHECK(words[{i}] == random::block(key, at / 4)[at % 4]);
    const random::Words block = random::block(key, at / 2);
    CHECK(pairs[{i}] == (std::uint64_t{block[2 * (at % 2) + 1]} << 32 | block[2 * (at % 2)]));
  }
  const Array<std::uint8_t, 1> bytes = random::bits<std::uint8_t>(key, Dim{draws});
  std::vector<std::int64_t> counts(256);
  for (const std::uint8_t byte : bytes) ++counts[byte];
  CHECK(std::abs(statistics::chi_square(counts, static_cast<double>(draws) / 256)) < 5);
  CHECK(item(max(random::bits<std::uint16_t>(key, Dim{100000}))) == 65535);
}

TEST_CASE("numbers in steps are those of the run") {
  const random::Key key{23};
  const Dim shape{40, 37};
  const auto check = [&](const auto& numbers) {
    const auto all = evaluate(numbers);
    CHECK(array_equal(evaluate(numbers.T()), all.T()));
    CHECK(array_equal(evaluate(numbers(tessera::all, range(3, 30, 5))), all(tessera::all, range(3, 30, 5))));
  };
  check(random::uniform<float>(key, shape));
  check(random::uniform<double>(key, shape));
  check(random::normal<float>(key, shape));
  check(random::normal<double>(key, shape));
  check(random::bits<std::uint32_t>(key, shape));
  check(random::bits<std::uint64_t>(key, shape));
}

TEST_CASE("labels are drawn with the softmax of their logits") {
  const Array<double, 2> probabilities{{0.1, 0.2, 0.3, 0.4}, {0.97, 0.01, 0.01, 0.01}};
  Array<double, 2> counts = zeros<double>(Dim{2, 4});
  constexpr std::uint64_t rounds = 20000;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const Array<std::int64_t, 1> labels = random::categorical(random::Key{2}.fold(i), log(probabilities));
    for (std::ptrdiff_t row = 0; row < 2; ++row) counts[{row, labels[{row}]}] += 1.0;
  }
  const Array<double, 2> expected = probabilities * static_cast<double>(rounds);
  const double chi_square = item(sum(square(counts - expected) / expected));
  CHECK(chi_square < 24.1);  // six degrees of freedom: one in 2,000
  const Array<std::int64_t, 0> one = random::categorical(random::Key{2}, log(Array<float, 1>{0.0f, 1.0f, 0.0f}));
  CHECK(item(one) == 1);
}

TEST_CASE("rows are shuffled and chosen") {
  const Array<int, 2> x = reshape(arange(60), Dim{20, 3});
  const Array<int, 2> mixed = random::shuffle(random::Key{4}, x);
  CHECK_FALSE(array_equal(mixed, x));
  CHECK(array_equal(sort<0>(mixed), x));  // rows as they were: columns grow with them
  for (std::ptrdiff_t i = 0; i < 20; ++i) CHECK(mixed[{i, 1}] == mixed[{i, 0}] + 1);
  const Array<int, 2> some = random::choice(random::Key{4}, x, 20, {.replace = false});
  CHECK(array_equal(sort<0>(some), x));
  const Array<int, 1> many = random::choice(random::Key{4}, arange(5), draws);
  std::vector<std::int64_t> counts(5);
  for (const int value : many) ++counts[static_cast<std::size_t>(value)];
  CHECK(std::abs(statistics::chi_square(counts, static_cast<double>(draws) / 5)) < 5);
}

TEST_CASE("distributions are the same for any number of threads") {
  const int threads = num_threads();
  const Dim shape{300, 1001};
  set_num_threads(1);
  const Array<float, 2> exponential = random::exponential<float>(random::Key{7}, shape);
  const Array<std::int64_t, 2> integers = random::integers<std::int64_t>(random::Key{7}, shape, 0, 1000);
  const Array<std::int64_t, 1> labels = random::categorical(random::Key{7}, exponential);
  set_num_threads(4);
  CHECK(array_equal(exponential, evaluate(random::exponential<float>(random::Key{7}, shape))));
  CHECK(array_equal(integers, evaluate(random::integers<std::int64_t>(random::Key{7}, shape, 0, 1000))));
  CHECK(array_equal(labels, evaluate(random::categorical(random::Key{7}, exponential))));
  set_num_threads(threads);
}

TEST_CASE("the page's examples") {
  // --8<-- [start:distributions]
  const random::Key key{7};
  Array<float, 1> waits = 3.0f * random::exponential<float>(key, Dim{100});  // mean 3
  Array<bool, 2> kept = random::bernoulli(key.fold(1), Dim{64, 10}, 0.9f);   // true in 9 of 10 places
  Array<int, 1> dice = random::integers<int>(key.fold(2), Dim{12}, 1, 7);    // 1 to 6
  Array<std::int64_t, 1> labels = random::categorical(key.fold(3), zeros<float>(Dim{64, 10}));  // a label of each row
  Array<float, 1> some = random::choice(key.fold(4), waits, 10, {.replace = false});
  Array<float, 1> mixed = random::shuffle(key.fold(5), waits);
  // --8<-- [end:distributions]
  CHECK(item(min(waits)) >= 0.0f);
  CHECK(kept.size() == 640);
  CHECK((item(min(dice)) >= 1 && item(max(dice)) <= 6));
  CHECK(item(max(labels)) < 10);
  CHECK(item(sum(isin(some, waits))) == 10);
  CHECK(array_equal(sort(mixed), sort(waits)));
}
