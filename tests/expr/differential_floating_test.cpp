// Differential tests of arithmetic on floating and complex elements: every operator, type, layout and instruction set
// against double (long double for double), with infinities, NaN and signed zeros among the operands.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// A type in which + - * / of T's values, rounded once more to T, is the correctly rounded result.
template <class T>
using exact_t =
    std::conditional_t<std::same_as<T, double>, double, std::conditional_t<std::same_as<T, float>, double, float>>;

template <class T>
T special_or_random(Random& random) {
  using Limits = std::numeric_limits<float>;
  const float specials[] = {0.0f, -0.0f, 1.0f, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                            2.5f, -3.5f};
  return random.below(4) == 0 ? T(specials[random.below(8)]) : random_value<T>(random);
}

const std::string operations[] = {"+",       "-",       "*",     "/",        "-x",         "abs",
                                  "maximum", "minimum", "sign",  "square",   "relu",       "floor",
                                  "ceil",    "trunc",   "round", "copysign", "reciprocal", "sqrt"};

template <class E>
E reference(int operation, E a, E b) {
  const bool nan = a != a || b != b;
  switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return -a;
    case 5: return std::abs(a);
    case 6: return nan ? a + b : a > b ? a : b;
    case 7: return nan ? a + b : a < b ? a : b;
    case 8: return a > 0 ? E(1) : a < 0 ? E(-1) : a;
    case 9: return a * a;
    case 10: return a < 0 ? E(0) : a;
    case 11: return std::floor(a);
    case 12: return std::ceil(a);
    case 13: return std::trunc(a);
    case 14: return std::nearbyint(a);
    case 15: return std::copysign(a, b);
    case 16: return E(1) / a;
    default: return std::sqrt(a);
  }
}

/// All operators at once; `k` selects one per element.
template <class K, class A>
auto arithmetic_of(const K& k, const A& a, const A& b) {
  const auto first = where(k < 2, where(k == 0, a + b, a - b), where(k == 2, a * b, a / b));
  const auto second =
      where(k < 6, where(k == 4, -a, abs(a)), where(k < 8, where(k == 6, maximum(a, b), minimum(a, b)), sign(a)));
  const auto third =
      where(k < 11, where(k == 9, square(a), relu(a)), where(k < 13, where(k == 11, floor(a), ceil(a)), trunc(a)));
  const auto fourth = where(k < 16, where(k == 14, round(a), copysign(a, b)), where(k == 16, reciprocal(a), sqrt(a)));
  return where(k < 9, where(k < 4, first, second), where(k < 14, third, fourth));
}

template <class T>
void check_arithmetic(Arrangement kind, Arrangement target, Random& random) {
  const Dim<3> shape{random.between(1, 5), random.between(1, 9), random.between(1, 140)};
  const auto a = storage_like<T>(shape, kind, T(0.0f), random);
  const auto b = storage_like<T>(shape, Arrangement::random, T(0.0f), random);
  const auto k = storage_like<std::int8_t>(shape, kind, 0, random);
  for_each_position(shape, [&](const auto& at) {
    element(a, at) = special_or_random<T>(random);
    element(b, at) = special_or_random<T>(random);
    element(k, at) = static_cast<std::int8_t>(random.below(std::size(operations)));
  });
  const auto result = storage_like<T>(shape, target, T(0.0f), random, false);
  assign(result, arithmetic_of(k, a, b));
  for_each_position(shape, [&](const auto& at) {
    using E = exact_t<T>;
    const E x = static_cast<E>(element(a, at));
    const E y = static_cast<E>(element(b, at));
    const T expected = T(reference<E>(element(k, at), x, y));
    if (same(element(result, at), expected)) return;
    FAIL_CHECK(text_of(element(a, at)) << " " << operations[element(k, at)] << " " << text_of(element(b, at)) << " is "
                                       << text_of(element(result, at)) << ", expected " << text_of(expected));
  });
}

