// Accuracy of the elementary functions in double, measured in units in the last place against long double: over a sample with the regions
// in which functions are hard to compute, and over 10^9 numbers for each function when TESSERA_ALL_FLOATS is set. Bounds are those of
// docs/benchmarks/math.md.
#include <utility>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

using Long = long double;
using Line = Array<double, 1, CpuPlace>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = 0x1p-1074;
constexpr double largest = std::numeric_limits<double>::max();

const std::vector<double> specials{0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   2.0,
                                   -2.0,
                                   0.5,
                                   -0.5,
                                   3.0,
                                   -3.0,
                                   infinity,
                                   -infinity,
                                   not_a_number,
                                   tiny,
                                   -tiny,
                                   0x1p-1022,
                                   -0x1p-1022,
                                   0x1.fffffffffffffp-1023,
                                   largest,
                                   -largest,
                                   0x1.fffffffffffffp-1,
                                   -0x1.fffffffffffffp-1,
                                   0x1.0000000000001p+0,
                                   -0x1.0000000000001p+0,
                                   709.78,
                                   709.79,
                                   710.4,
                                   710.5,
                                   -708.5,
                                   -745.1,
                                   -745.2,
                                   1023.9,
                                   1024.0,
                                   -1074.0,
                                   -1075.0,
                                   -1076.0,
                                   0x1p+20,
                                   0x1p+25,
                                   0x1.0000000000001p+25,
                                   0x1p+53,
                                   -0x1p+53,
                                   0x1.fffffffffffffp+52,
                                   1e22,
                                   0x1.921fb54442d18p+0,
                                   0x1.921fb54442d18p+1};

double unit_in_last_place(Long x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - 53, -1074));
}

/// Error of `got` in units in the last place; infinity where one is NaN and the other is not, or signs of zero differ.
double error_of(double got, Long exact) {
  if (got != got || exact != exact) return (got != got) == (exact != exact) ? 0 : infinity;
  const auto rounded = static_cast<double>(exact);
  if (got == 0 && rounded == 0 && std::signbit(got) != std::signbit(rounded)) return infinity;
  if (got == rounded) return 0;
  const Long overflow = 0x1p+1024L;  // stands for infinity: the double after the largest
  if (std::isinf(exact)) return infinity;
  const Long value = std::isinf(got) ? std::copysign(overflow, static_cast<Long>(got)) : static_cast<Long>(got);
  const Long nearest = std::abs(exact) > overflow ? std::copysign(overflow, exact) : exact;
  return static_cast<double>(std::abs(value - nearest) /
                             unit_in_last_place(std::abs(nearest) < overflow ? nearest : 0x1p+1023L));
}

/// Numbers of each magnitude, and more where functions change their form: around 1, near 0, beside multiples of pi / 2.
double usual_argument(Random& random) {
  switch (random.below(6)) {
    case 0: return 4 * random.real();
    case 1: return 700 * random.real();
    case 2: return std::ldexp(random.real(), -static_cast<int>(random.below(60)));
    case 3: return 1 + std::ldexp(random.real(), -static_cast<int>(random.below(52)));
    case 4: {
      const auto turns = static_cast<Long>(random.below(std::ptrdiff_t{1} << random.below(26)));
      const auto multiple = static_cast<double>(turns * 1.57079632679489661923132169163975144L);
      return std::nextafter(multiple, random.below(2) == 0 ? infinity : -infinity);
    }
    default: return random.real();
  }
}

double any_argument(Random& random) {
  return random.below(4) == 0 ? std::bit_cast<double>(random.bits()) : usual_argument(random);
}

constexpr std::ptrdiff_t chunk = 1 << 13;  // below the parallel threshold: the threads are those of the test

std::ptrdiff_t chunks() { return std::getenv("TESSERA_ALL_FLOATS") != nullptr ? 1000000000 / chunk : 8; }

struct Worst {
  double error = 0;
  double x = 0;
  double y = 0;
};

