// What threads of a block do together in CUDA: barriers, shuffles, votes, atomics; vector types and loads. cuda_language.hpp includes this.
#pragma once

// NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's.

inline void __syncthreads() { shim::threads->wait_for_block(); }
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(shim::threads->count_in_block(predicate != 0));
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(predicate == 0) == 0; }
inline void __syncwarp(unsigned mask = 0xffffffffu) { shim::threads->wait_for_warp(mask); }
inline unsigned __ballot_sync(unsigned mask, int predicate) { return shim::threads->ballot(mask, predicate != 0); }
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

namespace shim {

inline unsigned lane() { return threadIdx.x % 32; }

template <class T>
T exchange(unsigned mask, T value, unsigned from) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = threads->exchange(mask, bits, from);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace shim

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = shim::lane(), part = lane & ~(static_cast<unsigned>(width) - 1);
  return shim::exchange(mask, value, part + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const unsigned lane = shim::lane(), part = lane & ~(static_cast<unsigned>(width) - 1);
  const unsigned from = lane ^ static_cast<unsigned>(bits);
  return shim::exchange(mask, value, from < part + static_cast<unsigned>(width) ? from : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = shim::lane(), part = lane & ~(static_cast<unsigned>(width) - 1);
  const unsigned from = lane + delta;
  return shim::exchange(mask, value, from < part + static_cast<unsigned>(width) ? from : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = shim::lane(), part = lane & ~(static_cast<unsigned>(width) - 1);
  return shim::exchange(mask, value, lane >= part + delta ? lane - delta : lane);
}

// A block's threads take turns, so that a plain access is atomic.
template <class T, class V>
T atomicAdd(T* to, V value) {
  const T old = *to;
  *to = old + static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicMax(T* to, V value) {
  const T old = *to;
  if (old < static_cast<T>(value)) *to = static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicMin(T* to, V value) {
  const T old = *to;
  if (static_cast<T>(value) < old) *to = static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicOr(T* to, V value) {
  const T old = *to;
  *to = old | static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicExch(T* to, V value) {
  const T old = *to;
  *to = static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicCAS(T* to, V expected, V value) {
  const T old = *to;
  if (old == static_cast<T>(expected)) *to = static_cast<T>(value);
  return old;
}
/// Counts up to `last` and then begins again at 0.
inline unsigned atomicInc(unsigned* to, unsigned last) {
  const unsigned old = *to;
  *to = old >= last ? 0 : old + 1;
  return old;
}

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
void __stcs(T* to, T value) {
  *to = value;
}
template <class T>
void __stcg(T* to, T value) {
  *to = value;
}

#define SHIM_VECTORS(type, name, align)                                         \
  struct alignas(2 * align) name##2 { type x, y; };                             \
  struct alignas(4 * align < 16 ? 4 * align : 16) name##4 { type x, y, z, w; }; \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }              \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SHIM_VECTORS(float, float, 4)
SHIM_VECTORS(double, double, 8)
SHIM_VECTORS(int, int, 4)
SHIM_VECTORS(unsigned, uint, 4)
SHIM_VECTORS(unsigned short, ushort, 2)
SHIM_VECTORS(unsigned char, uchar, 1)
#undef SHIM_VECTORS
// NOLINTEND(bugprone-reserved-identifier)
