module;
#include <algorithm>
#include <array>
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

// Micro-kernels for bytes: sums of a few rows by one or two vectors of columns, to which one instruction or two add the products of a group.
namespace tessera::plan {

namespace {

template <int Bytes>
struct Words {
  using Vector [[gnu::vector_size(Bytes)]] = std::uint32_t;  // sums wrap
  using Pairs [[gnu::vector_size(Bytes)]] = std::int16_t;
};

// sum += the products of a group of the row and a group of each column. They are inlined late, into functions for the same instructions, which a
// function of no set of instructions that must be inlined early may not promise.

struct Quads512 : Words<64> {
  static constexpr bool has_tails = true;
  [[gnu::target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static inline void multiply(
      Vector& sum, const Vector& row, const Vector& columns) {
    using Signed [[gnu::vector_size(64)]] = std::int32_t;
    sum = __builtin_bit_cast(
        Vector, __builtin_ia32_vpdpbusd512(__builtin_bit_cast(Signed, sum), __builtin_bit_cast(Signed, row),
                                           __builtin_bit_cast(Signed, columns)));
  }
};
struct Pairs512 : Words<64> {
  static constexpr bool has_tails = false;
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static inline void multiply(
      Vector& sum, const Vector& row, const Vector& columns) {
    sum += __builtin_bit_cast(
        Vector, __builtin_ia32_pmaddwd512(__builtin_bit_cast(Pairs, row), __builtin_bit_cast(Pairs, columns)));
  }
};
struct Pairs256 : Words<32> {
  static constexpr bool has_tails = false;
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static inline void multiply(Vector& sum, const Vector& row,
                                                                        const Vector& columns) {
    sum += __builtin_bit_cast(
        Vector, __builtin_ia32_pmaddwd256(__builtin_bit_cast(Pairs, row), __builtin_bit_cast(Pairs, columns)));
  }
};
struct Pairs128 : Words<16> {
  static constexpr bool has_tails = false;
  static inline void multiply(Vector& sum, const Vector& row, const Vector& columns) {
    sum += __builtin_bit_cast(
        Vector, __builtin_ia32_pmaddwd128(__builtin_bit_cast(Pairs, row), __builtin_bit_cast(Pairs, columns)));
  }
};

template <class Group, int Rows, int Vectors>
[[gnu::always_inline]] inline void multiply_groups(const StripProduct& strip) {
  using Vector = typename Group::Vector;
  constexpr auto lanes = static_cast<std::ptrdiff_t>(sizeof(Vector) / 4);
  const auto* a = static_cast<const std::uint32_t*>(strip.a);
  const auto* b = static_cast<const std::uint32_t*>(strip.b);
  Vector sums[Rows][Vectors] = {};
  if constexpr (Group::has_tails) {
    Vector tails[Vectors];
    std::memcpy(tails, b + strip.depth * strip.b_row, sizeof tails);
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) sums[r][v] = tails[v] + a[strip.depth * Rows + r];
    }
  }
  for (std::ptrdiff_t k = strip.depth; k > 0; --k) {
    Vector columns[Vectors];
    for (int v = 0; v < Vectors; ++v) std::memcpy(&columns[v], b + v * lanes, sizeof(Vector));
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      const Vector row = Vector{} + a[r];
      for (int v = 0; v < Vectors; ++v) Group::multiply(sums[r][v], row, columns[v]);
    }
    a += Rows;
    b += strip.b_row;
  }
  auto* const c = static_cast<std::uint32_t*>(strip.c);
  const std::ptrdiff_t c_row = strip.c_row;  // stores could change what is in `strip`, as far as a compiler knows
  if (strip.adds) {
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) {
        Vector before;
        std::memcpy(&before, c + r * c_row + v * lanes, sizeof(Vector));
        sums[r][v] += before;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) std::memcpy(c + r * c_row + v * lanes, &sums[r][v], sizeof(Vector));
  }
}

template <class Group, int Rows, int Vectors>
struct Kernel;
template <int Rows, int Vectors>
struct Kernel<Quads512, Rows, Vectors> {
  [[gnu::target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void packed(
      const StripProduct& strip) {
    multiply_groups<Quads512, Rows, Vectors>(strip);
  }
};
template <int Rows, int Vectors>
struct Kernel<Pairs512, Rows, Vectors> {
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void packed(
      const StripProduct& strip) {
    multiply_groups<Pairs512, Rows, Vectors>(strip);
  }
};
template <int Rows, int Vectors>
struct Kernel<Pairs256, Rows, Vectors> {
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void packed(const StripProduct& strip) {
    multiply_groups<Pairs256, Rows, Vectors>(strip);
  }
};
template <int Rows, int Vectors>
struct Kernel<Pairs128, Rows, Vectors> {
  static void packed(const StripProduct& strip) { multiply_groups<Pairs128, Rows, Vectors>(strip); }
};

template <class Group, int Vectors, int... Row>
struct Table {
  static constexpr MicroKernel packed[] = {Kernel<Group, Row + 1, Vectors>::packed...};
};

/// A strip of a and the sums of its products of so many bytes with a panel are worth packing: a row of 1.5 KiB.
constexpr std::ptrdiff_t row_bytes = 1536;

template <class Group, int Rows>
const ProductKernels& kernels_of() {
  static const ProductKernels all = []<int... Row>(std::integer_sequence<int, Row...>) {
    constexpr auto lanes = static_cast<std::ptrdiff_t>(sizeof(typename Group::Vector) / 4);
    constexpr std::ptrdiff_t step = Group::has_tails ? 4 : 2, packed_item = 4 / step;
    ProductKernels kernels{.item = 4,
                           .packed_item = packed_item,
                           .step = step,
                           .tail = Group::has_tails ? 4 : 0,
                           .depth = row_bytes / packed_item};
    kernels.widths[0] = {2 * lanes, Table<Group, 2, Row...>::packed, Table<Group, 2, Row...>::packed};
    kernels.widths[1] = {lanes, Table<Group, 1, Row...>::packed, Table<Group, 1, Row...>::packed};
    kernels.width_count = 2;
    choose_widths(kernels);
    return kernels;
  }(std::make_integer_sequence<int, Rows>());
  return all;
}

bool is_byte(DType type) { return type == DType::int8 || type == DType::uint8; }

}  // namespace

bool multiplies_bytes(DType a, DType b, DType sums) noexcept {
  return sums == DType::int32 && is_byte(a) && is_byte(b);
}

bool has_byte_quads() noexcept {
  static const bool has = __builtin_cpu_supports("avx512vnni");
  return has && device::isa() == device::Isa::avx512;
}

const ProductKernels& byte_kernels() {
  if (has_byte_quads()) return kernels_of<Quads512, 14>();
  switch (device::isa()) {
    case device::Isa::avx512: return kernels_of<Pairs512, 14>();
    case device::Isa::avx2: return kernels_of<Pairs256, 6>();
    case device::Isa::baseline: break;
  }
  return kernels_of<Pairs128, 6>();
}

}  // namespace tessera::plan
