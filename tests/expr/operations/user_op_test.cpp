// Users' own operations: generic lambdas over expressions, and F<Op> with a static map.
#include <atomic>
#include <stdexcept>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

struct Logistic {
  static constexpr const char* device = "4 * $0 * (1 - $0)";
  static float map(float x) { return 4 * x * (1 - x); }
};
struct Blend {
  static constexpr const char* device = "$0 > $1 ? $0 : $1";
  static float map(float a, float b) { return a > b ? a : b; }
};
struct Axpy {
  static constexpr const char* device = "(double)$0 * $1 + $2";
  static double map(float alpha, double x, double y) { return static_cast<double>(alpha) * x + y; }
};
struct Inside {
  static constexpr const char* device = "$2 <= $0 && $0 < $3 && $2 <= $1 && $1 < $3";
  static bool map(float x, float y, float low, float high) { return low <= x && x < high && low <= y && y < high; }
};
struct Magnitude {
  static float map(std::complex<float> z) { return z.real() * z.real() + z.imag() * z.imag(); }
};
struct Halve {
  static auto map(auto x) { return x / 2; }
};

/// Throws at one value; counts the calls.
struct Picky {
  static inline std::atomic<std::ptrdiff_t> calls{0};
  static float map(float x) {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (x == -1.0f) throw std::domain_error("-1 is not accepted");
    return x + 1;
  }
};

/// Steps of the Collatz sequence down to 1: a loop of its own for each element.
struct CollatzSteps {
  static std::int32_t map(std::int64_t n) {
    std::int32_t steps = 0;
    for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  }
};

/// A function that the compiler cannot look into.
[[gnu::noinline]] float opaque(float x) {
  asm volatile("" : "+m"(x));
  return x * 2 + 1;
}
struct Opaque {
  static float map(float x) { return opaque(x); }
};

struct Polynomial {
  static constexpr const char* device = "$0 + $1 * ($2 + $1 * ($3 + $1 * ($4 + $1 * $5)))";
  static double map(double a, double x, double b, double c, double d, double e) {
    return a + x * (b + x * (c + x * (d + x * e)));
  }
};
static_assert(DeviceOperation<Polynomial> && !DeviceOperation<Opaque>);

struct WithoutMap {};
struct Unstatic {
  float map(float x) const { return x; }
};
struct Hidden final {
  static float map(float x) { return x; }
};
struct Wordy {
  static std::string map(float) { return ""; }
};
template <class Op, class... Arguments>
concept CanApply = requires(Arguments... arguments) { F<Op>(arguments...); };
using A = Array<float, 1>;
static_assert(CanApply<Logistic, A> && CanApply<Blend, A, A> && CanApply<Blend, A, float> &&
              CanApply<Blend, double, A>);
static_assert(CanApply<Hidden, A> && CanApply<Polynomial, A, A, A, A, A, A> && !CanApply<Polynomial, A, A>);
static_assert(!CanApply<Unstatic, A> && !CanApply<int, A> && !CanApply<Logistic, long double> &&
              !CanApply<Blend, A, long double> && !CanApply<Logistic>);
static_assert(UserOperation<Logistic, A> && !UserOperation<Logistic, float> && !UserOperation<WithoutMap, A>);
static_assert(!CanApply<Blend, Array<float, 1, CpuPlace>, Array<float, 1, GpuPlace>>);
static_assert(!CanApply<WithoutMap, A> && !CanApply<Wordy, A> && !CanApply<Blend, A> && !CanApply<Blend, float, float>);

}  // namespace

TEST_CASE("F<Op> with one to four arguments, arrays, expressions and scalars" * doctest::test_suite("any place")) {
  const A x = there(make_array<float>({0.25f, 0.5f, 1}));
  CHECK(array_equal(F<Logistic>(x), there(make_array<float>({0.75f, 1, 0}))));
  CHECK(array_equal(F<Blend>(x, 0.5f), there(make_array<float>({0.5f, 0.5f, 1}))));
  CHECK(array_equal(F<Blend>(1 - x, F<Logistic>(x)), there(make_array<float>({0.75f, 1, 0}))));
  CHECK(array_equal(F<Axpy>(x, there(make_array<double>({1, 2, 3})), 1.0), there(make_array<double>({1.25, 2, 4}))));
  CHECK(array_equal(F<Inside>(x, x + 0.25f, 0.25f, 0.8f), there(make_array<bool>({true, true, false}))));
}

TEST_CASE("the result's type is that of map") {
  static_assert(std::same_as<decltype(F<Axpy>(std::declval<A>(), std::declval<A>(), 1.0))::value_type, double>);
  static_assert(std::same_as<decltype(F<Halve>(std::declval<Array<std::int32_t, 1>>()))::value_type, std::int32_t>);
  static_assert(std::same_as<decltype(F<Halve>(std::declval<Array<float16, 1>>()))::value_type, float>);
  CHECK(array_equal(F<Halve>(make_array<std::int32_t>({7, -7})), make_array<std::int32_t>({3, -3})));
  CHECK(
      array_equal(F<Magnitude>(make_array<std::complex<float>>({std::complex<float>(3, 4)})), make_array<float>({25})));
}

