module;
#include <cstdint>
export module tessera.core:float16;
import tessera.standard;

// IEEE 754 binary16 as a storage type: arithmetic on it happens in float.
namespace tessera {

/// `value` as a narrower type rounded to odd: a second rounding of the result to any format of at most 22 bits then rounds
/// as if from `value` itself (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
template <class Narrow, class Bits, class Wide>
[[gnu::always_inline]] constexpr Narrow rounded_to_odd(Wide value) {
  const auto nearest = static_cast<Narrow>(value);
  const auto back = static_cast<Wide>(nearest);
  const auto bits = std::bit_cast<Bits>(nearest);
  const bool moves = (back != value) & ((bits & 1u) == 0) & (nearest == nearest);
  const bool away_from_zero = (value < 0) == (back < value);
  const Bits odd = away_from_zero ? bits - 1 : bits + 1;
  return std::bit_cast<Narrow>(moves ? odd : bits);
}
namespace core {
export [[gnu::always_inline]] constexpr float round_to_odd(double value) {
  return rounded_to_odd<float, std::uint32_t>(value);
}
}  // namespace core
constexpr double double_rounded_to_odd(long double value) { return rounded_to_odd<double, std::uint64_t>(value); }

/// `value` as a double; one that needs more than 53 bits is rounded to odd, so that no second rounding goes wrong.
template <std::integral Integer>
[[gnu::always_inline]] constexpr double double_rounded_to_odd(Integer value) {
  if constexpr (sizeof(Integer) == 8) {
    constexpr Integer exact = Integer{1} << 53;
    const bool fits = value <= exact && (std::unsigned_integral<Integer> || value >= Integer{0} - exact);
    constexpr Integer lost = 0x7ff;  // the bits below the 53 that a double keeps of a 64-bit number
    const Integer odd = static_cast<Integer>((value & ~lost) | ((value & lost) != 0 ? lost + 1 : 0));
    return static_cast<double>(fits ? value : odd);
  } else {
    return static_cast<double>(value);
  }
}

/// Bits of the binary16 nearest to `value`, ties to even; NaN stays NaN, overflow becomes infinity. Branch-free.
[[gnu::always_inline]] constexpr std::uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Subnormal results: adding 0.5 puts the last bit kept at 2^-24, and the addition rounds to nearest even.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
  const std::uint32_t special = magnitude > 0x7f800000u ? (0x7e00u | ((magnitude >> 13) & 0x3ffu)) : 0x7c00u;
  std::uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x47800000u ? special : result;
  return static_cast<std::uint16_t>(sign | result);
}

/// The float with the value of binary16 `bits`; exact. Branch-free.
[[gnu::always_inline]] constexpr float float16_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  const std::uint32_t normal = (magnitude << 13) + 0x38000000u;
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  const auto subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  std::uint32_t result = magnitude < 0x400u ? subnormal : normal;
  result = magnitude >= 0x7c00u ? special : result;
  return std::bit_cast<float>(sign | result);
}

/// IEEE 754 binary16: 11 significant bits, up to 65504. Converts from float, double and integers with one rounding
/// to nearest even, and to float exactly.
export class float16 {
 public:
  float16() = default;

  [[gnu::always_inline]] constexpr float16(float value) : bits_(float16_bits(value)) {}
  [[gnu::always_inline]] constexpr float16(double value) : bits_(float16_bits(core::round_to_odd(value))) {}
  constexpr float16(long double value) : float16(double_rounded_to_odd(value)) {}
  [[gnu::always_inline]] constexpr float16(std::integral auto value) : float16(double_rounded_to_odd(value)) {}

  [[gnu::always_inline]] constexpr operator float() const { return float16_value(bits_); }

  /// The number whose representation is `bits`.
  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 number;
    number.bits_ = bits;
    return number;
  }
  constexpr std::uint16_t bits() const { return bits_; }

 private:
  std::uint16_t bits_;
};

}  // namespace tessera
