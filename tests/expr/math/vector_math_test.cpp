// Accuracy of the library's own float functions, measured in units in the last place against the C library in double: over a
// sample of all floats, and over all 2^32 of them when TESSERA_ALL_FLOATS is set. Bounds are those of docs/benchmarks/math.md.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Distance between neighbouring floats around x.
double unit_in_last_place(double x) {
  const auto exponent = static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023;
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::max(exponent, -126) - 23 + 1023) << 52);
}

/// Error of `got` in units in the last place; infinity where one is NaN and the other is not, or signs of zero differ.
double error_of(float got, double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (exact != exact || got != got) return (exact != exact) == (got != got) ? 0 : wrong;
  if (exact == 0 && got == 0) return std::signbit(exact) == std::signbit(got) ? 0 : wrong;
  if (std::isinf(exact)) return static_cast<double>(got) == exact ? 0 : wrong;
  const double overflow = 0x1p+128;  // stands for infinity: the float after the largest
  const double value = std::isinf(got) ? std::copysign(overflow, got) : static_cast<double>(got);
  const double nearest = std::abs(exact) > overflow ? std::copysign(overflow, exact) : exact;
  return std::abs(value - nearest) / unit_in_last_place(std::abs(nearest) < overflow ? nearest : 0x1p+127);
}

struct Worst {
  double error = 0;
  float argument = 0;
};

/// The floats with bits 0, step, 2 * step, ...
struct Sample {
  std::uint64_t step;
  float operator[](std::ptrdiff_t i) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(step * static_cast<std::uint64_t>(i)));
  }
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(((std::uint64_t{1} << 32) - 1) / step + 1); }
};

constexpr std::ptrdiff_t chunk = 1 << 14;  // below the parallel threshold: the threads are those of the test
constexpr std::ptrdiff_t batch = 1 << 24;  // whose exact values are computed once for all instruction sets

/// Largest error of `function` over sample[first], ... whose exact values are given.
template <class Function>
Worst worst_of(const Sample& sample, std::ptrdiff_t first, const std::vector<double>& exact, const Function& function) {
  const auto count = static_cast<std::ptrdiff_t>(exact.size());
  std::vector<Worst> worst(static_cast<std::size_t>((count - 1) / chunk + 1));
  parallel_for(static_cast<std::ptrdiff_t>(worst.size()), [&](std::ptrdiff_t number) {
    const std::ptrdiff_t start = number * chunk;
    const std::ptrdiff_t n = std::min(chunk, count - start);
    const Array<float, 1, CpuPlace> x(Dim<1>{n});
    for (std::ptrdiff_t i = 0; i < n; ++i) x.data()[i] = sample[first + start + i];
    const Array<float, 1, CpuPlace> y = function(x);
    Worst& mine = worst[static_cast<std::size_t>(number)];
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const double error = error_of(y.data()[i], exact[static_cast<std::size_t>(start + i)]);
      if (error > mine.error) mine = {error, x.data()[i]};
    }
  });
  return *std::max_element(worst.begin(), worst.end(),
                           [](const Worst& a, const Worst& b) { return a.error < b.error; });
}

template <class Function, class Exact>
void check(const std::string& name, double bound, const Function& function, const Exact& exact) {
  const bool all_floats = std::getenv("TESSERA_ALL_FLOATS") != nullptr;
  const Sample sample{all_floats ? 1u : 1021u};  // a prime step visits every exponent, and odd and even fractions
  Worst worst[std::size(all_isas)];
  for (std::ptrdiff_t first = 0; first < sample.size(); first += batch) {
    std::vector<double> values(static_cast<std::size_t>(std::min(batch, sample.size() - first)));
    parallel_for(static_cast<std::ptrdiff_t>((values.size() - 1) / chunk + 1), [&](std::ptrdiff_t number) {
      const auto last = std::min(static_cast<std::ptrdiff_t>(values.size()), (number + 1) * chunk);
      for (std::ptrdiff_t i = number * chunk; i < last; ++i)
        values[static_cast<std::size_t>(i)] = exact(static_cast<double>(sample[first + i]));
    });
    for_each_isa([&](device::Isa isa) {
      const Worst found = worst_of(sample, first, values, function);
      Worst& most = worst[static_cast<int>(isa)];
      if (found.error > most.error) most = found;
    });
  }
  for_each_isa([&](device::Isa isa) {
    const Worst& most = worst[static_cast<int>(isa)];
    if (all_floats)
      MESSAGE(name << " on " << device::name(isa) << ": at most " << most.error << " ULP, at "
                   << text_of(most.argument));
    INFO(name << " on " << device::name(isa) << ", worst at " << text_of(most.argument));
    CHECK(most.error > 0.25);  // the measurement itself works
    CHECK(most.error <= bound);
  });
}

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// function(x) is exactly `y` for each pair, on every instruction set, in the vector part of a block and in its tail.
template <class Function>
void check_values(const Function& function, std::initializer_list<std::pair<float, float>> pairs) {
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    for (const auto& [x, y] : pairs) {
      CAPTURE(x);
      CHECK(difference(elements(evaluate(function(full(Dim{131}, x)))), std::vector<float>(131, y)) == "");
    }
  });
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float tiny = 0x1p-149f;

}  // namespace

