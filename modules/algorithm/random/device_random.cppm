module;
export module tessera.algorithm:device_random;

// CUDA C++ for random numbers: the words of philox.cppm and the distributions of philox.cpp. Each distribution gives one number, or as
// many neighbours as an array has places, 2 or 4: four floats are one call of Philox.
namespace tessera::random {

/// Device code of random numbers; each function takes a key and the number's position in the key's stream, which is even where it gives two
/// and a multiple of 4 where it gives four.
inline constexpr const char* device_random = R"cuda(
struct tessera_words { unsigned int word[4]; };
__device__ inline tessera_words tessera_philox_of(unsigned long long key, unsigned int w0, unsigned int w1, unsigned int w2, unsigned int w3) {
  unsigned int k0 = (unsigned int)key, k1 = (unsigned int)(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const unsigned long long first = 0xD2511F53ull * w0, second = 0xCD9E8D57ull * w2;
    w0 = (unsigned int)(second >> 32) ^ w1 ^ k0;
    w1 = (unsigned int)second;
    w2 = (unsigned int)(first >> 32) ^ w3 ^ k1;
    w3 = (unsigned int)first;
  }
  return tessera_words{{w0, w1, w2, w3}};
}
__device__ inline tessera_words tessera_philox(unsigned long long key, unsigned long long block) {
  return tessera_philox_of(key, (unsigned int)block, (unsigned int)(block >> 32), 0, 0);
}
// One of the words, chosen without memory that is indexed.
__device__ inline unsigned int tessera_word(const tessera_words& words, unsigned int which) {
  const unsigned int low = which & 1u ? words.word[1] : words.word[0];
  const unsigned int high = which & 1u ? words.word[3] : words.word[2];
  return which & 2u ? high : low;
}
template <int bits> __device__ inline float tessera_uniform_of(unsigned int word) {
  return (float)(word >> (32 - bits)) * (1.0f / (float)(1u << bits));
}
template <int bits> __device__ inline float tessera_uniform_float(unsigned long long key, unsigned long long index) {
  return tessera_uniform_of<bits>(tessera_word(tessera_philox(key, index / 4), (unsigned int)index & 3u));
}
template <int bits, int N> __device__ inline void tessera_uniform_float(unsigned long long key, unsigned long long index, float (&to)[N]) {
  const tessera_words words = tessera_philox(key, index / 4);
#pragma unroll
  for (int k = 0; k < N; ++k) to[k] = tessera_uniform_of<bits>(N == 4 ? words.word[k] : tessera_word(words, ((unsigned int)index & 3u) + k));
}
__device__ inline double tessera_uniform53(unsigned int high, unsigned int low) {
  return (double)(((unsigned long long)high << 32 | low) >> 11) * 0x1p-53;
}
__device__ inline double tessera_uniform_double(unsigned long long key, unsigned long long index) {
  const tessera_words words = tessera_philox(key, index / 2);
  const bool second = (index & 1u) != 0;
  return tessera_uniform53(second ? words.word[2] : words.word[0], second ? words.word[3] : words.word[1]);
}
template <int N> __device__ inline void tessera_uniform_double(unsigned long long key, unsigned long long index, double (&to)[N]) {
#pragma unroll
  for (int k = 0; k < N; k += 2) {
    const tessera_words words = tessera_philox(key, index / 2 + k / 2);
    to[k] = tessera_uniform53(words.word[0], words.word[1]);
    to[k + 1] = tessera_uniform53(words.word[2], words.word[3]);
  }
}
// Two normal numbers from one in (0, 1] and an angle in turns: sines of half turns need no reduction of their angle.
__device__ inline void tessera_box_muller(float positive, float turns, float* to) {
  const float radius = sqrt(-2.0f * log(positive));
  float sine, cosine;
  sincospif(2.0f * turns, &sine, &cosine);
  to[0] = radius * cosine;
  to[1] = radius * sine;
}
__device__ inline void tessera_box_muller(double positive, double turns, double* to) {
  const double radius = sqrt(-2.0 * log(positive));
  double sine, cosine;
  sincospi(2.0 * turns, &sine, &cosine);
  to[0] = radius * cosine;
  to[1] = radius * sine;
}
__device__ inline void tessera_normal_of(unsigned int first, unsigned int turns, float* to) {
  tessera_box_muller((float)((first >> 8) + 1) * 0x1p-24f, (float)(turns >> 8) * 0x1p-24f, to);
}
__device__ inline float tessera_normal_float(unsigned long long key, unsigned long long index) {
  const tessera_words words = tessera_philox(key, index / 4);
  const bool later = (index & 2u) != 0;
  float both[2];
  tessera_normal_of(later ? words.word[2] : words.word[0], later ? words.word[3] : words.word[1], both);
  return (index & 1u) != 0 ? both[1] : both[0];
}
template <int N> __device__ inline void tessera_normal_float(unsigned long long key, unsigned long long index, float (&to)[N]) {
  const tessera_words words = tessera_philox(key, index / 4);
  const bool later = (index & 2u) != 0;
  tessera_normal_of(later ? words.word[2] : words.word[0], later ? words.word[3] : words.word[1], to);
  if (N == 4) tessera_normal_of(words.word[2], words.word[3], to + (N - 2));
}
__device__ inline void tessera_normal_of(const tessera_words& words, double* to) {
  tessera_box_muller(tessera_uniform53(words.word[0], words.word[1]) + 0x1p-53, tessera_uniform53(words.word[2], words.word[3]), to);
}
__device__ inline double tessera_normal_double(unsigned long long key, unsigned long long index) {
  double both[2];
  tessera_normal_of(tessera_philox(key, index / 2), both);
  return (index & 1u) != 0 ? both[1] : both[0];
}
template <int N> __device__ inline void tessera_normal_double(unsigned long long key, unsigned long long index, double (&to)[N]) {
#pragma unroll
  for (int k = 0; k < N; k += 2) tessera_normal_of(tessera_philox(key, index / 2 + k / 2), to + k);
}
__device__ inline unsigned int tessera_bits32(unsigned long long key, unsigned long long index) {
  return tessera_word(tessera_philox(key, index / 4), (unsigned int)index & 3u);
}
template <int N> __device__ inline void tessera_bits32(unsigned long long key, unsigned long long index, unsigned int (&to)[N]) {
  const tessera_words words = tessera_philox(key, index / 4);
#pragma unroll
  for (int k = 0; k < N; ++k) to[k] = N == 4 ? words.word[k] : tessera_word(words, ((unsigned int)index & 3u) + k);
}
__device__ inline unsigned long long tessera_bits64(unsigned long long key, unsigned long long index) {
  const tessera_words words = tessera_philox(key, index / 2);
  const bool second = (index & 1u) != 0;
  return (unsigned long long)(second ? words.word[3] : words.word[1]) << 32 | (second ? words.word[2] : words.word[0]);
}
template <int N> __device__ inline void tessera_bits64(unsigned long long key, unsigned long long index, unsigned long long (&to)[N]) {
#pragma unroll
  for (int k = 0; k < N; k += 2) {
    const tessera_words words = tessera_philox(key, index / 2 + k / 2);
    to[k] = (unsigned long long)words.word[1] << 32 | words.word[0];
    to[k + 1] = (unsigned long long)words.word[3] << 32 | words.word[2];
  }
}
)cuda";

}  // namespace tessera::random
