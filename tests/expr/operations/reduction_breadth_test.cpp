// Every reduction x element type x axes x layout with random shapes, against a slow loop in long double; zero extents, ranks 0 to 9.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T>
struct Part {
  using type = T;
};
template <class T>
struct Part<std::complex<T>> {
  using type = T;
};

/// The values behind one result.
template <class T>
struct Behind {
  std::vector<T> values;

  template <class Wide>
  Wide total() const {
    Wide sum{};
    for (const T value : values) sum += static_cast<Wide>(value);
    return sum;
  }
  long double magnitudes() const {
    long double sum = 0;
    for (const T value : values) sum += std::abs(static_cast<long double>(value));
    return sum;
  }
  long double squares_from(long double centre) const {
    long double sum = 0;
    for (const T value : values)
      sum += (static_cast<long double>(value) - centre) * (static_cast<long double>(value) - centre);
    return sum;
  }
  long double mean() const { return total<long double>() / static_cast<long double>(values.size()); }
  long double log_sum_exp() const {
    const long double largest = static_cast<long double>(*std::max_element(values.begin(), values.end()));
    long double sum = 0;
    for (const T value : values) sum += std::exp(static_cast<long double>(value) - largest);
    return largest + std::log(sum);
  }
  std::ptrdiff_t non_zero() const {
    return std::count_if(values.begin(), values.end(), [](T value) { return value != T(0); });
  }
};

/// The values behind every result, in row-major order of the results, when the axes in `reduced` go.
template <class T, int Rank>
std::vector<Behind<T>> gather(const Array<T, Rank>& a, const std::vector<int>& reduced) {
  const auto goes = [&](int axis) { return std::find(reduced.begin(), reduced.end(), axis) != reduced.end(); };
  std::ptrdiff_t results = 1;
  for (int axis = 0; axis < Rank; ++axis) results *= goes(axis) ? 1 : a.shape()[axis];
  std::vector<Behind<T>> behind(static_cast<std::size_t>(results));
  for_each_position(a.shape(), [&](const auto& at) {
    std::ptrdiff_t result = 0;
    for (int axis = 0; axis < Rank; ++axis) {
      if (!goes(axis)) result = result * a.shape()[axis] + at[static_cast<std::size_t>(axis)];
    }
    behind[static_cast<std::size_t>(result)].values.push_back(element(a, at));
  });
  return behind;
}

/// Where results leave what `expected(behind)` and `tolerance(behind)` allow, in words.
template <class V, class T, class Expected, class Tolerance>
std::string misses(const std::vector<V>& got, const std::vector<Behind<T>>& behind, const Expected& expected,
                   const Tolerance& tolerance) {
  if (got.size() != behind.size()) return std::to_string(got.size()) + " results";
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto right = static_cast<long double>(expected(behind[i]));
    const auto value = static_cast<long double>(got[i]);
    if (value == right || std::abs(value - right) <= static_cast<long double>(tolerance(behind[i]))) continue;
    if (value != value && right != right) continue;
    return "result " + std::to_string(i) + " is " + text_of(static_cast<double>(value)) + ", expected " +
           text_of(static_cast<double>(right));
  }
  return "";
}

template <class V, class T, class Expected>
std::string differs(const std::vector<V>& got, const std::vector<Behind<T>>& behind, const Expected& expected) {
  return misses(got, behind, expected, [](const auto&) { return 0; });
}

/// Half a unit in the last place of 1, in the type in which T is computed, or of T itself where that is coarser.
template <class T>
constexpr long double rounding() {
  if (std::same_as<T, double>) return 0x1p-53L;
  if (std::same_as<T, float16>) return 0x1p-11L;
  if (std::same_as<T, bfloat16>) return 0x1p-8L;
  return 0x1p-24L;
}

template <class T, int... Axis, int Rank>
void check_counts(const Array<T, Rank>& a, const std::vector<Behind<T>>& behind) {
  CHECK(differs(elements(evaluate(count_nonzero<Axis...>(a))), behind, [](const auto& b) { return b.non_zero(); }) ==
        "");
  CHECK(differs(elements(evaluate(any<Axis...>(a, keepdims))), behind,
                [](const auto& b) { return b.non_zero() > 0; }) == "");
  CHECK(differs(elements(evaluate(all_of<Axis...>(a))), behind,
                [](const auto& b) { return b.non_zero() == static_cast<std::ptrdiff_t>(b.values.size()); }) == "");
}

