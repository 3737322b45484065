// Differential tests of reductions: every operation, sets of axes, layouts, types and sizes around the thresholds of reduce.cpp
// (rows or columns, short rows that share a block, parts in parallel) against a loop over positions.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// What an index-by-index loop finds behind each result.
struct Facts {
  double sum = 0;
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
  std::int64_t at_least = -1, at_most = -1;
  std::int64_t seen = 0;

  void take(double value) {
    sum += value;
    if (at_least < 0 || value < least) least = value, at_least = seen;
    if (at_most < 0 || value > most) most = value, at_most = seen;
    ++seen;
  }
};

/// Facts of every result, in row-major order, when the axes in `reduced` go.
template <class T, int Rank>
std::vector<Facts> facts_of(const Array<T, Rank>& a, const std::vector<int>& reduced) {
  std::ptrdiff_t steps[Rank] = {}, results = 1;  // from result to result along the axes that stay
  for (int axis = Rank; axis-- > 0;) {
    if (std::find(reduced.begin(), reduced.end(), axis) != reduced.end()) continue;
    steps[axis] = results;
    results *= a.shape()[axis];
  }
  std::vector<Facts> facts(static_cast<std::size_t>(results));
  for_each_position(a.shape(), [&](const auto& at) {
    const auto result = static_cast<std::size_t>(offset_of(&at[0], steps, Rank));
    facts[result].take(static_cast<double>(element(a, at)));
  });
  return facts;
}

template <class V, class Member>
std::string compare(const std::vector<V>& got, const std::vector<Facts>& facts, const Member& member) {
  if (got.size() != facts.size()) return "wrong number of results";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const V expected = V(member(facts[i]));
    if (got[i] == expected) continue;
    return "result " + std::to_string(i) + " is " + text_of(got[i]) + ", expected " + text_of(expected);
  }
  return "";
}

/// Small whole numbers: sums of them are exact in every order, so results must be equal; the fused operand is 2x + 1.
template <class T, int... Axis, int Rank>
void check_axes(const Array<T, Rank>& a, Arrangement target, Random& random) {
  const std::vector<int> reduced = sizeof...(Axis) == 0 ? std::vector<int>{0, 1, 2} : std::vector<int>{Axis...};
  const auto facts = facts_of(a, reduced);
  const auto x = there(a);
  auto sums = sum<Axis...>(x);
  const auto stored = there(storage_like<typename decltype(sums)::value_type>(sums.shape(), target, {}, random, false));
  assign(stored, sums);
  CHECK(compare(elements(stored), facts, [](const Facts& f) { return f.sum; }) == "");
  const auto fused = elements(evaluate(sum<Axis...>(x * 2 + 1)));
  CHECK(compare(fused, facts, [](const Facts& f) { return 2 * f.sum + static_cast<double>(f.seen); }) == "");
  CHECK(compare(elements(evaluate(max<Axis...>(x, keepdims))), facts, [](const Facts& f) { return f.most; }) == "");
  CHECK(compare(elements(evaluate(min<Axis...>(x))), facts, [](const Facts& f) { return f.least; }) == "");
  if constexpr (sizeof...(Axis) <= 1) {
    CHECK(compare(elements(evaluate(argmax<Axis...>(x))), facts, [](const Facts& f) { return f.at_most; }) == "");
    CHECK(compare(elements(evaluate(argmin<Axis...>(x, keepdims))), facts, [](const Facts& f) { return f.at_least; }) ==
          "");
  }
}

template <class T>
void check_shape(const Dim<3>& shape, Arrangement kind, Random& random) {
  INFO(name(dtype_of<T>) << " of " << shape << ", " << name_of(kind));
  const Array<T, 3> a = storage_like<T>(shape, kind, T(0), random);
  for_each_position(shape, [&](const auto& at) {
    element(a, at) = T(static_cast<int>(random.below(9)) - (std::is_unsigned_v<T> ? 0 : 4));
  });
  const Arrangement target = target_arrangements[random.below(std::size(target_arrangements))];
  check_axes<T>(a, target, random);
  check_axes<T, 0>(a, target, random);
  check_axes<T, 2>(a, target, random);
  if constexpr (std::same_as<T, float>) {  // which axes go is independent of the type
    check_axes<T, 1>(a, target, random);
    check_axes<T, 0, 2>(a, target, random);
  }
}

}  // namespace

