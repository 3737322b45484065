module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Bytes into words of a group each: four bytes, or two that have been widened to 16 bits.
namespace tessera::plan {

namespace {

/// A block of a factor, as PackStrip has it, in groups along the depth.
template <class Byte>
struct Source {
  const Byte* from;
  std::ptrdiff_t along, across, depth, width;
};

/// Groups of `Step` elements in words, `Lanes` of them in a vector.
template <class Byte, int Step, int Lanes>
struct Groups {
  using Piece = std::conditional_t<Step == 4, std::uint8_t, std::uint16_t>;  // of a word
  using Vector [[gnu::vector_size(4 * Lanes)]] = std::uint32_t;
  static constexpr int bits = 32 / Step;

  /// The word of `count` elements; those that lack are 0.
  [[gnu::always_inline]] static std::uint32_t word(const Byte* from, std::ptrdiff_t along, std::ptrdiff_t count) {
    std::uint32_t word = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) word |= std::uint32_t{static_cast<Piece>(from[i * along])} << (bits * i);
    return word;
  }

  /// The words of elements side by side, each with those below it.
  [[gnu::always_inline]] static void load_beside(const Byte* from, std::ptrdiff_t along, Vector& words) {
    Halves low, high;
    load_half(from, along, low);
    load_half(from + Step / 2 * along, along, high);
    words = __builtin_convertvector(low, Vector) | __builtin_convertvector(high, Vector) << 16;
  }

  /// The words of elements side by side, group after group.
  [[gnu::always_inline]] static void load_along(const Byte* from, Vector& words) {
    using Bytes [[gnu::vector_size(Lanes * Step)]] = Byte;
    using Pieces [[gnu::vector_size(4 * Lanes)]] = Piece;
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    words = __builtin_bit_cast(Vector, __builtin_convertvector(bytes, Pieces));
  }

 private:
  using Halves [[gnu::vector_size(2 * Lanes)]] = std::uint16_t;

