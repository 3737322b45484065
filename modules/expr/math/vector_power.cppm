module;
#include <cstdint>
export module tessera.expr:vector_power;
import tessera.standard;
import :vector_bits;
import :vector_exponential;

// Powers: x^y = 2^(y log2 x), where the exponent is computed in double, because its error is multiplied by up to 128.
namespace tessera::math {

/// log2(1 + f) / f for f in [-1/3, 1/3]; fit error 6.3e-10 of the result.
[[gnu::always_inline]] inline double log2_slope(double f) {
  const double z = f * f;
  const double low =
      (0x1.7154765228edfp+0 + f * -0x1.7154774edec7cp-1) + z * (0x1.ec70a386105b0p-2 + f * -0x1.715317dda20e2p-2);
  const double middle =
      (0x1.2774652fb0cd8p-2 + f * -0x1.ecf83bb77c798p-3) + z * (0x1.a6ccba757a48dp-3 + f * -0x1.66bd811f7bdd6p-3);
  const double high = (0x1.3c40301e0ec06p-3 + f * -0x1.817846f78d138p-3) + z * 0x1.67ecceb05cfe6p-3;
  return low + (z * z) * (middle + (z * z) * high);
}

/// y log2 x for x >= 0 and finite y.
[[gnu::always_inline]] inline double scaled_log2(float x, double y) {
  constexpr std::uint64_t two_thirds = 0x3fe5555500000000, bias = std::uint64_t{1024} << 52;
  constexpr std::uint64_t fraction = 0x000fffffffffffff;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(static_cast<double>(x)) + (bias - two_thirds);
  const double f = std::bit_cast<double>((bits & fraction) + two_thirds) - 1.0;
  const double n = std::bit_cast<double>(bits >> 52 | std::bit_cast<std::uint64_t>(0x1p+52)) - (0x1p+52 + 1024);
  const float edge = x == 0 ? -infinity : (x < infinity ? 0.0f : x);
  return y * (n + static_cast<double>(edge)) + (y * f) * log2_slope(f);
}

/// 2^t rounded to float.
[[gnu::always_inline]] inline float exp2_of(double t) {
  constexpr double to_biased = 0x1.8p+52 + 254.0;
  const double low = t < -152.0 ? -152.0 : t;
  const double y = low > 129.0 ? 129.0 : low;
  const double shifted = y + to_biased;
  const auto r = static_cast<float>(y - (shifted - to_biased));
  const auto bits = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted));
  return scaled_power(bits, r, exp2_slope(r));
}

/// x^y as C's pow defines it for all special values; at most 3 ULP.
[[gnu::always_inline]] inline float pow(float x, float y) {
  constexpr double beyond = 0x1p+120;  // of every finite result; infinity times log2 1 would be NaN
  const auto given = static_cast<double>(y);
  const double low = given < -beyond ? -beyond : given;
  const double exponent = low > beyond ? beyond : low;
  const float value = exp2_of(scaled_log2(magnitude_of(x), exponent));

  // y is an even integer where it equals twice the rounded y / 2, odd where it is 1 apart from that
  const float magnitude = magnitude_of(y);
  const float bounded = magnitude > 0x1p+24f ? 0x1p+24f : magnitude;
  const float apart = magnitude_of(bounded - 2.0f * ((0.5f * bounded + 0x1p+23f) - 0x1p+23f));
  const bool odd = apart == 1.0f;
  const bool whole = odd || apart == 0;
  const float positive = x < 0 && x > -infinity && !whole ? not_a_number : value;
  const float with_sign = float_of(bits_of(positive) | (odd ? bits_of(x) & 0x80000000u : 0u));
  return y == 0 || x == 1 ? 1.0f : with_sign;
}

}  // namespace tessera::math
