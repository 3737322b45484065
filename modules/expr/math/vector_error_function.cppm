module;
#include <cstdint>
export module tessera.expr:vector_error_function;
import :vector_bits;

// The error function.
namespace tessera::math {

/// 4 (1 - (1 - erf y)^(1/4)) / y - 1 for 0 <= y <= 3.9; fit error 6.3e-9 of erf y below 0.5, 1.6e-8 above.
[[gnu::always_inline]] inline float erf_root_slope(float y) {
  const float square = y * y;
  const float first = 0x1.06eba8p-3f + y * 0x1.e8eca4p-2f;
  const float second = -0x1.fab692p-5f + y * -0x1.3110a4p-4f;
  const float third = 0x1.3cf21ap-8f + y * 0x1.001e5p-7f;
  const float fourth = -0x1.b7a582p-11f + y * -0x1.1b0b24p-11f;
  const float fifth = 0x1.3753eep-13f + y * -0x1.7e587cp-17f;
  return first + square * (second + square * (third + square * (fourth + square * fifth)));
}

/// Error function; at most 2 ULP. The slope s gives 1 - erf y = (1 - v / 4)^4 with v = y + y s, in two steps:
/// v - v^2 / 8 = y + y (s - y (1 + s)^2 / 8), where only small parts of y are rounded, and half its square.
[[gnu::always_inline]] inline float erf(float x) {
  constexpr float root_of_eighth = 0x1.6a09e6p-2f;
  const float y = magnitude_of(x);
  const float slope = erf_root_slope(y);
  const float root = root_of_eighth + slope * root_of_eighth;
  const float twice = y + y * (slope - (y * root) * root);  // 2 (1 - sqrt(1 - erf y))
  const float value = twice - (0.25f * twice) * twice;
  return with_sign(y > 3.9f ? 1.0f : value, x);
}

}  // namespace tessera::math