  [[gnu::always_inline]] static void load_half(const Byte* from, std::ptrdiff_t along, Halves& halves) {
    using Bytes [[gnu::vector_size(Lanes)]] = Byte;
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    halves = __builtin_convertvector(bytes, Halves);
    if constexpr (Step == 4) {
      std::memcpy(&bytes, from + along, sizeof bytes);
      halves |= __builtin_convertvector(bytes, Halves) << 8;
    }
  }
};

/// Columns from `done` on whose elements lie side by side, as many vectors as there are. Returns how many columns are done then.
template <int Step, int Lanes, class Byte>
[[gnu::always_inline]] inline std::ptrdiff_t pack_beside(const Source<Byte>& s, std::ptrdiff_t done,
                                                         std::ptrdiff_t padded, std::uint32_t moves,
                                                         std::uint32_t* target) {
  using Group = Groups<Byte, Step, Lanes>;
  const std::ptrdiff_t end = done + (s.width - done) / Lanes * Lanes;
  for (std::ptrdiff_t k = 0; k < s.depth / Step; ++k) {
    const Byte* const from = s.from + k * Step * s.along;
    for (std::ptrdiff_t i = done; i < end; i += Lanes) {
      typename Group::Vector words;
      Group::load_beside(from + i, s.along, words);
      words ^= moves;
      std::memcpy(target + k * padded + i, &words, sizeof words);
    }
  }
  return end;
}

/// Elements of the lower or upper halves of the 16 bytes that an instruction interleaves, one of a, one of b.
template <int Upper, class Vector, std::size_t... I>
[[gnu::always_inline]] inline void interleave(const Vector& a, const Vector& b, Vector& to, std::index_sequence<I...>) {
  constexpr std::size_t count = sizeof...(I), each = count / (sizeof(Vector) / 16);
  to = __builtin_shufflevector(
      a, b, static_cast<int>(I / each * each + Upper * each / 2 + I % each / 2 + (I % 2 == 0 ? 0 : count))...);
}

using Eight [[gnu::vector_size(32)]] = std::uint32_t;

/// The four bytes of each of 32 columns that lie side by side, as words.
[[gnu::always_inline]] inline void load_32_quads(const std::uint8_t* from, std::ptrdiff_t along, std::uint32_t moves,
                                                 Eight (&words)[4]) {
  using Bytes [[gnu::vector_size(32)]] = std::uint8_t;
  using Halves [[gnu::vector_size(32)]] = std::uint16_t;
  Bytes rows[4];
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&rows[i], from + i * along, sizeof rows[i]);
    rows[i] ^= static_cast<std::uint8_t>(moves);
  }
  Halves parts[2][2];  // of rows 0 and 1, and of 2 and 3: columns 0-7 and 16-23, and the others
  for (int i = 0; i < 2; ++i) {
    Bytes lower, upper;
    interleave<0>(rows[2 * i], rows[2 * i + 1], lower, std::make_index_sequence<32>());
    interleave<1>(rows[2 * i], rows[2 * i + 1], upper, std::make_index_sequence<32>());
    parts[i][0] = __builtin_bit_cast(Halves, lower);
    parts[i][1] = __builtin_bit_cast(Halves, upper);
  }
  for (int i = 0; i < 2; ++i) {
    Halves lower, upper;
    interleave<0>(parts[0][i], parts[1][i], lower, std::make_index_sequence<16>());
    interleave<1>(parts[0][i], parts[1][i], upper, std::make_index_sequence<16>());
    const auto first = __builtin_bit_cast(Eight, lower), second = __builtin_bit_cast(Eight, upper);
    words[i] = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
    words[2 + i] = __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// `count` rows from `done` on, whose elements lie side by side along the depth. Vectors of `Lanes` words are stored in the order of the groups: what is too
/// long is overwritten by the next.
template <int Step, int Lanes, class Byte>
[[gnu::always_inline]] inline void pack_rows(const Source<Byte>& s, std::ptrdiff_t done, std::ptrdiff_t count,
                                             std::ptrdiff_t padded, std::uint32_t moves, std::uint32_t* target) {
  using Group = Groups<Byte, Step, Lanes>;
  const std::ptrdiff_t groups = s.depth / Step;
  const Byte* const from = s.from + done * s.across;
  std::uint32_t* const to = target + done;
  for (std::ptrdiff_t k = 0; k < groups && groups >= Lanes; k += Lanes) {
    const std::ptrdiff_t first = std::min(k, groups - Lanes);  // the last block has some of the groups before it
    typename Group::Vector rows[Lanes];
#pragma clang loop unroll(full)
    for (int i = 0; i < Lanes; ++i) {
      Group::load_along(from + std::min<std::ptrdiff_t>(i, count - 1) * s.across + first * Step, rows[i]);
      rows[i] ^= moves;
    }
    exchange_blocks<Lanes, Lanes / 2>(rows, std::make_index_sequence<Lanes>());
#pragma clang loop unroll(full)
    for (int i = 0; i < Lanes; ++i) std::memcpy(to + (first + i) * padded, &rows[i], sizeof rows[i]);
  }
  for (std::ptrdiff_t k = 0; k < groups && groups < Lanes; ++k) {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      to[k * padded + i] = Group::word(from + i * s.across + k * Step, 1, Step) ^ moves;
  }
}

/// All rows whose elements lie side by side along the depth.
template <int Step, int Lanes, class Byte>
[[gnu::always_inline]] inline void pack_along(const Source<Byte>& s, std::ptrdiff_t padded, std::uint32_t moves,
                                              std::uint32_t* target) {
  if constexpr (Lanes > 4) {
    if (s.depth / Step < Lanes) return pack_along<Step, Lanes / 2>(s, padded, moves, target);
  }
  std::ptrdiff_t done = 0;
  // What is too long after the last group fits the tail.
  if (Step == 4 && padded == s.width && s.width < Lanes && s.width >= Lanes / 2)
    return pack_rows<Step, Lanes>(s, 0, s.width, padded, moves, target);
  for (; done + Lanes <= s.width; done += Lanes) pack_rows<Step, Lanes>(s, done, Lanes, padded, moves, target);
  if constexpr (Lanes > 8) {
    for (; done + 8 <= s.width; done += 8) pack_rows<Step, 8>(s, done, 8, padded, moves, target);
  }
  for (; done + 4 <= s.width; done += 4) pack_rows<Step, 4>(s, done, 4, padded, moves, target);
  using Group = Groups<Byte, Step, 4>;
  for (; done < s.width; ++done) {
    const Byte* const from = s.from + done * s.across;
    for (std::ptrdiff_t k = 0; k < s.depth / Step; ++k)
      target[k * padded + done] = Group::word(from + k * Step, 1, Step) ^ moves;
  }
}

/// Packs in groups of `Step`. Words are changed where `moves` has bits: 0x80808080 moves bytes by 128. Vectors have `Lanes` words.
template <int Step, int Lanes, class Byte>
[[gnu::always_inline]] inline void pack_groups(const Source<Byte>& s, std::ptrdiff_t padded, std::uint32_t moves,
                                               std::uint32_t* target) {
  using Group = Groups<Byte, Step, 4>;
  constexpr std::ptrdiff_t run = 32;  // so short that what is read across it stays in the cache
  const std::ptrdiff_t groups = s.depth / Step, rest = s.depth % Step;
  std::ptrdiff_t done = 0;
  if (s.across == 1) {
    done = pack_beside<Step, Lanes>(s, done, padded, moves, target);
  } else if (s.along == 1) {
    pack_along<Step, Lanes>(s, padded, moves, target);
    done = s.width;
  }
  for (std::ptrdiff_t first = 0; first < groups; first += run) {
    const std::ptrdiff_t last = std::min(groups, first + run);
    for (std::ptrdiff_t i = done; i < s.width; ++i) {
      const Byte* const from = s.from + i * s.across;
      for (std::ptrdiff_t k = first; k < last; ++k)
        target[k * padded + i] = Group::word(from + k * Step * s.along, s.along, Step) ^ moves;
    }
  }
  if (rest > 0) {
    const std::uint32_t moves_rest = moves & ((std::uint32_t{1} << (32 / Step * rest)) - 1);
    for (std::ptrdiff_t i = 0; i < s.width; ++i)
      target[groups * padded + i] =
          Group::word(s.from + groups * Step * s.along + i * s.across, s.along, rest) ^ moves_rest;
  }
  for (std::ptrdiff_t k = 0; k < (s.depth + Step - 1) / Step && s.width < padded; ++k)
    std::fill_n(target + k * padded + s.width, padded - s.width, 0);
}

template <class Byte>
struct PairPacking {
  static void baseline(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                       std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    pack_groups<2, 4>(Source<Byte>{static_cast<const Byte*>(from), along, across, depth, width}, padded, 0,
                      static_cast<std::uint32_t*>(to));
  }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const void* from, std::ptrdiff_t along,
                                                             std::ptrdiff_t across, std::ptrdiff_t depth,
                                                             std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    pack_groups<2, 8>(Source<Byte>{static_cast<const Byte*>(from), along, across, depth, width}, padded, 0,
                      static_cast<std::uint32_t*>(to));
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth, std::ptrdiff_t width,
      std::ptrdiff_t padded, void* to) {
    pack_groups<2, 16>(Source<Byte>{static_cast<const Byte*>(from), along, across, depth, width}, padded, 0,
                       static_cast<std::uint32_t*>(to));
  }
};