/// Largest error of function(x, y) against exact(x, y) on each instruction set. `make` fills arguments.
template <class Function, class Exact, class Make>
void check_pairs(const char* name, double bound, const Function& function, const Exact& exact, const Make& make) {
  Worst worst[std::size(all_isas)];
  constexpr std::ptrdiff_t at_once = 64;
  for (std::ptrdiff_t first = 0; first < chunks(); first += at_once) {
    const std::ptrdiff_t count = std::min(at_once, chunks() - first);
    std::vector<Line> x, y;
    std::vector<std::vector<Long>> values(static_cast<std::size_t>(count));
    for (std::ptrdiff_t number = 0; number < count; ++number) {
      x.emplace_back(Dim<1>{chunk});
      y.emplace_back(Dim<1>{chunk});
    }
    parallel_for(count, [&](std::ptrdiff_t number) {
      const auto slot = static_cast<std::size_t>(number);
      Random random(static_cast<std::uint64_t>(1000 + first + number));
      make(random, first + number, x[slot].data(), y[slot].data());
      for (std::ptrdiff_t i = 0; i < chunk; ++i)
        values[slot].push_back(exact(static_cast<Long>(x[slot].data()[i]), static_cast<Long>(y[slot].data()[i])));
    });
    for_each_isa([&](device::Isa isa) {
      std::vector<Worst> found(static_cast<std::size_t>(count));
      parallel_for(count, [&](std::ptrdiff_t number) {
        const auto slot = static_cast<std::size_t>(number);
        const Line got = function(x[slot], y[slot]);
        for (std::ptrdiff_t i = 0; i < chunk; ++i) {
          const double error = error_of(got.data()[i], values[slot][static_cast<std::size_t>(i)]);
          if (error > found[slot].error) found[slot] = {error, x[slot].data()[i], y[slot].data()[i]};
        }
      });
      for (const Worst& one : found)
        if (one.error > worst[static_cast<int>(isa)].error) worst[static_cast<int>(isa)] = one;
    });
  }
  for_each_isa([&](device::Isa isa) {
    const Worst& most = worst[static_cast<int>(isa)];
    if (std::getenv("TESSERA_ALL_FLOATS") != nullptr)
      MESSAGE(name << " on " << device::name(isa) << ": at most " << most.error << " ULP, at " << text_of(most.x)
                   << ", " << text_of(most.y));
    INFO(name << " on " << device::name(isa) << ", worst at " << text_of(most.x) << ", " << text_of(most.y));
    CHECK(most.error > 0.1);  // the measurement itself works
    CHECK(most.error <= bound);
  });
}

/// Even chunks have arguments that the fast forms take, odd ones all others between them; the first begins with special values.
template <class Function, class Exact>
void check(const char* name, double bound, const Function& function, const Exact& exact) {
  check_pairs(
      name, bound, [&](const Line& x, const Line&) -> Line { return function(x); },
      [&](Long x, Long) { return exact(x); },
      [](Random& random, std::ptrdiff_t number, double* x, double* y) {
        for (std::ptrdiff_t i = 0; i < chunk; ++i) {
          x[i] = number % 2 == 0 ? usual_argument(random) : any_argument(random);
          y[i] = 0;
        }
        if (number == 1) std::copy(specials.begin(), specials.end(), x);
      });
}

/// As check, for pairs: unrelated ones, ones whose ratio is near a power of 2, and for pow ones whose result is anywhere in the range.
template <class Function, class Exact>
void check_binary(const char* name, double bound, const Function& function, const Exact& exact) {
  check_pairs(name, bound, function, exact, [](Random& random, std::ptrdiff_t number, double* x, double* y) {
    for (std::ptrdiff_t i = 0; i < chunk; ++i) {
      x[i] = number % 2 == 0 ? usual_argument(random) : any_argument(random);
      switch (random.below(4)) {
        case 0: y[i] = any_argument(random); break;
        case 1: y[i] = std::ldexp(x[i] * (1 + 0.01 * random.real()), static_cast<int>(random.between(-30, 30))); break;
        case 2: y[i] = static_cast<double>(random.between(-20, 20)) * (random.below(2) == 0 ? 1.0 : 0.5); break;
        default: y[i] = 1080 * random.real() / std::log2(std::abs(x[i]));
      }
    }
    if (number != 1) return;
    const auto count = static_cast<std::ptrdiff_t>(specials.size());
    for (std::ptrdiff_t i = 0; i < count * count; ++i) {
      x[i] = specials[static_cast<std::size_t>(i / count)];
      y[i] = specials[static_cast<std::size_t>(i % count)];
    }
  });
}

