module;
export module tessera.expr:gpu_storage;

// CUDA C++ for elements in memory: 16-bit floats, packs that move in one access, loads to and stores from compute types. It
// follows the code of operations (gpu/prelude.cppm).
namespace tessera {

/// Device code of elements in memory.
inline constexpr const char* device_storage = R"cuda(
struct tessera_float16 { unsigned short bits; };
struct tessera_bfloat16 { unsigned short bits; };
template <class T, int N> struct alignas(N * sizeof(T)) tessera_pack { T values[N]; };

template <class T> __device__ __forceinline__ T tessera_load(const T* from) { return *from; }
__device__ __forceinline__ float tessera_load(const tessera_bfloat16* from) { return tessera_bfloat16_value(from->bits); }

// `value` as a float rounded to odd, so that rounding it again to 16 bits is right.
__device__ inline float tessera_round_to_odd(double value) {
  const float nearest = (float)value;
  const unsigned int bits = __float_as_uint(nearest);
  if ((double)nearest == value || (bits & 1u) != 0 || nearest != nearest) return nearest;
  return __uint_as_float(fabs((double)nearest) > fabs(value) ? bits - 1u : bits + 1u);
}
__device__ __forceinline__ float tessera_single(float value) { return value; }
__device__ __forceinline__ float tessera_single(double value) { return tessera_round_to_odd(value); }

template <class T, class V> __device__ __forceinline__ void tessera_store(T* to, V value) { *to = (T)value; }
#ifdef __CUDA_ARCH__
__device__ __forceinline__ float tessera_load(const tessera_float16* from) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(from->bits));
  return value;
}
template <class V> __device__ __forceinline__ void tessera_store(tessera_float16* to, V value) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(tessera_single(value)));
}
template <class V> __device__ __forceinline__ void tessera_store(tessera_bfloat16* to, V value) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(tessera_single(value)));
}
#else
__device__ inline float tessera_load(const tessera_float16* from) { return tessera_float16_value(from->bits); }
template <class V> __device__ inline void tessera_store(tessera_float16* to, V value) {
  to->bits = tessera_float16_bits(tessera_single(value));
}
template <class V> __device__ inline void tessera_store(tessera_bfloat16* to, V value) {
  to->bits = tessera_bfloat16_bits(tessera_single(value));
}
#endif
)cuda";

}  // namespace tessera
