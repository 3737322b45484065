module;
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Micro-kernels: a few rows by one or two vectors, as many as an instruction set has registers for. Of complex numbers two sums are kept, of
// the real parts of a and of the imaginary ones, and put together at the end.
namespace tessera::plan {

namespace {

template <class T>
struct Parts {
  using Real = T;
  static constexpr int count = 1;
};
template <class T>
struct Parts<std::complex<T>> {
  using Real = T;
  static constexpr int count = 2;
};

/// a + i b of vectors of complex numbers.
template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline Vector plus_i_times(Vector a, Vector b, std::index_sequence<Lane...>) {
  constexpr Vector signs = {(Lane % 2 == 0 ? -1 : 1)...};
  return a + __builtin_shufflevector(b, b, (static_cast<int>(Lane) ^ 1)...) * signs;
}

template <class T, int Rows, int Vectors, int Bytes>
[[gnu::always_inline]] inline void multiply_strip(const StripProduct& strip, std::ptrdiff_t a_row,
                                                  std::ptrdiff_t a_column) {
  using Real = Parts<T>::Real;
  using Vector [[gnu::vector_size(Bytes)]] = Real;
  constexpr int parts = Parts<T>::count;
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(Real));
  Vector sums[Rows][parts][Vectors] = {};
  const auto* a = static_cast<const Real*>(strip.a);
  const auto* b = static_cast<const Real*>(strip.b);
  for (std::ptrdiff_t k = strip.depth; k > 0; --k) {
    Vector columns[Vectors];
    for (int v = 0; v < Vectors; ++v) std::memcpy(&columns[v], b + v * lanes, sizeof(Vector));
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      for (int part = 0; part < parts; ++part) {
        const Real factor = a[r * a_row * parts + part];
        for (int v = 0; v < Vectors; ++v) sums[r][part][v] += factor * columns[v];
      }
    }
    a += a_column * parts;
    b += strip.b_row * parts;
  }
  auto* c = static_cast<Real*>(strip.c);
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[r][0][v];
      if constexpr (parts == 2) sum = plus_i_times(sum, sums[r][1][v], std::make_index_sequence<lanes>());
      Real* to = c + r * strip.c_row * parts + v * lanes;
      if (strip.adds) {
        Vector before;
        std::memcpy(&before, to, sizeof(Vector));
        sum += before;
      }
      std::memcpy(to, &sum, sizeof(Vector));
    }
  }
}

/// Runs of steps are short, so that what is read across them stays in the cache.
template <class T, class From, device::Isa Isa>
[[gnu::always_inline]] inline void pack_strip(const void* from, std::ptrdiff_t along, std::ptrdiff_t across,
                                              std::ptrdiff_t depth, std::ptrdiff_t width, std::ptrdiff_t padded,
                                              void* to) {
  constexpr std::ptrdiff_t run = 16;
  const auto* source = static_cast<const From*>(from);
  auto* target = static_cast<T*>(to);
  if (across == 1 && std::is_same_v<T, From>) {
    const std::ptrdiff_t bytes = width * static_cast<std::ptrdiff_t>(sizeof(T));
    for (std::ptrdiff_t k = 0; k < depth; ++k)
      copy_few(reinterpret_cast<std::byte*>(target + k * padded),
               reinterpret_cast<const std::byte*>(source + k * along), bytes);
  } else if (across == 1) {
    for (std::ptrdiff_t k = 0; k < depth; ++k) {
      for (std::ptrdiff_t i = 0; i < width; ++i) target[k * padded + i] = load<Isa>(source[k * along + i]);
    }
  } else {
    for (std::ptrdiff_t first = 0; first < depth; first += run) {
      const std::ptrdiff_t last = std::min(depth, first + run);
      for (std::ptrdiff_t i = 0; i < width; ++i) {
        for (std::ptrdiff_t k = first; k < last; ++k)
          target[k * padded + i] = load<Isa>(source[k * along + i * across]);
      }
    }
  }
  for (std::ptrdiff_t k = 0; k < depth && width < padded; ++k)
    std::fill_n(target + k * padded + width, padded - width, T());
}