bool same_bits(const Line& a, const Line& b, std::ptrdiff_t offset) {
  for (std::ptrdiff_t i = 0; i < b.shape()[0]; ++i) {
    const double left = a.data()[i + offset], right = b.data()[i];
    if (std::bit_cast<std::uint64_t>(left) != std::bit_cast<std::uint64_t>(right) && !(left != left && right != right))
      return false;
  }
  return true;
}

/// Neither where an element lies nor which others lie beside it changes its value.
template <class Function>
void check_neighbours(const char* name, const Function& function) {
  Random random(9);
  INFO(name << ", " << random.how_to_repeat());
  constexpr std::ptrdiff_t n = 997;
  const Line usual(Dim<1>{n}), mixed(Dim<1>{n});
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double x = std::abs(usual_argument(random));
    usual.data()[i] = x;
    mixed.data()[i] = i % 37 == 0 ? specials[static_cast<std::size_t>(random.below(std::ssize(specials)))] : x;
  }
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    const Line apart = function(usual);
    Line together = function(mixed);
    for (std::ptrdiff_t i = 0; i < n; i += 37) together.data()[i] = apart.data()[i];
    CHECK(same_bits(apart, together, 0));
    for (const std::ptrdiff_t start : {1, 3, 17, 900, 996}) {
      const Array<double, 1> part = Array<double, 1>(usual)(range(start, n));
      const Line alone = function(part);
      CHECK(same_bits(apart, alone, start));
    }
  });
}

}  // namespace

#define CHECK_DOUBLE(bound, name) \
  check(#name, bound, [](const auto& x) { return tessera::name(x); }, [](Long x) { return std::name(x); })
#define CHECK_DOUBLES(bound, name)                                                    \
  check_binary(                                                                       \
      #name, bound, [](const auto& x, const auto& y) { return tessera::name(x, y); }, \
      [](Long x, Long y) { return std::name(x, y); })

TEST_CASE("exponentials of double are within their bounds") {
  CHECK_DOUBLE(1.5, exp);
  CHECK_DOUBLE(1.5, exp2);
  CHECK_DOUBLE(2, expm1);
  CHECK_DOUBLE(2, sinh);
  CHECK_DOUBLE(2, cosh);
  CHECK_DOUBLE(2, tanh);
  check("sigmoid", 2, [](const auto& x) { return sigmoid(x); }, [](Long x) { return 1 / (1 + std::exp(-x)); });
}

TEST_CASE("logarithms of double are within their bounds") {
  CHECK_DOUBLE(1, log);
  CHECK_DOUBLE(1, log1p);
  CHECK_DOUBLE(1.5, log2);
  CHECK_DOUBLE(1.5, log10);
  CHECK_DOUBLE(2, asinh);
  CHECK_DOUBLE(2, acosh);
  CHECK_DOUBLE(2, atanh);
}

TEST_CASE("trigonometric functions of double are within their bounds, for huge arguments too") {
  CHECK_DOUBLE(2, sin);
  CHECK_DOUBLE(2, cos);
  CHECK_DOUBLE(2, tan);
  CHECK_DOUBLE(2, asin);
  CHECK_DOUBLE(2, acos);
  CHECK_DOUBLE(2, atan);
  CHECK_DOUBLES(2, atan2);
}

TEST_CASE("roots, powers and the error function of double are within their bounds") {
  CHECK_DOUBLE(1.5, cbrt);
  CHECK_DOUBLE(2, erf);
  CHECK_DOUBLES(1.5, hypot);
  CHECK_DOUBLES(2, pow);
}

TEST_CASE("an element of double has the value that it has alone") {
  check_neighbours("sin", [](const auto& x) { return sin(x); });
  check_neighbours("cos", [](const auto& x) { return cos(x); });
  check_neighbours("tan", [](const auto& x) { return tan(x); });
  check_neighbours("log", [](const auto& x) { return log(x); });
  check_neighbours("log2", [](const auto& x) { return log2(x); });
  check_neighbours("log10", [](const auto& x) { return log10(x); });
  check_neighbours("cbrt", [](const auto& x) { return cbrt(x); });
  check_neighbours("pow", [](const auto& x) { return pow(x, 1.5 - x); });
  check_neighbours("pow, exponents on a grid", [](const auto& x) { return pow(2.0, round(8 * x) * 0.125); });
  check_neighbours("a sum", [](const auto& x) { return tanh(exp(x)) + log1p(x * x) * sin(1e5 * x) + log(x); });
}
