// Slow, obvious models of the small floating-point formats, in double: what the conversions are checked against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

/// A binary format of 16 bits with a sign, `exponent_bits` and `fraction_bits`.
struct SmallFormat {
  int exponent_bits;
  int fraction_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  unsigned exponent_mask() const { return (1u << exponent_bits) - 1; }
  unsigned infinity() const { return exponent_mask() << fraction_bits; }

  bool is_nan(unsigned bits) const { return (bits & 0x7fffu) > infinity(); }

  /// The value of a pattern, by the definition of the format.
  double value(unsigned bits) const {
    const unsigned exponent = bits >> fraction_bits & exponent_mask();
    const double fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    if (exponent == exponent_mask()) return fraction == 0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias() - fraction_bits);
    return sign *
           std::ldexp(std::ldexp(1.0, fraction_bits) + fraction, static_cast<int>(exponent) - bias() - fraction_bits);
  }

  /// The pattern nearest to `x` (not NaN), ties to even: `x` in units of the last place, rounded to an integer.
  unsigned nearest(double x) const {
    const unsigned sign = std::signbit(x) ? 0x8000u : 0u;
    const double magnitude = std::fabs(x);
    if (magnitude == 0) return sign;
    if (std::isinf(magnitude)) return sign | infinity();
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias());
    const double units = std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));  // ties to even
    // Patterns count upwards with their values, so a carry into the next power of two, or into infinity, is right.
    const double pattern = std::ldexp(static_cast<double>(exponent + bias() - 1), fraction_bits) + units;
    return pattern >= infinity() ? sign | infinity() : sign | static_cast<unsigned>(pattern);
  }
};

inline constexpr SmallFormat binary16{5, 10};
inline constexpr SmallFormat brain16{8, 7};
