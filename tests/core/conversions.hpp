// Checks of a 16-bit floating type against its model, shared by float16 and bfloat16.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <ios>
#include <limits>
#include <random>

#include "reference.hpp"

/// Compares without doctest's cost per comparison; only a mismatch is reported, with both patterns.
template <class Small>
void check_converts(const SmallFormat& model, auto number) {
  const unsigned expected = model.nearest(static_cast<double>(number));
  const unsigned actual = Small(number).bits();
  if (actual == expected) return;
  CAPTURE(+number);
  CHECK(actual == expected);
}

/// As check_converts for integers, whose conversion to double may itself round: the model gets the exact value to 53 bits
/// and, below them, only whether something is left.
template <class Small>
void check_converts_integer(const SmallFormat& model, std::integral auto number) {
  long double exact = static_cast<long double>(number);  // 64 significant bits
  double near = static_cast<double>(exact);
  if (static_cast<long double>(near) > exact) near = std::nextafter(near, -INFINITY);
  const bool inexact = static_cast<long double>(near) != exact;
  if (inexact && (std::bit_cast<std::uint64_t>(near) & 1u) == 0) near = std::nextafter(near, INFINITY);
  const unsigned expected = model.nearest(near);
  const unsigned actual = Small(number).bits();
  if (actual == expected) return;
  CAPTURE(number);
  CHECK(actual == expected);
}

template <class Small>
void check_every_pattern(const SmallFormat& model) {
  for (unsigned bits = 0; bits <= 0xffffu; ++bits) {
    const auto small = Small::from_bits(static_cast<std::uint16_t>(bits));
    const float value = small;
    if (model.is_nan(bits)) {
      const unsigned again = Small(value).bits();
      const bool stays_nan = std::isnan(value) && model.is_nan(again) && (again & 0x8000u) == (bits & 0x8000u);
      if (!stays_nan) FAIL_CHECK("pattern ", bits, " is NaN, became ", value, " and then pattern ", again);
      continue;
    }
    const bool exact =
        static_cast<double>(value) == model.value(bits) && std::signbit(value) == ((bits & 0x8000u) != 0);
    if (!exact) FAIL_CHECK("pattern ", bits, " gives ", value, " instead of ", model.value(bits));
    if (Small(value).bits() != bits) FAIL_CHECK("pattern ", bits, " comes back as ", Small(value).bits());
    if (Small(static_cast<double>(value)).bits() != bits)
      FAIL_CHECK("pattern ", bits, " does not come back through double");
  }
}

/// The halfway point between every two neighbouring values, and the numbers right beside it, as float and as double.
template <class Small>
void check_every_halfway_point(const SmallFormat& model) {
  for (unsigned bits = 0; bits < model.infinity(); ++bits) {
    const double low = model.value(bits);
    const double step = bits + 1 == model.infinity() ? low - model.value(bits - 1) : model.value(bits + 1) - low;
    const double halfway = low + step / 2;
    const float narrow = static_cast<float>(halfway);  // exact: one more bit than the format has
    for (const double sign : {1.0, -1.0}) {
      check_converts<Small>(model, sign * halfway);
      check_converts<Small>(model, sign * std::nextafter(halfway, 0.0));
      check_converts<Small>(model, sign * std::nextafter(halfway, INFINITY));
      check_converts<Small>(model, static_cast<float>(sign) * narrow);
      check_converts<Small>(model, static_cast<float>(sign) * std::nextafter(narrow, 0.0f));
      check_converts<Small>(model, static_cast<float>(sign) * std::nextafter(narrow, INFINITY));
    }
  }
}

template <class Small>
void check_many_numbers(const SmallFormat& model) {
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {  // over all exponents and signs of float
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(value)) check_converts<Small>(model, value);
  }
  std::mt19937_64 generator(20);
  for (int trial = 0; trial < 200'000; ++trial) {
    const double value = std::bit_cast<double>(generator());
    if (!std::isnan(value)) check_converts<Small>(model, value);
  }
}

template <class Small>
void check_integers(const SmallFormat& model) {
  for (std::int32_t number = -70'000; number <= 70'000; ++number) check_converts_integer<Small>(model, number);
  // Around every halfway point of the format that a 64-bit integer can have.
  for (int exponent = model.fraction_bits + 1; exponent < 63; ++exponent) {
    const std::int64_t step = std::int64_t{1} << (exponent - model.fraction_bits);
    for (std::int64_t kept = 0; kept < (1 << model.fraction_bits); kept += 3) {
      const std::int64_t halfway = (std::int64_t{1} << exponent) + kept * step + step / 2;
      for (const std::int64_t nudge : {-1, 0, 1}) {
        check_converts_integer<Small>(model, halfway + nudge);
        check_converts_integer<Small>(model, -(halfway + nudge));
        check_converts_integer<Small>(model,
                                      2 * static_cast<std::uint64_t>(halfway) + static_cast<std::uint64_t>(nudge));
      }
    }
  }
  check_converts_integer<Small>(model, std::numeric_limits<std::int64_t>::min());
  check_converts_integer<Small>(model, std::numeric_limits<std::int64_t>::max());
  check_converts_integer<Small>(model, std::numeric_limits<std::uint64_t>::max());
  check_converts_integer<Small>(model, std::numeric_limits<std::int8_t>::min());
  check_converts_integer<Small>(model, true);
}
