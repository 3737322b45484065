module;
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
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
constexpr int parts_of = Complex<T> ? 2 : 1;

/// a += i b of vectors of complex numbers. Vectors go by reference: by value, a function without a target has no registers for them.
template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline void add_i_times(Vector& a, const Vector& b, std::index_sequence<Lane...>) {
  constexpr Vector signs = {(Lane % 2 == 0 ? -1 : 1)...};
  a += __builtin_shufflevector(b, b, (static_cast<int>(Lane) ^ 1)...) * signs;
}

/// A step along the depth takes an element of each row. Four rows are reached from one pointer by what an address can hold; with one pointer for all
/// of them, stepping from row to row takes as long as their products.
template <class Real, int Rows>
class RowPointers {
 public:
  [[gnu::always_inline]] inline RowPointers(const Real* a, std::ptrdiff_t row) : row_(row), third_row_(3 * row) {
    for (int g = 0; g < groups; ++g) first_[g] = a + 4 * g * row;
  }
  [[gnu::always_inline]] inline const Real* operator[](int r) const {
    const Real* const first = first_[r / 4];
    return r % 4 == 3 ? first + third_row_ : first + r % 4 * row_;
  }
  [[gnu::always_inline]] inline void advance(std::ptrdiff_t elements) {
    for (int g = 0; g < groups; ++g) {
      first_[g] += elements;
      asm("" : "+r"(first_[g]));  // or the compiler makes them one again
    }
  }

 private:
  static constexpr int groups = (Rows + 3) / 4;
  std::ptrdiff_t row_, third_row_;
  const Real* first_[groups];
};

template <class T, int Rows, int Vectors, int Bytes>
[[gnu::always_inline]] inline void multiply_strip(const StripProduct& strip, std::ptrdiff_t a_row,
                                                  std::ptrdiff_t a_column) {
  using Real = part_t<T>;
  using Vector [[gnu::vector_size(Bytes)]] = Real;
  constexpr int parts = parts_of<T>;
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(Real));
  const std::ptrdiff_t second = strip.second * parts;
  Vector sums[Rows][parts][Vectors] = {};
  RowPointers<Real, Rows> a(static_cast<const Real*>(strip.a), a_row * parts);
  const auto* b = static_cast<const Real*>(strip.b);
  for (std::ptrdiff_t k = strip.depth; k > 0; --k) {
    Vector columns[Vectors];
    for (int v = 0; v < Vectors; ++v) std::memcpy(&columns[v], b + v * second, sizeof(Vector));
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      for (int part = 0; part < parts; ++part) {
        const Real factor = a[r][part];
        for (int v = 0; v < Vectors; ++v) sums[r][part][v] += factor * columns[v];
      }
    }
    a.advance(a_column * parts);
    b += strip.b_row * parts;
  }
  auto* c = static_cast<Real*>(strip.c);
  const std::ptrdiff_t c_row = strip.c_row * parts;
  const bool adds = strip.adds;
  for (int r = 0; r < Rows; ++r, c += c_row) {
    for (int v = 0; v < Vectors; ++v) {
      Vector sum = sums[r][0][v];
      if constexpr (parts == 2) add_i_times(sum, sums[r][1][v], std::make_index_sequence<lanes>());
      if (adds) {
        Vector before;
        std::memcpy(&before, c + v * second, sizeof(Vector));
        sum += before;
      }
      std::memcpy(c + v * second, &sum, sizeof(Vector));
    }
  }
}

/// `Lanes` rows of `depth` elements, `row` bytes apart, which become columns.
template <class T, int Lanes>
[[gnu::always_inline]] inline void transpose_strip(const std::byte* source, std::ptrdiff_t row, std::ptrdiff_t depth,
                                                   std::ptrdiff_t padded, T* target) {
  using Item = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Vector [[gnu::vector_size(Lanes * sizeof(T))]] = Item;
  constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(T));
  std::ptrdiff_t k = 0;
  for (; k + Lanes <= depth; k += Lanes) {
    Vector rows[Lanes];
    for (int i = 0; i < Lanes; ++i) std::memcpy(&rows[i], source + i * row + k * item, sizeof(Vector));
    exchange_blocks<Lanes, Lanes / 2>(rows, std::make_index_sequence<Lanes>());
    for (int i = 0; i < Lanes; ++i) std::memcpy(target + (k + i) * padded, &rows[i], sizeof(Vector));
  }
  for (; k < depth; ++k) {
    for (int i = 0; i < Lanes; ++i) std::memcpy(target + k * padded + i, source + i * row + k * item, sizeof(T));
  }
}

