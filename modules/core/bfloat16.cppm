module;
#include <cstdint>
export module tessera.core:bfloat16;
import tessera.standard;
import :float16;

// bfloat16 (the upper half of a binary32) as a storage type: arithmetic on it happens in float.
namespace tessera {

/// Bits of the bfloat16 nearest to `value`, ties to even; NaN stays NaN. Branch-free.
[[gnu::always_inline]] constexpr std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  const std::uint32_t quiet_nan = bits | 0x400000u;
  return static_cast<std::uint16_t>((value != value ? quiet_nan : rounded) >> 16);
}

/// bfloat16: 8 significant bits with the range of float. Converts from float, double and integers with one
/// rounding to nearest even, and to float exactly.
export class bfloat16 {
 public:
  bfloat16() = default;

  [[gnu::always_inline]] constexpr bfloat16(float value) : bits_(bfloat16_bits(value)) {}
  [[gnu::always_inline]] constexpr bfloat16(double value) : bits_(bfloat16_bits(core::round_to_odd(value))) {}
  constexpr bfloat16(long double value) : bfloat16(double_rounded_to_odd(value)) {}
  [[gnu::always_inline]] constexpr bfloat16(std::integral auto value) : bfloat16(double_rounded_to_odd(value)) {}

  [[gnu::always_inline]] constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }

  /// The number whose representation is `bits`.
  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 number;
    number.bits_ = bits;
    return number;
  }
  constexpr std::uint16_t bits() const { return bits_; }

 private:
  std::uint16_t bits_;
};

}  // namespace tessera