template <class T, int... Axis, int Rank>
void check_extremes(const Array<T, Rank>& a, const std::vector<Behind<T>>& behind) {
  const auto wide = [](T value) { return static_cast<long double>(value); };
  CHECK(differs(elements(evaluate(min<Axis...>(a))), behind,
                [&](const auto& b) { return wide(*std::ranges::min_element(b.values)); }) == "");
  CHECK(differs(elements(evaluate(max<Axis...>(a, keepdims))), behind,
                [&](const auto& b) { return wide(*std::ranges::max_element(b.values)); }) == "");
  if constexpr (sizeof...(Axis) <= 1) {
    CHECK(differs(elements(evaluate(argmin<Axis...>(a))), behind,
                  [](const auto& b) { return std::ranges::min_element(b.values) - b.values.begin(); }) == "");
    CHECK(differs(elements(evaluate(argmax<Axis...>(a))), behind,
                  [](const auto& b) { return std::ranges::max_element(b.values) - b.values.begin(); }) == "");
  }
}

template <class T, int... Axis, int Rank>
void check_statistics(const Array<T, Rank>& a, const std::vector<Behind<T>>& behind) {
  const auto count = [](const auto& b) { return static_cast<long double>(b.values.size()); };
  const auto logs = [&](const auto& b) { return 4 + std::log2(count(b)); };
  const auto of_sum = [&](const auto& b) { return rounding<T>() * logs(b) * b.magnitudes(); };
  const auto of_var = [&](const auto& b) {
    return rounding<T>() * 8 * logs(b) * (b.squares_from(b.mean()) / count(b) + 1e-6L);
  };
  CHECK(misses(
            elements(evaluate(sum<Axis...>(a))), behind, [](const auto& b) { return b.template total<long double>(); },
            of_sum) == "");
  CHECK(misses(
            elements(evaluate(mean<Axis...>(a))), behind, [](const auto& b) { return b.mean(); },
            [&](const auto& b) { return of_sum(b) / count(b); }) == "");
  CHECK(misses(
            elements(evaluate(var<Axis...>(a))), behind,
            [&](const auto& b) { return b.squares_from(b.mean()) / count(b); }, of_var) == "");
  CHECK(misses(
            elements(evaluate(stddev<Axis...>(a, keepdims, correction(0.5)))), behind,
            [&](const auto& b) { return std::sqrt(b.squares_from(b.mean()) / (count(b) - 0.5L)); },
            [&](const auto& b) { return rounding<T>() * 8 * logs(b) * (1 + std::sqrt(b.squares_from(b.mean()))); }) ==
        "");
  CHECK(misses(
            elements(evaluate(logsumexp<Axis...>(a))), behind, [](const auto& b) { return b.log_sum_exp(); },
            [&](const auto& b) { return rounding<T>() * 8 * logs(b) * (1 + std::abs(b.log_sum_exp())); }) == "");
  CHECK(misses(
            elements(evaluate(norm<Axis...>(a))), behind, [](const auto& b) { return std::sqrt(b.squares_from(0)); },
            [&](const auto& b) { return rounding<T>() * 8 * logs(b) * std::sqrt(b.squares_from(0)); }) == "");
  CHECK(misses(
            elements(evaluate(norm<NormOrder::one, Axis...>(a))), behind, [](const auto& b) { return b.magnitudes(); },
            of_sum) == "");
}

template <class T, int... Axis, int Rank>
void check_axes(const Array<T, Rank>& a) {
  std::vector<int> reduced{Axis...};
  if constexpr (sizeof...(Axis) == 0) {
    for (int axis = 0; axis < Rank; ++axis) reduced.push_back(axis);
  }
  INFO("axes " << (reduced.empty() ? -1 : reduced.front()) << " .. " << (reduced.empty() ? -1 : reduced.back()));
  const auto behind = gather(a, reduced);
  const bool nothing = std::ranges::any_of(reduced, [&](int axis) { return a.shape()[axis] == 0; });
  const auto x = there(a);
  check_counts<T, Axis...>(x, behind);
  if (nothing) return;
  if constexpr (Real<T>) check_extremes<T, Axis...>(x, behind);
  if constexpr (Floating<T>) check_statistics<T, Axis...>(x, behind);
  if constexpr (Integer<T>) {
    CHECK(differs(elements(evaluate(sum<Axis...>(x))), behind,
                  [](const auto& b) { return b.template total<std::int64_t>(); }) == "");
  }
}