/// As many rows as there are, if these are enough for a block; the last block has some of the rows before it. Returns how many are done.
template <class T, int Lanes>
[[gnu::always_inline]] inline std::ptrdiff_t transpose_rows(const void* source, std::ptrdiff_t row,
                                                            std::ptrdiff_t depth, std::ptrdiff_t width,
                                                            std::ptrdiff_t padded, T* target) {
  if (width < Lanes) {
    if constexpr (Lanes > 4) return transpose_rows<T, Lanes / 2>(source, row, depth, width, padded, target);
    return 0;
  }
  const auto* const from = static_cast<const std::byte*>(source);
  for (std::ptrdiff_t done = 0; done < width; done += Lanes) {
    const std::ptrdiff_t first = std::min(done, width - Lanes);
    transpose_strip<T, Lanes>(from + first * row, row, depth, padded, target + first);
  }
  return width;
}

alignas(64) constexpr std::byte zeros[128] = {};  // two vectors

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
    std::ptrdiff_t done = 0;
    if constexpr (std::is_same_v<T, From> && sizeof(T) < 16) {
      if (along == 1) {
        constexpr int lanes = Isa == device::Isa::baseline ? 16 / sizeof(T) : 32 / sizeof(T);
        done = transpose_rows<T, lanes>(source, across * static_cast<std::ptrdiff_t>(sizeof(T)), depth, width, padded,
                                        target);
      }
    }
    for (std::ptrdiff_t first = 0; first < depth; first += run) {
      const std::ptrdiff_t last = std::min(depth, first + run);
      for (std::ptrdiff_t i = done; i < width; ++i) {
        for (std::ptrdiff_t k = first; k < last; ++k)
          target[k * padded + i] = load<Isa>(source[k * along + i * across]);
      }
    }
  }
  const std::ptrdiff_t missing = (padded - width) * static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t k = 0; k < depth && missing > 0; ++k)
    copy_few(reinterpret_cast<std::byte*>(target + k * padded + width), zeros, missing);
}