TEST_CASE("exp is within its bound") {
  check("exp", 1.5, [](const auto& x) { return exp(x); }, [](double x) { return std::exp(x); });
}

TEST_CASE("exp2 is within its bound") {
  check("exp2", 1.5, [](const auto& x) { return exp2(x); }, [](double x) { return std::exp2(x); });
}

TEST_CASE("expm1 is within its bound") {
  check("expm1", 2, [](const auto& x) { return expm1(x); }, [](double x) { return std::expm1(x); });
}

TEST_CASE("log is within its bound") {
  check("log", 1.5, [](const auto& x) { return log(x); }, [](double x) { return std::log(x); });
}

TEST_CASE("log1p is within its bound") {
  check("log1p", 2, [](const auto& x) { return log1p(x); }, [](double x) { return std::log1p(x); });
}

TEST_CASE("tanh is within its bound") {
  check("tanh", 2, [](const auto& x) { return tanh(x); }, [](double x) { return std::tanh(x); });
}

TEST_CASE("sigmoid is within its bound") {
  check("sigmoid", 2, [](const auto& x) { return sigmoid(x); }, exact_sigmoid);
}

TEST_CASE("sin is within its bound, for huge arguments too") {
  check("sin", 2, [](const auto& x) { return sin(x); }, [](double x) { return std::sin(x); });
}

TEST_CASE("cos is within its bound, for huge arguments too") {
  check("cos", 2, [](const auto& x) { return cos(x); }, [](double x) { return std::cos(x); });
}

TEST_CASE("erf is within its bound") {
  check("erf", 2, [](const auto& x) { return erf(x); }, [](double x) { return std::erf(x); });
}

TEST_CASE("log2 and log10 are within their bounds") {
  check("log2", 2, [](const auto& x) { return log2(x); }, [](double x) { return std::log2(x); });
  check("log10", 2, [](const auto& x) { return log10(x); }, [](double x) { return std::log10(x); });
}

TEST_CASE("cbrt is within its bound") {
  check("cbrt", 1.5, [](const auto& x) { return cbrt(x); }, [](double x) { return std::cbrt(x); });
}

TEST_CASE("tan is within its bound, for huge arguments too") {
  check("tan", 2, [](const auto& x) { return tan(x); }, [](double x) { return std::tan(x); });
}

TEST_CASE("inverse trigonometric functions are within their bounds") {
  check("asin", 2, [](const auto& x) { return asin(x); }, [](double x) { return std::asin(x); });
  check("acos", 2, [](const auto& x) { return acos(x); }, [](double x) { return std::acos(x); });
  check("atan", 2, [](const auto& x) { return atan(x); }, [](double x) { return std::atan(x); });
}

TEST_CASE("hyperbolic functions and their inverses are within their bounds") {
  check("sinh", 2, [](const auto& x) { return sinh(x); }, [](double x) { return std::sinh(x); });
  check("cosh", 2, [](const auto& x) { return cosh(x); }, [](double x) { return std::cosh(x); });
  check("asinh", 1, [](const auto& x) { return asinh(x); }, [](double x) { return std::asinh(x); });
  check("acosh", 1, [](const auto& x) { return acosh(x); }, [](double x) { return std::acosh(x); });
  check("atanh", 1, [](const auto& x) { return atanh(x); }, [](double x) { return std::atanh(x); });
}