TEST_CASE("arguments of F<Op> broadcast, and their errors name it") {
  const Array<float, 2> column = make_array<float>({{1}, {5}});
  CHECK(array_equal(F<Blend>(column, make_array<float>({2, 3})), make_array<float>({{2, 3}, {5, 5}})));
  CHECK(contains(message_of<ShapeError>([] { F<Blend>(zeros<float>(Dim{2}), zeros<float>(Dim{3})); }),
                 "F<Op>: the shapes (2,) and (3,)"));
}

TEST_CASE("a generic lambda composes nodes and computes nothing until it meets an array") {
  const auto gauss = [](const auto& x, const auto& mean, auto deviation) {
    return exp(-square((x - mean) / deviation) / 2);
  };
  const A x = make_array<float>({-1, 0, 1});
  const auto allocations = memory::stats(CpuPlace{}).allocations;
  const auto e = gauss(x, x * 0, 2.0f) + gauss(x, x, 1);
  CHECK(memory::stats(CpuPlace{}).allocations == allocations);
  const A y = e;
  CHECK(float(y[{1}]) == 2.0f);
  CHECK(float(y[{0}]) == doctest::Approx(1 + std::exp(-0.125)));
  CHECK(double(item(sum(gauss(1.0 * x, 0 * x, 1)))) == doctest::Approx(1 + 2 * std::exp(-0.5)));
}

TEST_CASE("F<Op> is vectorised and cut into blocks like any other operation" * doctest::test_suite("any place")) {
  Random random(700);
  INFO(random.how_to_repeat());
  for_each_isa([&](device::Isa) {
    for (const auto kind : all_arrangements) {
      const Array<float, 2> a = there(random_array<float>(Dim{37, 91}, kind, random));
      const Array<float, 2> b = there(random_array<float>(Dim{37, 91}, Arrangement::random, random));
      CHECK(array_equal(F<Blend>(a, b), maximum(a, b)));
    }
  });
}

TEST_CASE("a map with a loop of its own, or one that the compiler cannot look into, is called for each element") {
  for_each_isa([](device::Isa isa) {
    CAPTURE(device::name(isa));
    const Array<std::int64_t, 1> n = arange(std::int64_t{1}, std::int64_t{200});
    const Array<std::int32_t, 1> steps = F<CollatzSteps>(n);
    for (std::ptrdiff_t i = 0; i < 199; ++i) CHECK(std::int32_t(steps[{i}]) == CollatzSteps::map(i + 1));
    const A x = arange(100.0f);
    CHECK(array_equal(F<Opaque>(x(range(none, none, -1))), x(range(none, none, -1)) * 2 + 1));
    CHECK(array_equal(F<Opaque>(F<Opaque>(x) + 1), x * 4 + 5));
  });
}

TEST_CASE("F<Op> takes any number of arguments" * doctest::test_suite("any place")) {
  Array<double, 1> x = there(make_array<double>({0, 1, 2}));
  CHECK(array_equal(F<Polynomial>(x * 0 + 1, x, 1.0, x * 0, 0.5, x), there(make_array<double>({1, 3.5, 39}))));
}

TEST_CASE("an exception out of map arrives at the caller, leaks nothing and leaves everything usable") {
  for (const std::ptrdiff_t n : {100, 300000}) {
    for (const int threads : {1, 2, 4}) {
      INFO(n << " elements, " << threads << " threads");
      const Threads restore(threads);
      A x = arange(static_cast<float>(n));
      A y = zeros<float>(Dim<1>{n});
      const Array<float, 2> steps = broadcast_to(x, Dim<2>{2, n});
      y = F<Picky>(x(range(none, none, -1)) * 0);  // threads get their buffers
      x[{n / 2}] = -1.0f;
      const auto live = memory::stats(CpuPlace{}).live;
      CHECK(message_of<std::domain_error>([&] { y = F<Picky>(x); }) == "-1 is not accepted");
      CHECK(message_of<std::domain_error>([&] { y = F<Picky>(x(range(none, none, -1))); }) == "-1 is not accepted");
      CHECK(message_of<std::domain_error>([&] { item(sum(F<Picky>(x))); }) == "-1 is not accepted");
      CHECK(message_of<std::domain_error>([&] { evaluate(sum<1>(F<Picky>(steps))); }) == "-1 is not accepted");
      CHECK(message_of<std::domain_error>([&] { evaluate(F<Picky>(x) + max(F<Picky>(x))); }) == "-1 is not accepted");
      CHECK(message_of<std::domain_error>([&] {
              const Array<float, 2> column = reshape(x, Dim<2>{n, 1});
              evaluate(F<Picky>(dot(column, ones<float>(Dim{1, 2})) * 1));
            }) == "-1 is not accepted");
      CHECK(memory::stats(CpuPlace{}).live == live);
      x[{n / 2}] = 0.0f;
      Picky::calls = 0;
      y = F<Picky>(x);
      CHECK(Picky::calls == n);
      CHECK(array_equal(y, x + 1));
    }
  }
}