template <class T, int Rows, int Vectors>
struct Baseline {
  static void any(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, 16>(strip, strip.a_row, strip.a_column);
  }
  static void packed(const StripProduct& strip) { multiply_strip<T, Rows, Vectors, 16>(strip, 1, Rows); }
};
template <class T, int Rows, int Vectors>
struct Avx2 {
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void any(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, 32>(strip, strip.a_row, strip.a_column);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void packed(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, 32>(strip, 1, Rows);
  }
};
template <class T, int Rows, int Vectors>
struct Avx512 {
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void any(
      const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, 64>(strip, strip.a_row, strip.a_column);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void packed(
      const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, 64>(strip, 1, Rows);
  }
};

template <class T, class From>
struct Packing {
  static void baseline(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                       std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    pack_strip<T, From, device::Isa::baseline>(from, along, across, depth, width, padded, to);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const void* from, std::ptrdiff_t along,
                                                             std::ptrdiff_t across, std::ptrdiff_t depth,
                                                             std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    pack_strip<T, From, device::Isa::avx2>(from, along, across, depth, width, padded, to);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth, std::ptrdiff_t width,
      std::ptrdiff_t padded, void* to) {
    pack_strip<T, From, device::Isa::avx512>(from, along, across, depth, width, padded, to);
  }
};

template <template <class, int, int> class Isa, class T, int Vectors, int... Row>
struct Table {
  static constexpr MicroKernel any[] = {Isa<T, Row + 1, Vectors>::any...};
  static constexpr MicroKernel packed[] = {Isa<T, Row + 1, Vectors>::packed...};
};

/// `Sums` vectors of sums fit the registers beside what is multiplied.
template <template <class, int, int> class Isa, class T, int Bytes, int Sums>
const ProductKernels& kernels_of() {
  static const ProductKernels all = []<int... Row>(std::integer_sequence<int, Row...>) {
    using One = Table<Isa, T, 1, Row...>;
    using Two = Table<Isa, T, 2, Row...>;
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(T));
    return ProductKernels{.item = item,
                          .packed_item = item,
                          .step = 1,
                          .lanes = Bytes / item,
                          .any = {One::any, Two::any},
                          .packed = {One::packed, Two::packed}};
  }(std::make_integer_sequence<int, Sums / 2 / Parts<T>::count>());
  return all;
}

template <class T>
const ProductKernels& kernels_here() {
  switch (device::isa()) {
    case device::Isa::avx512: return kernels_of<Avx512, T, 64, 28>();
    case device::Isa::avx2: return kernels_of<Avx2, T, 32, 12>();
    case device::Isa::baseline: break;
  }
  return kernels_of<Baseline, T, 16, 12>();
}

/// As multiply_strip(), of packed pairs.
template <int Rows, int Vectors>
struct Pairs {
  [[gnu::target("avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void packed(
      const StripProduct& strip) {
    using Vector [[gnu::vector_size(64)]] = float;
    using Bits [[gnu::vector_size(64)]] = std::uint32_t;
    using Numbers [[gnu::vector_size(64)]] = __bf16;
    Vector sums[Rows][Vectors] = {};
    const auto* a = static_cast<const std::uint32_t*>(strip.a);
    const auto* b = static_cast<const std::uint32_t*>(strip.b);
    for (std::ptrdiff_t k = strip.depth; k > 0; --k) {
      Numbers columns[Vectors];
      for (int v = 0; v < Vectors; ++v) std::memcpy(&columns[v], b + v * 16, sizeof(Numbers));
#pragma clang loop unroll(full)
      for (int r = 0; r < Rows; ++r) {
        const auto factor = __builtin_bit_cast(Numbers, Bits{} + a[r]);
        for (int v = 0; v < Vectors; ++v) sums[r][v] = __builtin_ia32_dpbf16ps_512(sums[r][v], factor, columns[v]);
      }
      a += Rows;
      b += strip.b_row;
    }
    auto* c = static_cast<float*>(strip.c);
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) {
        float* to = c + r * strip.c_row + v * 16;
        Vector before = {};
        if (strip.adds) std::memcpy(&before, to, sizeof(Vector));
        before += sums[r][v];
        std::memcpy(to, &before, sizeof(Vector));
      }
    }
  }
};

/// For each pair of steps along the depth the two elements of each row or column; 0 where there is none.
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void pack_pairs(
    const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth, std::ptrdiff_t width,
    std::ptrdiff_t padded, void* to) {
  constexpr std::ptrdiff_t run = 32;
  const auto* source = static_cast<const std::uint16_t*>(from);
  auto* target = static_cast<std::uint32_t*>(to);
  const std::ptrdiff_t pairs = depth / 2;
  const auto pair = [&](std::ptrdiff_t k, std::ptrdiff_t i) __attribute__((always_inline)) {
    const std::uint16_t* first = source + 2 * k * along + i * across;
    return std::uint32_t{first[0]} | std::uint32_t{first[along]} << 16;
  };
  if (across == 1) {
    for (std::ptrdiff_t k = 0; k < pairs; ++k) {
      for (std::ptrdiff_t i = 0; i < width; ++i) target[k * padded + i] = pair(k, i);
    }
  } else {
    for (std::ptrdiff_t first = 0; first < pairs; first += run) {
      const std::ptrdiff_t last = std::min(pairs, first + run);
      for (std::ptrdiff_t i = 0; i < width; ++i) {
        for (std::ptrdiff_t k = first; k < last; ++k) target[k * padded + i] = pair(k, i);
      }
    }
  }
  if (depth % 2 == 1) {
    for (std::ptrdiff_t i = 0; i < width; ++i)
      target[pairs * padded + i] = source[(depth - 1) * along + i * across];
  }
  for (std::ptrdiff_t k = 0; k < (depth + 1) / 2 && width < padded; ++k)
    std::fill_n(target + k * padded + width, padded - width, 0);
}

template <int Vectors, int... Row>
struct PairTable {
  static constexpr MicroKernel packed[] = {Pairs<Row + 1, Vectors>::packed...};
};

template <class From>
PackStrip packer_here() {
  using Strips = Packing<compute_t<From>, From>;
  switch (device::isa()) {
    case device::Isa::avx512: return Strips::avx512;
    case device::Isa::avx2: return Strips::avx2;
    case device::Isa::baseline: break;
  }
  return Strips::baseline;
}

}  // namespace