TEST_CASE("float reductions along every axis in every layout agree with a loop" * doctest::test_suite("any place")) {
  Random random(300);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const auto kind : all_arrangements) {
      check_shape<float>(Dim<3>{random.between(1, 6), random.between(1, 20), random.between(1, 60)}, kind, random);
      check_shape<float>(Dim<3>{random.between(1, 3), random.between(1, 3), random.between(500, 1500)}, kind, random);
    }
  });
}

TEST_CASE("reductions of other types agree with a loop" * doctest::test_suite("any place")) {
  Random random(301);
  INFO(random.how_to_repeat());
  for (const auto kind : all_arrangements) {
    const Dim<3> shape{random.between(1, 6), random.between(1, 20), random.between(1, 60)};
    check_shape<double>(shape, kind, random);
    check_shape<float16>(shape, kind, random);
    check_shape<std::int8_t>(shape, kind, random);
    check_shape<std::int64_t>(shape, kind, random);
    check_shape<std::uint16_t>(shape, kind, random);
  }
}

TEST_CASE("sizes just around the thresholds of reduce.cpp" * doctest::test_suite("any place")) {
  Random random(302);
  INFO(random.how_to_repeat());
  for (const std::ptrdiff_t n : {7, 8, 9, 15, 16, 17, 33}) {  // columns from 8 on; 16 rows in a partial sum
    check_shape<float>(Dim<3>{1, n, n}, Arrangement::contiguous, random);
    check_shape<float>(Dim<3>{n, 1, 600}, Arrangement::contiguous, random);
  }
  if (is_short_run()) return;
  for (const std::ptrdiff_t n :
       {511, 512, 513, 1023, 1024, 1025, 2049}) {  // short rows share a block; tiles of columns; blocks
    check_shape<float>(Dim<3>{1, 5, n}, Arrangement::contiguous, random);
    check_shape<float>(Dim<3>{1, n, 5}, Arrangement::contiguous, random);
    check_shape<float>(Dim<3>{2, n, 2}, Arrangement::transposed, random);
  }
}

TEST_CASE("long reductions in parallel parts, by rows and by columns" * doctest::test_suite("any place")) {
  Random random(303);
  INFO(random.how_to_repeat());
  if (is_short_run()) return;
  for (const std::ptrdiff_t extra : {-1, 0, 1}) {
    const std::ptrdiff_t split = 256 * 1024 + extra;  // from here on, few results are computed in parts
    check_shape<float>(Dim<3>{1, 1, split}, Arrangement::contiguous, random);
    check_shape<float>(Dim<3>{1, split / 9 + 1, 9}, Arrangement::contiguous, random);
    check_shape<float>(Dim<3>{3, 2, parallel_threshold / 6 + extra}, Arrangement::random, random);
  }
  for (const std::ptrdiff_t units : {63, 64, 65})
    check_shape<float>(Dim<3>{units, 1, 5000}, Arrangement::contiguous, random);
  check_shape<float>(Dim<3>{130, 600, 9}, Arrangement::contiguous, random);
}

TEST_CASE("sums of complex numbers and products agree with a loop" * doctest::test_suite("any place")) {
  using c64 = std::complex<float>;
  Random random(304);
  INFO(random.how_to_repeat());
  for (const auto kind : all_arrangements) {
    const Array<c64, 2> z = random_array<c64>(Dim{13, 70}, kind, random);
    const auto rows = elements(evaluate(sum<1>(there(z))));
    const auto products = elements(evaluate(prod<0>(there(z))));
    for (std::ptrdiff_t i = 0; i < 13; ++i) {
      std::complex<double> expected = 0;
      for (std::ptrdiff_t j = 0; j < 70; ++j) expected += std::complex<double>(element(z, std::array{i, j}));
      CHECK(std::abs(std::complex<double>(rows[static_cast<std::size_t>(i)]) - expected) < 1e-3);
    }
    for (std::ptrdiff_t j = 0; j < 70; ++j) {
      std::complex<double> expected = 1;
      for (std::ptrdiff_t i = 0; i < 13; ++i) expected *= std::complex<double>(element(z, std::array{i, j}));
      CHECK(std::abs(std::complex<double>(products[static_cast<std::size_t>(j)]) - expected) <=
            1e-5 * std::abs(expected));
    }
  }
}
