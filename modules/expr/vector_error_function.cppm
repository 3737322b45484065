module;
#include <cstdint>
export module tessera.expr:vector_error_function;
import :vector_bits;

// The error function.
namespace tessera::math {

/// erf(x) for 0 <= x < 1.1; fit error 4.8e-9.
[[gnu::always_inline]] inline float erf_near_zero(float x) {
  const float z = x * x;
  const float square = z * z;
  const float low = 0x1.06eba8p-3f + z * -0x1.812734p-2f;
  const float middle = 0x1.ce2aa6p-4f + z * -0x1.b7cdep-6f;
  const float high = (0x1.52ac24p-8f + z * -0x1.9a3dep-11f) + square * 0x1.2f80b2p-14f;
  return x + x * (low + square * (middle + square * high));
}

/// erf(x) for 1.1 <= x <= 4, as 1 - w^4 where w is a polynomial around 2; fit error 1.2e-8 of 1.
[[gnu::always_inline]] inline float erf_far(float x) {
  const float u = x - 2.0f;
  const float square = u * u;
  const float low = 0x1.0bcc7ep-2f + u * -0x1.27cbb8p-2f;
  const float second = 0x1.9610f6p-4f + u * 0x1.c5382cp-8f;
  const float third = -0x1.907b76p-7f + u * 0x1.8c689ep-10f;
  const float fourth = 0x1.7a5b16p-11f + u * -0x1.700b2ap-13f;
  const float w = low + square * (second + square * (third + square * fourth));
  const float w2 = w * w;
  return 1.0f - w2 * w2;
}

/// Error function; at most 2 ULP.
[[gnu::always_inline]] inline float erf(float x) {
  const float magnitude = magnitude_of(x);
  const float y = magnitude > 4.0f ? 4.0f : magnitude;
  return with_sign(magnitude < 1.1f ? erf_near_zero(y) : erf_far(y), x);
}

}  // namespace tessera::math