const ProductKernels& product_kernels(DType dtype) {
  switch (dtype) {
    case DType::float64: return kernels_here<double>();
    case DType::complex64: return kernels_here<std::complex<float>>();
    case DType::complex128: return kernels_here<std::complex<double>>();
    default: return kernels_here<float>();
  }
}

bool has_bfloat16_pairs() noexcept {
  static const bool has = __builtin_cpu_supports("avx512bf16");
  return has && device::isa() == device::Isa::avx512;
}

const ProductKernels& bfloat16_pair_kernels() {
  static const ProductKernels all = []<int... Row>(std::integer_sequence<int, Row...>) {
    using One = PairTable<1, Row...>;
    using Two = PairTable<2, Row...>;
    return ProductKernels{.item = 4,
                          .packed_item = 2,
                          .step = 2,
                          .lanes = 16,
                          .any = {One::packed, Two::packed},
                          .packed = {One::packed, Two::packed}};
  }(std::make_integer_sequence<int, 14>());
  return all;
}

PackStrip pair_packer() { return pack_pairs; }

PackStrip strip_packer(DType from) {
  switch (from) {
    case DType::float64: return packer_here<double>();
    case DType::complex64: return packer_here<std::complex<float>>();
    case DType::complex128: return packer_here<std::complex<double>>();
    case DType::float16: return packer_here<float16>();
    case DType::bfloat16: return packer_here<bfloat16>();
    default: return packer_here<float>();
  }
}

}  // namespace tessera::plan