constexpr std::uint32_t moved_by_128 = 0x80808080;

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void pack_quads(
    const Source<std::uint8_t>& source, std::ptrdiff_t padded, std::uint32_t moves, std::uint32_t* target) {
  pack_groups<4, 16>(source, padded, moves, target);
}

/// The sums of the unsigned bytes of each row.
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void add_rows(const std::uint32_t* groups,
                                                                                           std::ptrdiff_t count,
                                                                                           std::ptrdiff_t padded,
                                                                                           std::uint32_t* sums) {
  std::fill_n(sums, padded, 0);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    for (std::ptrdiff_t i = 0; i < padded; ++i) {
      const std::uint32_t word = groups[k * padded + i];
      const std::uint32_t halves = (word & 0x00ff00ff) + ((word >> 8) & 0x00ff00ff);
      sums[i] += (halves & 0xffff) + (halves >> 16);
    }
  }
}

/// The sums of the signed bytes of each column, which fill whole vectors.
[[gnu::target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void add_columns(
    const std::uint32_t* groups, std::ptrdiff_t count, std::ptrdiff_t padded, std::uint32_t* sums) {
  using Vector [[gnu::vector_size(64)]] = std::int32_t;
  const Vector ones = Vector{} + 0x01010101;
  for (std::ptrdiff_t i = 0; i < padded; i += 16) {
    Vector sum = {};
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      Vector bytes;
      std::memcpy(&bytes, groups + k * padded + i, sizeof bytes);
      sum = __builtin_ia32_vpdpbusd512(sum, ones, bytes);
    }
    std::memcpy(sums + i, &sum, sizeof sum);
  }
}

/// Packs 32 columns whose elements lie side by side, in whole groups, with the sums of their signed bytes behind them.
[[gnu::target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void pack_32_columns(
    const Source<std::uint8_t>& source, std::uint32_t moves, std::uint32_t* target) {
  using Signed [[gnu::vector_size(32)]] = std::int32_t;
  const Signed ones = Signed{} + 0x01010101;
  Signed sums[4] = {};
  for (std::ptrdiff_t k = 0; k < source.depth; k += 4) {
    Eight words[4];
    load_32_quads(source.from + k * source.along, source.along, moves, words);
    for (int i = 0; i < 4; ++i) {
      sums[i] = __builtin_ia32_vpdpbusd256(sums[i], ones, __builtin_bit_cast(Signed, words[i]));
      std::memcpy(target + 8 * i, &words[i], sizeof words[i]);
    }
    target += 32;
  }
  std::memcpy(target, sums, sizeof sums);
}

/// For factors of type A times those of type B.
template <class A, class B>
struct QuadPacking {
  static constexpr bool moves_a = std::is_signed_v<A>, moves_b = std::is_unsigned_v<B>;

  /// Behind each row 128 times its sum if b is moved.
  static void a(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    const std::ptrdiff_t groups = (depth + 3) / 4;
    auto* const target = static_cast<std::uint32_t*>(to);
    std::uint32_t* const tails = target + groups * padded;
    pack_quads({static_cast<const std::uint8_t*>(from), along, across, depth, width}, padded,
               moves_a ? moved_by_128 : 0, target);
    if (!moves_b) return static_cast<void>(std::fill_n(tails, padded, 0));
    add_rows(target, groups, padded, tails);
    for (std::ptrdiff_t i = 0; i < padded; ++i) tails[i] *= 128;
  }

  /// Behind each column -128 times the sum of b if a is moved.
  static void b(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
    const std::ptrdiff_t groups = (depth + 3) / 4;
    auto* const target = static_cast<std::uint32_t*>(to);
    std::uint32_t* const tails = target + groups * padded;
    const Source<std::uint8_t> source{static_cast<const std::uint8_t*>(from), along, across, depth, width};
    constexpr std::uint32_t moves = moves_b ? moved_by_128 : 0;
    if (across == 1 && width == 32 && depth % 4 == 0) {
      pack_32_columns(source, moves, target);
    } else {
      pack_quads(source, padded, moves, target);
      if (moves_a) add_columns(target, groups, padded, tails);
    }
    if (!moves_a) return static_cast<void>(std::fill_n(tails, padded, 0));
    const auto moved = static_cast<std::uint32_t>(moves_b ? depth : 0) * 128;
    for (std::ptrdiff_t i = 0; i < padded; ++i) tails[i] = (tails[i] + moved) * -std::uint32_t{128};
  }
};

template <class Byte>
PackStrip pair_packer_here() {
  switch (device::isa()) {
    case device::Isa::avx512: return PairPacking<Byte>::avx512;
    case device::Isa::avx2: return PairPacking<Byte>::avx2;
    case device::Isa::baseline: break;
  }
  return PairPacking<Byte>::baseline;
}

PackStrip pair_packer_of(DType type) {
  return type == DType::int8 ? pair_packer_here<std::int8_t>() : pair_packer_here<std::uint8_t>();
}

template <class A>
BytePackers quad_packers(DType b) {
  if (b == DType::int8) return {QuadPacking<A, std::int8_t>::a, QuadPacking<A, std::int8_t>::b};
  return {QuadPacking<A, std::uint8_t>::a, QuadPacking<A, std::uint8_t>::b};
}

}  // namespace

BytePackers byte_packers(DType a, DType b) {
  if (!has_byte_quads()) return {pair_packer_of(a), pair_packer_of(b)};
  return a == DType::int8 ? quad_packers<std::int8_t>(b) : quad_packers<std::uint8_t>(b);
}

}  // namespace tessera::plan