TEST_CASE("erfc is within its bound") {
  check("erfc", 1, [](const auto& x) { return erfc(x); }, [](double x) { return std::erfc(x); });
}

/// The second operand, which a float decides: of its size or of any.
float partner(float x) {
  const auto mixed = (std::bit_cast<std::uint32_t>(x) + 0x9e3779b9u) * 0x85ebca6bu;
  return (mixed >> 5 & 1) != 0
             ? x * std::ldexp(static_cast<float>(mixed >> 8) * 0x1p-23f - 1, static_cast<int>(mixed % 31) - 15)
             : std::bit_cast<float>(mixed ^ mixed >> 13);
}

Array<float, 1, CpuPlace> partners(const Array<float, 1, CpuPlace>& x) {
  const Array<float, 1, CpuPlace> y(x.shape());
  for (std::ptrdiff_t i = 0; i < x.shape()[0]; ++i) y.data()[i] = partner(x.data()[i]);
  return y;
}

TEST_CASE("atan2 and hypot are within their bounds") {
  check(
      "atan2", 2, [](const auto& x) { return atan2(x, partners(x)); },
      [](double x) { return std::atan2(x, double{partner(static_cast<float>(x))}); });
  check(
      "hypot", 1.5, [](const auto& x) { return hypot(x, partners(x)); },
      [](double x) { return std::hypot(x, double{partner(static_cast<float>(x))}); });
}

TEST_CASE("atan2 and hypot of special values are those of the C library") {
  const std::vector<float> specials{0.0f,      -0.0f,        1.0f, -1.0f, 3.0f,    -3.0f,   infinity,
                                    -infinity, not_a_number, tiny, -tiny, 3.4e38f, -3.4e38f};
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    for (const float x : specials) {
      for (const float y : specials) {
        CAPTURE(x);
        CAPTURE(y);
        const auto angles = elements(evaluate(atan2(full(Dim{71}, x), y)));
        const auto lengths = elements(evaluate(hypot(full(Dim{71}, x), y)));
        CHECK(error_of(angles.front(), std::atan2(double{x}, double{y})) <= 2);
        CHECK(error_of(angles.back(), std::atan2(double{x}, double{y})) <= 2);
        CHECK(error_of(lengths.front(), std::hypot(double{x}, double{y})) <= 2);
      }
    }
  });
}

TEST_CASE("exp and expm1 of special values") {
  check_values([](const auto& x) { return exp(x); }, {{not_a_number, not_a_number},
                                                      {infinity, infinity},
                                                      {-infinity, 0.0f},
                                                      {0.0f, 1.0f},
                                                      {-0.0f, 1.0f},
                                                      {tiny, 1.0f},
                                                      {89.0f, infinity},
                                                      {1e30f, infinity},
                                                      {-104.0f, 0.0f},
                                                      {-1e30f, 0.0f}});
  check_values([](const auto& x) { return expm1(x); }, {{not_a_number, not_a_number},
                                                        {infinity, infinity},
                                                        {-infinity, -1.0f},
                                                        {0.0f, 0.0f},
                                                        {-0.0f, -0.0f},
                                                        {tiny, tiny},
                                                        {-tiny, -tiny},
                                                        {89.0f, infinity},
                                                        {-30.0f, -1.0f}});
}

TEST_CASE("log and log1p of special values") {
  check_values([](const auto& x) { return log(x); }, {{not_a_number, not_a_number},
                                                      {infinity, infinity},
                                                      {-infinity, not_a_number},
                                                      {-1.0f, not_a_number},
                                                      {-tiny, not_a_number},
                                                      {0.0f, -infinity},
                                                      {-0.0f, -infinity},
                                                      {1.0f, 0.0f},
                                                      {tiny, -0x1.9d1da0p+6f}});
  check_values([](const auto& x) { return log1p(x); }, {{not_a_number, not_a_number},
                                                        {infinity, infinity},
                                                        {-infinity, not_a_number},
                                                        {-1.5f, not_a_number},
                                                        {-1.0f, -infinity},
                                                        {0.0f, 0.0f},
                                                        {-0.0f, -0.0f},
                                                        {tiny, tiny},
                                                        {-tiny, -tiny}});
}