template <class T, int Rows, int Vectors, int Bytes>
struct Baseline {
  static void any(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, Bytes>(strip, strip.a_row, strip.a_column);
  }
  static void packed(const StripProduct& strip) { multiply_strip<T, Rows, Vectors, Bytes>(strip, 1, Rows); }
};
template <class T, int Rows, int Vectors, int Bytes>
struct Avx2 {
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void any(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, Bytes>(strip, strip.a_row, strip.a_column);
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void packed(const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, Bytes>(strip, 1, Rows);
  }
};
template <class T, int Rows, int Vectors, int Bytes>
struct Avx512 {
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void any(
      const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, Bytes>(strip, strip.a_row, strip.a_column);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void packed(
      const StripProduct& strip) {
    multiply_strip<T, Rows, Vectors, Bytes>(strip, 1, Rows);
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

template <template <class, int, int, int> class Isa, class T, int Vectors, int Bytes, int... Row>
struct Table {
  static constexpr MicroKernel any[] = {Isa<T, Row + 1, Vectors, Bytes>::any...};
  static constexpr MicroKernel packed[] = {Isa<T, Row + 1, Vectors, Bytes>::packed...};
};

template <template <class, int, int, int> class Isa, class T, int Vectors, int Bytes, int... Row>
inline constexpr MicroKernel narrow_table[] = {Isa<T, Row + 1, Vectors, Bytes>::any...};

/// The kernels of fewer lanes than a vector has, for up to eight rows.
template <template <class, int, int, int> class Isa, class T, int Bytes>
void add_narrow(ProductKernels& kernels) {
  [&]<int... Row>(std::integer_sequence<int, Row...>) {
    const auto add = [&]<int Lanes>() {
      constexpr int width = Lanes * static_cast<int>(sizeof(T));
      if constexpr (width < Bytes)
        kernels.narrow[std::countr_zero(unsigned{Lanes})] = {narrow_table<Isa, T, 1, width, Row...>,
                                                             narrow_table<Isa, T, 2, width, Row...>};
    };
    add.template operator()<1>();
    add.template operator()<2>();
    add.template operator()<4>();
    add.template operator()<8>();
  }(std::make_integer_sequence<int, 8>());
}

/// `Sums` vectors of sums fit the registers beside what is multiplied.
template <template <class, int, int, int> class Isa, class T, int Bytes, int Sums>
const ProductKernels& kernels_of() {
  static const ProductKernels all = []<int... Row>(std::integer_sequence<int, Row...>) {
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(T));
    ProductKernels kernels{.item = item, .packed_item = item, .step = 1, .depth = depth_of_sums(sizeof(T))};
    const auto add = [&]<int Vectors, int Width>() {
      using Kernels = Table<Isa, T, Vectors, Width, Row...>;
      kernels.widths[kernels.width_count++] = {Vectors * Width / item, Kernels::any, Kernels::packed};
    };
    add.template operator()<2, Bytes>();
    add.template operator()<1, Bytes>();
    if constexpr (Bytes > 16) add.template operator()<1, Bytes / 2>();
    if constexpr (Bytes > 32) add.template operator()<1, Bytes / 4>();
    choose_widths(kernels);
    if constexpr (parts_of<T> == 1) add_narrow<Isa, T, Bytes>(kernels);
    return kernels;
  }(std::make_integer_sequence<int, Sums / 2 / parts_of<T>>());
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
    const std::ptrdiff_t done =
        along == 1 ? transpose_rows<std::uint32_t, 8>(source, across * 2, pairs, width, padded, target) : 0;
    for (std::ptrdiff_t first = 0; first < pairs; first += run) {
      const std::ptrdiff_t last = std::min(pairs, first + run);
      for (std::ptrdiff_t i = done; i < width; ++i) {
        for (std::ptrdiff_t k = first; k < last; ++k) target[k * padded + i] = pair(k, i);
      }
    }
  }
  if (depth % 2 == 1) {
    for (std::ptrdiff_t i = 0; i < width; ++i) target[pairs * padded + i] = source[(depth - 1) * along + i * across];
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

/// Takes for each number of columns the widths that cost least, where a narrow vector costs little more than half of a wide one and columns that
/// fill no vector have to be copied.
void choose_widths(ProductKernels& kernels) {
  constexpr std::array weights{2.0, 1.0, 0.6, 0.55};
  constexpr double copied = 0.2;
  std::array<double, std::tuple_size_v<decltype(kernels.choice)>> cost{};
  for (std::size_t left = 1; left <= static_cast<std::size_t>(kernels.widths[0].lanes); ++left) {
    cost[left] = std::numeric_limits<double>::infinity();
    for (std::size_t width = 0; width < kernels.width_count; ++width) {
      const auto lanes = static_cast<std::size_t>(kernels.widths[width].lanes);
      const double total = weights[width] + (lanes > left ? copied : cost[left - lanes]);
      if (total >= cost[left]) continue;
      cost[left] = total;
      kernels.choice[left] = static_cast<std::uint8_t>(width);
    }
  }
}

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
    ProductKernels kernels{.item = 4, .packed_item = 2, .step = 2, .depth = depth_of_sums(4)};
    kernels.widths[0] = {32, PairTable<2, Row...>::packed, PairTable<2, Row...>::packed};
    kernels.widths[1] = {16, PairTable<1, Row...>::packed, PairTable<1, Row...>::packed};
    kernels.width_count = 2;
    choose_widths(kernels);
    return kernels;
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