/// Comparisons, classification, and whether NaN answers false to all but !=.
template <class T>
void check_answers(Arrangement kind, Random& random) {
  const Dim<2> shape{random.between(1, 9), random.between(1, 140)};
  const auto a = storage_like<T>(shape, kind, T(0.0f), random);
  const auto b = storage_like<T>(shape, Arrangement::random, T(0.0f), random);
  for_each_position(shape, [&](const auto& at) {
    element(a, at) = special_or_random<T>(random);
    element(b, at) = random.below(3) == 0 ? element(a, at) : special_or_random<T>(random);
  });
  using U = std::uint16_t;
  const auto bits =
      elements(evaluate(cast<U>(a == b) | (cast<U>(a != b) << 1) | (cast<U>(a < b) << 2) | (cast<U>(a <= b) << 3) |
                        (cast<U>(a > b) << 4) | (cast<U>(a >= b) << 5) | (cast<U>(isnan(a)) << 6) |
                        (cast<U>(isfinite(a)) << 7) | (cast<U>(isinf(a)) << 8)));
  std::size_t i = 0;
  for_each_position(shape, [&](const auto& at) {
    const auto x = static_cast<double>(element(a, at));
    const auto y = static_cast<double>(element(b, at));
    const int expected = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5 |
                         int(std::isnan(x)) << 6 | int(std::isfinite(x)) << 7 | int(std::isinf(x)) << 8;
    if (bits[i++] != expected)
      FAIL_CHECK("answers about " << x << " and " << y << " are bits " << bits[i - 1] << ", expected " << expected);
  });
}

template <class T>
void check_type() {
  Random random(30 + static_cast<int>(dtype_of<T>));
  INFO(name(dtype_of<T>) << ", " << random.how_to_repeat());
  for_each_isa([&](device::Isa isa) {
    for (const auto kind : all_arrangements) {
      for (const auto target : target_arrangements) {
        INFO(name_of(kind) << " operands, " << name_of(target) << " result, " << device::name(isa));
        check_arithmetic<T>(kind, target, random);
      }
      check_answers<T>(kind, random);
    }
  });
}

template <class T>
void check_complex() {
  Random random(60 + sizeof(T));
  INFO(name(dtype_of<T>) << ", " << random.how_to_repeat());
  for_each_isa([&](device::Isa isa) {
    for (const auto kind : all_arrangements) {
      INFO(name_of(kind) << ", " << device::name(isa));
      const Dim<2> shape{random.between(1, 9), random.between(1, 140)};
      const auto a = random_array<T>(shape, kind, random);
      const auto b = random_array<T>(shape, Arrangement::random, random);
      const auto k = storage_like<std::int8_t>(shape, Arrangement::contiguous, 0, random);
      for_each_position(shape, [&](const auto& at) { element(k, at) = static_cast<std::int8_t>(random.below(5)); });
      const auto result =
          evaluate(where(k < 2, where(k == 0, a + b, a - b), where(k == 2, a * b, where(k == 3, a / b, -a))));
      const auto equal = evaluate(a == b);
      for_each_position(shape, [&](const auto& at) {
        const std::complex<double> x(element(a, at));
        const std::complex<double> y(element(b, at));
        const std::complex<double> expected[] = {x + y, x - y, x * y, x / y, -x};
        const auto want = expected[element(k, at)];
        const std::complex<double> got(element(result, at));
        const double most = 8 * std::numeric_limits<typename T::value_type>::epsilon() *
                            (std::abs(x) + std::abs(y) + std::abs(want)) * (1 + std::abs(x));
        if (!(std::abs(got - want) <= most))
          FAIL_CHECK(x << " " << operations[element(k, at)] << " " << y << " is " << got << ", expected " << want);
        CHECK(element(equal, at) == (x == y));
      });
    }
  });
}

}  // namespace

TEST_CASE("operators on float and double are rounded once, in every layout") {
  check_type<float>();
  check_type<double>();
}

TEST_CASE("operators on 16-bit floats are computed in float and rounded once") {
  check_type<float16>();
  check_type<bfloat16>();
}

TEST_CASE("operators on complex numbers agree with complex arithmetic in double") {
  check_complex<std::complex<float>>();
  check_complex<std::complex<double>>();
}
