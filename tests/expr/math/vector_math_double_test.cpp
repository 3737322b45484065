// Accuracy of the elementary functions in double, measured in units in the last place against long double over a sample.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

long double unit_in_last_place(long double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0L, std::max(exponent - 53, -1074));
}

double error_of(double got, long double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (got != got || exact != exact) return (got != got) == (exact != exact) ? 0 : wrong;
  const auto rounded = static_cast<double>(exact);
  if (got == rounded) return 0;
  if (std::isinf(got) || std::isinf(rounded)) return wrong;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit_in_last_place(exact));
}

/// A third each of any bits, numbers around 1, and numbers of up to a few hundreds.
double random_argument(Random& random) {
  switch (random.below(3)) {
    case 0: return std::bit_cast<double>(random.bits());
    case 1: return 4 * random.real();
    default: return 700 * random.real();
  }
}

template <class Function, class Exact>
void check(const char* name, const Function& function, const Exact& exact) {
  constexpr std::ptrdiff_t n = 300000;
  Random random(12);
  INFO(name << ", " << random.how_to_repeat());
  const Array<double, 1, CpuPlace> x(Dim<1>{n});
  for (std::ptrdiff_t i = 0; i < n; ++i) x.data()[i] = random_argument(random);
  std::vector<long double> values;
  for (std::ptrdiff_t i = 0; i < n; ++i) values.push_back(exact(static_cast<long double>(x.data()[i])));
  for_each_isa([&](device::Isa isa) {
    const Array<double, 1, CpuPlace> y = function(x);
    double worst = 0, at = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const double error = error_of(y.data()[i], values[static_cast<std::size_t>(i)]);
      if (error > worst) worst = error, at = x.data()[i];
    }
    INFO("on " << device::name(isa) << ", worst at " << at);
    CHECK(worst > 0.1);  // the measurement itself works
    CHECK(worst <= 2);
  });
}

}  // namespace

TEST_CASE("functions of double are within 2 units in the last place") {
  using Long = long double;
  check("exp", [](const auto& x) { return exp(x); }, [](Long x) { return std::exp(x); });
  check("log", [](const auto& x) { return log(x); }, [](Long x) { return std::log(x); });
  check("tanh", [](const auto& x) { return tanh(x); }, [](Long x) { return std::tanh(x); });
  check("sigmoid", [](const auto& x) { return sigmoid(x); }, [](Long x) { return 1 / (1 + std::exp(-x)); });
  check("sin", [](const auto& x) { return sin(x); }, [](Long x) { return std::sin(x); });
  check("cos", [](const auto& x) { return cos(x); }, [](Long x) { return std::cos(x); });
  check("erf", [](const auto& x) { return erf(x); }, [](Long x) { return std::erf(x); });
  check(
      "pow", [](const auto& x) { return pow(x * x, 0.7 * x); },
      [](Long x) {
        const auto narrow = static_cast<double>(x);
        return std::pow(static_cast<Long>(narrow * narrow), static_cast<Long>(0.7 * narrow));
      });
}