template <class T>
Array<T, 3> small_values(const Dim<3>& shape, Arrangement kind, Random& random) {
  const Array<T, 3> a = storage_like<T>(shape, kind, T(0), random);
  for_each_position(a.shape(), [&](const auto& at) {
    if constexpr (Floating<T>) {
      element(a, at) = random.below(5) == 0 ? T(0) : T(3 * random.real());
    } else {
      element(a, at) = static_cast<T>(random.below(7));
    }
  });
  return a;
}

template <class T>
void check_type(std::uint64_t salt) {
  Random random(salt);
  INFO(random.how_to_repeat());
  for (const auto kind : all_arrangements) {
    const Dim<3> shape{random.between(1, 4), random.between(1, 24), random.between(1, 90)};
    INFO(name(dtype_of<T>) << " of " << shape << ", " << name_of(kind));
    const Array<T, 3> a = small_values<T>(shape, kind, random);
    check_axes<T, 2>(a);
    if constexpr (std::same_as<T, float>) {  // which axes go is independent of the type; layouts bring rows and columns
      check_axes<T>(a);
      check_axes<T, 1>(a);
      check_axes<T, 0, 2>(a);
    }
  }
}

}  // namespace

TEST_CASE("every reduction of float along every set of axes agrees with a loop, under every instruction set" *
          doctest::test_suite("any place")) {
  for_each_isa([](device::Isa) { check_type<float>(310); });
}

TEST_CASE("every reduction of the other types agrees with a loop" * doctest::test_suite("any place")) {
  check_type<double>(311);
  check_type<float16>(312);
  check_type<bfloat16>(313);
  check_type<bool>(314);
  check_type<std::int32_t>(315);
  check_type<std::uint8_t>(316);
}

TEST_CASE("random shapes with zero extents: what has a neutral value has results, over every set of axes" *
          doctest::test_suite("any place")) {
  Random random(317);
  INFO(random.how_to_repeat());
  for (int round = 0; round < 20; ++round) {
    const Dim<3> shape{random.between(0, 2), random.between(0, 2), random.between(0, 3)};
    INFO("shape " << shape);
    const Array<float, 3> a = small_values<float>(shape, Arrangement::contiguous, random);
    check_axes<float>(a);
    check_axes<float, 1>(a);
    check_axes<float, 0, 2>(a);
  }
}

TEST_CASE("ranks 0 and 9 are reduced like any other" * doctest::test_suite("any place")) {
  const Array<float, 0> point = there(full(Dim<0>{}, -3.0f));
  CHECK(item(sum(point)) == -3.0f);
  CHECK(item(var(point)) == 0.0f);
  CHECK(item(norm(point)) == 3.0f);
  CHECK(item(all_of(point)));
  CHECK(item(argmax(point)) == 0);
  const Array<float, 9> nine = reshape(there(arange(512.0f)), Dim<9>{2, 2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(item(sum(nine)) == 130816.0f);
  CHECK(array_equal(sum<0, 2, 4, 6, 8>(nine),
                    evaluate(sum<0, 1, 2, 3, 4>(transpose(nine, {0, 2, 4, 6, 8, 1, 3, 5, 7})))));
  CHECK(array_equal(flatten(evaluate(max<1, 3, 5, 7>(nine))),
                    flatten(evaluate(nine(all, 1, all, 1, all, 1, all, 1, all) + 0.0f))));
  CHECK(item(mean(nine)) == 255.5f);
}

TEST_CASE("sums, products, means and norms of complex numbers" * doctest::test_suite("any place")) {
  using c64 = std::complex<float>;
  const Array<c64, 2> z = there(make_array<c64>({{c64(3, 4), c64(0, 0)}, {c64(0, 2), c64(1, 0)}}));
  CHECK(item(sum(z)) == c64(4, 6));
  CHECK(item(mean(z)) == c64(1, 1.5f));
  CHECK(array_equal(prod<0>(z), there(make_array<c64>({c64(-8, 6), c64(0, 0)}))));
  CHECK(array_equal(norm<1>(z), there(make_array<float>({5, std::sqrt(5.0f)}))));
  CHECK(array_equal(count_nonzero<1>(z), there(make_array<std::int64_t>({1, 2}))));
  CHECK(!item(all(z)));
}
