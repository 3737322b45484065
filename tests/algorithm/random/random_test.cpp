// Random arrays: the same numbers whatever computes them, and the moments they should have.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

import tessera;

using namespace tessera;

namespace {

/// Restores the number of threads and the instruction set after a test.
struct Settings {
  int threads = num_threads();
  device::Isa isa = device::isa();
  ~Settings() {
    set_num_threads(threads);
    device::limit_isa(isa);
  }
};

}  // namespace

TEST_CASE("random numbers are the same for 1, 2 and 4 threads") {
  const Settings restore;
  const Dim shape{300, 1001};  // above the threshold of threading
  set_num_threads(1);
  const Array<float, 2> uniform = random::uniform<float>(random::Key{7}, shape);
  const Array<double, 2> normal = random::normal<double>(random::Key{7}, shape);
  for (const int threads : {2, 4}) {
    set_num_threads(threads);
    CHECK(array_equal(uniform, random::uniform<float>(random::Key{7}, shape)));
    CHECK(array_equal(normal, random::normal<double>(random::Key{7}, shape)));
  }
}

TEST_CASE("random numbers are the same for every instruction set") {
  const Settings restore;
  Array<float, 1> uniform = random::uniform<float>(random::Key{9}, Dim{5003});
  const Array<float, 1> normal = random::normal<float>(random::Key{9}, Dim{5003});
  for (const device::Isa isa : {device::Isa::baseline, device::Isa::avx2}) {
    device::limit_isa(isa);
    CAPTURE(std::string(device::name(isa)));
    CHECK(array_equal(uniform, random::uniform<float>(random::Key{9}, Dim{5003})));
    CHECK(array_equal(normal, random::normal<float>(random::Key{9}, Dim{5003})));
  }
}

TEST_CASE("an element depends on its position only, not on the layout it is written to") {
  const Array<float, 2> plain = random::uniform<float>(random::Key{3}, Dim{40, 50});
  Array<float, 2> storage(Dim{50, 40});
  storage.T() = random::uniform<float>(random::Key{3}, Dim{40, 50});
  CHECK(array_equal(plain, storage.T()));
  Array<float, 2> reversed(Dim{40, 50});
  reversed(range(none, none, -1), range(none, none, -1)) = random::uniform<float>(random::Key{3}, Dim{40, 50});
  CHECK(array_equal(plain, reversed(range(none, none, -1), range(none, none, -1))));
}

TEST_CASE("random expressions broadcast and fuse like any other") {
  const Array<float, 1> row = random::uniform<float>(random::Key{5}, Dim{30});
  Array<float, 2> matrix(Dim{20, 30});
  matrix(ellipsis) = random::uniform<float>(random::Key{5}, Dim{30}) - 0.5f;
  for (std::ptrdiff_t i = 0; i < 20; ++i) CHECK(array_equal(matrix(i, all), row - 0.5f));
  CHECK(item(sum(random::uniform<float>(random::Key{5}, Dim{30}))) == item(sum(row)));
}

TEST_CASE("uniform numbers lie in [0, 1) and have mean 1/2 and variance 1/12") {
  const auto check = [](const auto& numbers, double grain) {
    const double mean_of = static_cast<double>(item(mean(cast<double>(numbers))));
    const double variance = item(var(cast<double>(numbers)));
    CHECK(static_cast<double>(item(min(cast<double>(numbers)))) >= 0.0);
    CHECK(static_cast<double>(item(max(cast<double>(numbers)))) < 1.0);
    CHECK(mean_of == doctest::Approx(0.5 - grain / 2).epsilon(0.003));
    CHECK(variance == doctest::Approx(1.0 / 12).epsilon(0.01));
  };
  const Dim shape{200000};
  check(evaluate(random::uniform<float>(random::Key{1}, shape)), 0);
  check(evaluate(random::uniform<double>(random::Key{1}, shape)), 0);
  check(evaluate(random::uniform<float16>(random::Key{1}, shape)), 0x1p-11);
  check(evaluate(random::uniform<bfloat16>(random::Key{1}, shape)), 0x1p-8);
}

TEST_CASE("normal numbers have the moments of the standard normal distribution") {
  const auto check = [](const auto& given) {
    const Array<double, 1> x = cast<double>(given);
    CHECK(std::abs(item(mean(x))) < 0.01);
    CHECK(item(var(x)) == doctest::Approx(1.0).epsilon(0.01));
    CHECK(std::abs(item(mean(x * x * x))) < 0.03);
    CHECK(item(mean(square(x * x))) == doctest::Approx(3.0).epsilon(0.03));
    CHECK(item(mean(cast<double>(abs(x) < 1.0))) == doctest::Approx(0.682689).epsilon(0.01));
    CHECK(item(sum(!isfinite(x))) == 0);
  };
  check(evaluate(random::normal<float>(random::Key{1}, Dim{400000})));
  check(evaluate(random::normal<double>(random::Key{1}, Dim{400000})));
}

TEST_CASE("neighbouring numbers are uncorrelated") {
  const Array<double, 1> x = random::normal<double>(random::Key{2}, Dim{200001});
  for (const std::ptrdiff_t lag : {1, 2, 3, 4}) {
    CHECK(std::abs(item(mean(x(range(0, 200001 - lag)) * x(range(lag, none))))) < 0.01);
  }
}

TEST_CASE("a permutation holds every number once and depends on the key") {
  for (const std::ptrdiff_t count : {0, 1, 2, 3, 1000}) {
    const Array<std::int64_t, 1> order = random::permutation(random::Key{4}, count);
    std::vector<std::int64_t> sorted(order.begin(), order.end());
    std::ranges::sort(sorted);
    for (std::ptrdiff_t i = 0; i < count; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  }
  CHECK_FALSE(array_equal(random::permutation(random::Key{4}, 1000), random::permutation(random::Key{5}, 1000)));
  CHECK(array_equal(random::permutation(random::Key{4}, 1000), random::permutation(random::Key{4}, 1000)));
  CHECK_THROWS_AS(random::permutation(random::Key{4}, -1), ShapeError);
}

TEST_CASE("all orders of four numbers are about equally likely") {
  std::vector<int> counts(256);
  constexpr int draws = 24000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const Array<std::int64_t, 1> order = random::permutation(random::Key{6}.fold(i), 4);
    std::size_t code = 0;
    for (const std::int64_t value : order) code = code * 4 + static_cast<std::size_t>(value);
    ++counts[code];
  }
  double chi_square = 0;  // 23 degrees of freedom
  int seen = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    ++seen;
    chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  }
  CHECK(seen == 24);
  CHECK(chi_square < 49.7);  // one in a thousand
}

TEST_CASE("a random shape that is too large is refused before anything is allocated") {
  CHECK_THROWS_AS(random::uniform<float>(random::Key{1}, Dim{std::ptrdiff_t{1} << 62, 4}), ShapeError);
}

TEST_CASE("the page's examples") {
  // --8<-- [start:random]
  const random::Key key{7};
  Array<float, 2> z = random::uniform<float>(key, Dim{64, 10}) - 0.5f;   // lazy: computed while it is written
  Array<float, 1> noise = random::normal<float>(key.fold(1), Dim{100});  // another stream
  Array<std::int64_t, 1> order = random::permutation(key.fold(2), 64);
  Array<float, 2> shuffled = take(z, order);  // rows in random order
  // --8<-- [end:random]
  CHECK(z[{0, 0}] >= -0.5f);
  CHECK(noise.size() == 100);
  CHECK(shuffled[{5, 3}] == z[{static_cast<std::int64_t>(order[{5}]), 3}]);
}
