// Differential tests of the elementwise functions: every function, floating type, layout and instruction set against the C
// library in double. One expression holds many functions; a selecting operand says which one an element gets.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

const std::string exponentials[] = {"exp",  "expm1", "exp2", "log",     "log1p", "log2",     "log10", "sqrt", "cbrt",
                                    "sinh", "cosh",  "tanh", "sigmoid", "erf",   "softplus", "silu",  "gelu"};

double exponential_reference(int k, double x) {
  switch (k) {
    case 0: return std::exp(x);
    case 1: return std::expm1(x);
    case 2: return std::exp2(x);
    case 3: return std::log(x);
    case 4: return std::log1p(x);
    case 5: return std::log2(x);
    case 6: return std::log10(x);
    case 7: return std::sqrt(x);
    case 8: return std::cbrt(x);
    case 9: return std::sinh(x);
    case 10: return std::cosh(x);
    case 11: return std::tanh(x);
    case 12: return 1 / (1 + std::exp(-x));
    case 13: return std::erf(x);
    case 14: return std::log1p(std::exp(x));
    case 15: return x / (1 + std::exp(-x));
    default: return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  }
}

template <class K, class X>
auto exponential_of(const K& k, const X& x) {
  const auto first = where(k < 2, where(k == 0, exp(x), expm1(x)), where(k == 2, exp2(x), log(x)));
  const auto second = where(k < 6, where(k == 4, log1p(x), log2(x)), where(k == 6, log10(x), sqrt(x)));
  const auto third = where(k < 10, where(k == 8, cbrt(x), sinh(x)), where(k == 10, cosh(x), tanh(x)));
  const auto fourth =
      where(k < 14, where(k == 12, sigmoid(x), erf(x)), where(k < 16, where(k == 14, softplus(x), silu(x)), gelu(x)));
  return where(k < 8, where(k < 4, first, second), where(k < 12, third, fourth));
}

const std::string angles[] = {"sin", "cos", "tan", "asin", "acos", "atan", "pow", "atan2", "hypot", "clip"};

double angle_reference(int k, double x, double y) {
  switch (k) {
    case 0: return std::sin(x);
    case 1: return std::cos(x);
    case 2: return std::tan(x);
    case 3: return std::asin(x);
    case 4: return std::acos(x);
    case 5: return std::atan(x);
    case 6: return std::pow(x, y);
    case 7: return std::atan2(x, y);
    case 8: return std::hypot(x, y);
    default: return x != x ? x : std::min(std::max(x, -1.5), 2.0);
  }
}

template <class K, class X>
auto angle_of(const K& k, const X& x, const X& y) {
  const auto first = where(k < 2, where(k == 0, sin(x), cos(x)), where(k == 2, tan(x), asin(x)));
  const auto second = where(k < 6, where(k == 4, acos(x), atan(x)), where(k == 6, pow(x, y), atan2(x, y)));
  return where(k < 8, where(k < 4, first, second), where(k == 8, hypot(x, y), clip(x, -1.5, 2.0)));
}

/// Largest error relative to the result that rounding to T and a few units in the last place of its compute type explain.
template <class T>
constexpr double tolerance() {
  if constexpr (std::same_as<T, double>)
    return 2e-15;
  else if constexpr (std::same_as<T, float>)
    return 6e-7;
  else if constexpr (std::same_as<T, float16>)
    return 0x1.01p-11;
  else
    return 0x1.01p-8;
}
/// What cancellation (gelu, tan) and subnormal results add.
template <class T>
constexpr double absolute_tolerance() {
  if constexpr (std::same_as<T, double>)
    return 4e-16;
  else if constexpr (std::same_as<T, float16>)
    return 4e-7;
  else
    return 3e-7;
}

template <class T>
constexpr double largest() {
  if constexpr (std::same_as<T, double>)
    return std::numeric_limits<double>::max();
  else if constexpr (std::same_as<T, float16>)
    return 65504;
  else if constexpr (std::same_as<T, bfloat16>)
    return 0x1.fep+127;
  else
    return std::numeric_limits<float>::max();
}

template <class T, class Expression, class Reference>
void check(const std::string* names, std::ptrdiff_t count, Arrangement kind, Random& random,
           const Expression& expression, const Reference& reference) {
  const Dim<2> shape{random.between(1, 9), random.between(1, 150)};
  const auto x = random_array<T>(shape, kind, random);
  const auto y = random_array<T>(shape, Arrangement::random, random);
  const auto k = storage_like<std::int8_t>(shape, kind, 0, random);
  for_each_position(shape, [&](const auto& at) {
    element(k, at) = static_cast<std::int8_t>(random.below(count));
    if (random.below(3) == 0)
      element(x, at) = T(static_cast<double>(element(x, at)) * 0.2);  // more of the domain of asin
  });
  const auto result = evaluate(expression(k, x, y));
  for_each_position(shape, [&](const auto& at) {
    const auto a = static_cast<double>(element(x, at));
    const auto b = static_cast<double>(element(y, at));
    const auto got = static_cast<double>(element(result, at));
    const double expected = reference(element(k, at), a, b);
    const double most = tolerance<T>() * std::abs(expected) + absolute_tolerance<T>();
    const bool overflows =
        std::isinf(got) && std::abs(expected) > largest<T>() && std::signbit(got) == std::signbit(expected);
    if ((got != got && expected != expected) || std::abs(got - expected) <= most || got == expected || overflows)
      return;
    FAIL_CHECK(names[element(k, at)] << "(" << text_of(a) << ", " << text_of(b) << ") is " << text_of(got)
                                     << ", expected " << text_of(expected));
  });
}

template <class T>
void check_type() {
  Random random(80 + static_cast<int>(dtype_of<T>));
  INFO(name(dtype_of<T>) << ", " << random.how_to_repeat());
  for_each_isa([&](device::Isa isa) {
    for (const auto kind : all_arrangements) {
      INFO(name_of(kind) << ", " << device::name(isa));
      check<T>(
          exponentials, std::size(exponentials), kind, random,
          [](const auto& k, const auto& x, const auto&) { return exponential_of(k, x); },
          [](int k, double x, double) { return exponential_reference(k, x); });
      check<T>(
          angles, std::size(angles), kind, random,
          [](const auto& k, const auto& x, const auto& y) { return angle_of(k, x, y); }, angle_reference);
    }
  });
}

}  // namespace

TEST_CASE("functions of double elements agree with the C library") { check_type<double>(); }

TEST_CASE("functions of float elements agree with the C library in double") { check_type<float>(); }

TEST_CASE("functions of 16-bit elements agree with the C library in double, rounded once") {
  check_type<float16>();
  check_type<bfloat16>();
}