TEST_CASE("tanh and sigmoid of special values") {
  check_values([](const auto& x) { return tanh(x); }, {{not_a_number, not_a_number},
                                                       {infinity, 1.0f},
                                                       {-infinity, -1.0f},
                                                       {0.0f, 0.0f},
                                                       {-0.0f, -0.0f},
                                                       {tiny, tiny},
                                                       {-tiny, -tiny},
                                                       {50.0f, 1.0f},
                                                       {-1e30f, -1.0f}});
  check_values([](const auto& x) { return sigmoid(x); }, {{not_a_number, not_a_number},
                                                          {infinity, 1.0f},
                                                          {-infinity, 0.0f},
                                                          {0.0f, 0.5f},
                                                          {-0.0f, 0.5f},
                                                          {tiny, 0.5f},
                                                          {100.0f, 1.0f},
                                                          {-200.0f, 0.0f}});
}

TEST_CASE("sin, cos and erf of special values") {
  check_values([](const auto& x) { return sin(x); }, {{not_a_number, not_a_number},
                                                      {infinity, not_a_number},
                                                      {-infinity, not_a_number},
                                                      {0.0f, 0.0f},
                                                      {-0.0f, -0.0f},
                                                      {tiny, tiny},
                                                      {-tiny, -tiny},
                                                      {0x1.921fb6p+1f, -0x1.777a5cp-24f},  // the float nearest to pi
                                                      {1e22f, static_cast<float>(std::sin(double{1e22f}))}});
  check_values([](const auto& x) { return cos(x); }, {{not_a_number, not_a_number},
                                                      {infinity, not_a_number},
                                                      {-infinity, not_a_number},
                                                      {0.0f, 1.0f},
                                                      {-0.0f, 1.0f},
                                                      {tiny, 1.0f},
                                                      {0x1.921fb6p+0f, -0x1.777a5cp-25f},
                                                      {-0x1.921fb6p+0f, -0x1.777a5cp-25f}});
  check_values([](const auto& x) { return erf(x); }, {{not_a_number, not_a_number},
                                                      {infinity, 1.0f},
                                                      {-infinity, -1.0f},
                                                      {0.0f, 0.0f},
                                                      {-0.0f, -0.0f},
                                                      {4.0f, 1.0f},
                                                      {-1e30f, -1.0f}});
}

TEST_CASE("an element out of a function's reach changes no other element") {
  const std::vector<float> strange{1e30f, 3e5f, 0x1p-140f, 0.0f, infinity, not_a_number, -1.0f, 199.0f};
  Random random(6);
  INFO(random.how_to_repeat());
  const Array<float, 1> usual = exp(random_array<float>(Dim{257}, Arrangement::contiguous, random));
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    const auto apart = elements(
        evaluate(sin(usual) + cos(usual) * log(usual) + tan(usual) * log2(usual) + cbrt(usual) * log10(usual)));
    for (const float stranger : strange) {
      Array<float, 1> mixed = usual.clone();
      for (std::ptrdiff_t i = 0; i < 257; i += 37) mixed[{i}] = stranger;
      auto together = elements(
          evaluate(sin(mixed) + cos(mixed) * log(mixed) + tan(mixed) * log2(mixed) + cbrt(mixed) * log10(mixed)));
      for (std::ptrdiff_t i = 0; i < 257; i += 37)
        together[static_cast<std::size_t>(i)] = apart[static_cast<std::size_t>(i)];
      CAPTURE(stranger);
      CHECK(difference(together, apart) == "");
    }
  });
}

TEST_CASE("a function's value does not depend on where the element lies") {
  Random random(5);
  INFO(random.how_to_repeat());
  const Array<float, 1> x = random_array<float>(Dim{1000}, Arrangement::contiguous, random);
  for_each_isa([&](device::Isa) {
    const auto whole = elements(evaluate(tanh(exp(x)) + log1p(x * x) * sin(1e5f * x) + log(x)));
    for (const std::ptrdiff_t start : {1, 3, 17, 900, 999}) {
      const Array<float, 1> part = x(range(start, 1000));
      const std::vector<float> expected(whole.begin() + start, whole.end());
      CHECK(difference(elements(evaluate(tanh(exp(part)) + log1p(part * part) * sin(1e5f * part) + log(part))),
                       expected) == "");
    }
  });
}
