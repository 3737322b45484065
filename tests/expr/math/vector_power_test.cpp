// Accuracy of pow in float, measured in units in the last place against the C library in double over a dense sample of pairs,
// and its values where C defines them exactly.
#include <tuple>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float tiny = 0x1p-149f;

double unit_in_last_place(double x) {
  const auto exponent = static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff) - 1023;
  return std::ldexp(1.0, std::clamp(exponent, -126, 127) - 23);
}

/// Error of `got` in units in the last place; infinity where one is special and the other is not.
double error_of(float got, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (got != got || rounded != rounded) return (got != got) == (rounded != rounded) ? 0 : infinity;
  if (got == 0 || rounded == 0 || std::isinf(got) || std::isinf(rounded)) {
    if (std::signbit(got) != std::signbit(rounded)) return infinity;
    const double bounded = std::clamp(exact, -0x1p+128, 0x1p+128);
    const double value = std::isinf(got) ? std::copysign(0x1p+128, got) : static_cast<double>(got);
    return std::abs(value - bounded) / unit_in_last_place(bounded);
  }
  return std::abs(static_cast<double>(got) - exact) / unit_in_last_place(exact);
}

float any_float(Random& random) { return std::bit_cast<float>(static_cast<std::uint32_t>(random.bits())); }

/// A pair of one of four kinds: any bits; a result anywhere in the range; a base near 1; a small whole or half exponent.
std::pair<float, float> random_pair(Random& random) {
  switch (random.below(4)) {
    case 0: return {any_float(random), any_float(random)};
    case 1: {
      const float x = std::abs(any_float(random));
      return {x, static_cast<float>((random.real() * 140 - 10) / std::log2(double{x}))};
    }
    case 2: {
      const auto x = static_cast<float>(1.25 + 0.75 * random.real());
      return {x, static_cast<float>((random.real() * 140 - 10) / std::log2(double{x}))};
    }
    default: break;
  }
  return {any_float(random), static_cast<float>(random.between(-20, 20)) * (random.below(2) == 0 ? 1.0f : 0.5f)};
}

struct Pairs {
  explicit Pairs(std::ptrdiff_t n) : x(Dim<1>{n}), y(Dim<1>{n}) {}
  Array<float, 1, CpuPlace> x, y;
};

}  // namespace

TEST_CASE("pow is within 3 units in the last place") {
  const bool dense = std::getenv("TESSERA_ALL_FLOATS") != nullptr;
  constexpr std::ptrdiff_t n = 1 << 14;
  Random random(11);
  INFO(random.how_to_repeat());
  double worst[std::size(all_isas)] = {};
  for (int round = 0; round < (dense ? 1 << 15 : 1 << 7); ++round) {
    Pairs pairs(n);
    for (std::ptrdiff_t i = 0; i < n; ++i) std::tie(pairs.x.data()[i], pairs.y.data()[i]) = random_pair(random);
    for_each_isa([&](device::Isa isa) {
      const Array<float, 1, CpuPlace> powers = pow(pairs.x, pairs.y);
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const float x = pairs.x.data()[i], y = pairs.y.data()[i];
        const double error = error_of(powers.data()[i], std::pow(double{x}, double{y}));
        worst[static_cast<int>(isa)] = std::max(worst[static_cast<int>(isa)], error);
        if (error > 3) FAIL_CHECK(text_of(x) << " to the power of " << text_of(y) << " gives " << powers.data()[i]);
      }
    });
  }
  for_each_isa([&](device::Isa isa) {
    if (dense) MESSAGE("pow on " << device::name(isa) << ": at most " << worst[static_cast<int>(isa)] << " ULP");
    CHECK(worst[static_cast<int>(isa)] > 0.5);  // the measurement itself works
  });
}

TEST_CASE("pow of special values is that of the C library") {
  const std::vector<float> specials{0.0f,
                                    -0.0f,
                                    1.0f,
                                    -1.0f,
                                    2.0f,
                                    -2.0f,
                                    0.5f,
                                    -0.5f,
                                    3.0f,
                                    -3.0f,
                                    1.5f,
                                    infinity,
                                    -infinity,
                                    not_a_number,
                                    tiny,
                                    -tiny,
                                    largest,
                                    -largest,
                                    0x1p+23f,
                                    0x1.000002p+23f,
                                    0x1.fffffep+23f,
                                    0x1p+24f,
                                    0x1p+25f,
                                    4.5f,
                                    5.0f,
                                    -0x1.fffffep+22f};
  const auto count = static_cast<std::ptrdiff_t>(specials.size());
  Pairs pairs(count * count);
  std::vector<float> expected;
  for (std::ptrdiff_t i = 0; i < count * count; ++i) {
    const float x = specials[static_cast<std::size_t>(i / count)], y = specials[static_cast<std::size_t>(i % count)];
    pairs.x.data()[i] = x;
    pairs.y.data()[i] = y;
    expected.push_back(static_cast<float>(std::pow(double{x}, double{y})));
  }
  for_each_isa([&](device::Isa isa) {
    CAPTURE(device::name(isa));
    const Array<float, 1> result = pow(pairs.x, pairs.y);
    const auto powers = elements(result);
    for (std::size_t i = 0; i < powers.size(); ++i) {
      CAPTURE(pairs.x.data()[i]);
      CAPTURE(pairs.y.data()[i]);
      CAPTURE(powers[i]);
      CHECK(error_of(powers[i], static_cast<double>(expected[i])) <= 1);
    }
  });
}
