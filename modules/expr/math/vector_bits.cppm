module;
#include <cstdint>
export module tessera.expr:vector_bits;
import tessera.standard;

// Steps on the bits of floats and doubles that the vectorised functions share. Integer steps wrap (unsigned): NaN and values outside a
// function's domain pass through them before they are replaced.
namespace tessera::math {

inline constexpr float infinity = std::bit_cast<float>(0x7f800000);
inline constexpr float not_a_number = std::bit_cast<float>(0x7fc00000);
inline constexpr float to_integer = 0x1.8p+23f;  // adding it rounds to an integer, which is then in the low bits

[[gnu::always_inline]] inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
[[gnu::always_inline]] inline float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
[[gnu::always_inline]] inline float magnitude_of(float x) { return float_of(bits_of(x) & 0x7fffffffu); }

/// magnitude with the sign of `sign`; magnitude is not negative.
[[gnu::always_inline]] inline float with_sign(float magnitude, float sign) {
  return float_of(bits_of(magnitude) | (bits_of(sign) & 0x80000000u));
}

// The same for doubles.

inline constexpr double endless = std::bit_cast<double>(std::uint64_t{0x7ff} << 52);
inline constexpr double undefined = std::bit_cast<double>(std::uint64_t{0xfff} << 51);
inline constexpr double to_whole = 0x1.8p+52;  // adding it rounds to an integer, which is then in the low bits
inline constexpr double smallest_normal = 0x1p-1022;
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

[[gnu::always_inline]] inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
[[gnu::always_inline]] inline double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
[[gnu::always_inline]] inline double magnitude_of(double x) { return double_of(bits_of(x) & ~sign_bit); }
[[gnu::always_inline]] inline double with_sign(double magnitude, double sign) {
  return double_of(bits_of(magnitude) | (bits_of(sign) & sign_bit));
}

}  // namespace tessera::math
