module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
module tessera.expr;
import :tile_packing;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Rows are copied or transposed; words are put together by one permutation of 64 bytes, or are there already and are transposed.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t line = 64;   // bytes of a row of a tile
constexpr std::ptrdiff_t words = 16;  // in it

template <std::size_t Size>
struct BytesOf {
  using Type [[gnu::vector_size(Size)]] = std::uint8_t;
};
template <std::size_t Size>
using Bytes = typename BytesOf<Size>::Type;

template <class Item>
inline constexpr std::ptrdiff_t in_word = 4 / static_cast<std::ptrdiff_t>(sizeof(Item));

/// A block of a factor, as PackStrip has it.
template <class Item>
struct Block {
  const Item* from;
  std::ptrdiff_t along, across, depth, width;
};

template <class Item>
std::ptrdiff_t padded_depth(std::ptrdiff_t depth) {
  constexpr std::ptrdiff_t step = line / static_cast<std::ptrdiff_t>(sizeof(Item));
  return (depth + step - 1) / step * step;
}

template <std::size_t... I>
[[gnu::always_inline]] inline void join(const Bytes<sizeof...(I) / 2>& first, const Bytes<sizeof...(I) / 2>& second,
                                        Bytes<sizeof...(I)>& both, std::index_sequence<I...>) {
  both = __builtin_shufflevector(first, second, static_cast<int>(I)...);
}

/// Where the bytes of 16 words come from in rows of 16 elements that lie one after the other.
template <class Item>
struct WordOrder {
  alignas(64) std::uint8_t byte[64];
  constexpr WordOrder() : byte{} {
    constexpr std::size_t item = sizeof(Item);
    for (std::size_t i = 0; i < 64; ++i)
      byte[i] = static_cast<std::uint8_t>(i % 4 / item * 16 * item + i / 4 * item + i % item);
  }
};
template <class Item>
constexpr WordOrder<Item> word_order{};

/// The words of 16 columns that lie side by side, from the rows of a group.
template <class Item>
[[gnu::target("avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] inline void store_words(
    const Item* from, std::ptrdiff_t along, const Bytes<64>& order, std::uint32_t* to) {
  Bytes<64> all;
  if constexpr (sizeof(Item) == 2) {
    Bytes<32> rows[2];
    for (int i = 0; i < 2; ++i) std::memcpy(&rows[i], from + i * along, sizeof rows[i]);
    join(rows[0], rows[1], all, std::make_index_sequence<64>());
  } else {
    Bytes<16> rows[4];
    for (int i = 0; i < 4; ++i) std::memcpy(&rows[i], from + i * along, sizeof rows[i]);
    Bytes<32> upper, lower;
    join(rows[0], rows[1], upper, std::make_index_sequence<32>());
    join(rows[2], rows[3], lower, std::make_index_sequence<32>());
    join(upper, lower, all, std::make_index_sequence<64>());
  }
  using Chars [[gnu::vector_size(64)]] = char;
  const auto permuted = __builtin_ia32_permvarqi512(__builtin_bit_cast(Chars, all), __builtin_bit_cast(Chars, order));
  std::memcpy(to, &permuted, sizeof permuted);
}

/// b of columns that lie side by side, row after row: strips of `padded` columns follow each other `strip` words apart.
template <class Item>
[[gnu::target("avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void pack_columns_beside(
    const Block<Item>& s, std::ptrdiff_t padded, std::ptrdiff_t strip, std::uint32_t* to) {
  constexpr std::ptrdiff_t group = in_word<Item>, ahead = 8;  // groups
  Bytes<64> order;
  std::memcpy(&order, word_order<Item>.byte, sizeof order);
  asm("" : "+v"(order));  // or the compiler makes several instructions of the permutation, none of which reads memory
  const std::ptrdiff_t whole = s.width / words * words;
  for (std::ptrdiff_t k = 0; k < s.depth; k += group, to += padded) {
    const Item* const from = s.from + k * s.along;
    const std::ptrdiff_t rows = std::min(group, s.depth - k);
    for (std::ptrdiff_t j = 0; j < whole && rows == group; j += words) {
      const Item* const later = from + ahead * group * s.along + j;
      for (std::ptrdiff_t i = 0; i < group; ++i) __builtin_prefetch(later + i * s.along);
      store_words(from + j, s.along, order, to + j / padded * strip + j % padded);
    }
    for (std::ptrdiff_t j = rows == group ? whole : 0; j < s.width; j += words) {
      alignas(64) Item few[group * words] = {};
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        std::copy_n(from + i * s.along + j, std::min(words, s.width - j), few + i * words);
      store_words(few, words, order, to + j / padded * strip + j % padded);
    }
  }
}

/// b of columns whose elements lie one after the other: words are what lies there.
template <class Item>
[[gnu::target("avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] void pack_columns_along(
    const Block<Item>& s, std::ptrdiff_t padded, std::uint32_t* to) {
  using Vector [[gnu::vector_size(64)]] = std::uint32_t;
  const auto* const from = reinterpret_cast<const std::byte*>(s.from);
  const std::ptrdiff_t across = s.across * static_cast<std::ptrdiff_t>(sizeof(Item));
  const std::ptrdiff_t bytes = s.depth * static_cast<std::ptrdiff_t>(sizeof(Item));
  for (std::ptrdiff_t k = 0; k < bytes; k += line) {
    const auto count = static_cast<std::size_t>(std::min(line, bytes - k));
    for (std::ptrdiff_t j = 0; j < padded; j += words) {
      Vector columns[words] = {};
      for (std::ptrdiff_t i = 0; i < words; ++i) {
        const std::byte* const column = from + std::min(j + i, s.width - 1) * across + k;
        count == line ? std::memcpy(&columns[i], column, line) : std::memcpy(&columns[i], column, count);
      }
      exchange_blocks<words, words / 2>(columns, std::make_index_sequence<words>());
      for (std::ptrdiff_t i = 0; i < words; ++i)
        std::memcpy(to + (k / 4 + i) * padded + j, &columns[i], sizeof(Vector));
    }
  }
}

/// b of any strides.
template <class Item>
void pack_columns_apart(const Block<Item>& s, std::ptrdiff_t padded, std::uint32_t* to) {
  constexpr std::ptrdiff_t group = in_word<Item>;
  for (std::ptrdiff_t k = 0; k < s.depth; k += group, to += padded) {
    const std::ptrdiff_t count = std::min(group, s.depth - k);
    for (std::ptrdiff_t j = 0; j < s.width; ++j) {
      Item word[group] = {};
      for (std::ptrdiff_t i = 0; i < count; ++i) word[i] = s.from[(k + i) * s.along + j * s.across];
      std::memcpy(to + j, word, sizeof word);
    }
    std::fill(to + s.width, to + padded, 0);
  }
}

template <class Item>
void pack_columns(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                  std::ptrdiff_t width, std::ptrdiff_t padded, void* to) {
  const Block<Item> source{static_cast<const Item*>(from), along, across, depth, width};
  auto* const target = static_cast<std::uint32_t*>(to);
  constexpr std::ptrdiff_t group = in_word<Item>;
  const std::ptrdiff_t filled = (depth + group - 1) / group * padded,
                       strip = padded_depth<Item>(depth) / group * padded;
  const bool lies_along = along == 1 && (across != 1 || depth > 1);
  if (!lies_along && across == 1) pack_columns_beside(source, padded, strip, target);
  for (std::ptrdiff_t j = 0; j < width; j += padded) {
    const Block<Item> columns{source.from + j * across, along, across, depth, std::min(padded, width - j)};
    std::uint32_t* const words_of_strip = target + j / padded * strip;
    if (lies_along) {
      pack_columns_along(columns, padded, words_of_strip);
    } else if (across != 1) {
      pack_columns_apart(columns, padded, words_of_strip);
    }
    std::fill(words_of_strip + filled, words_of_strip + strip, 0);
  }
}

/// Blocks of a that lie in columns, 16 elements of 16 rows each. Returns how many rows are done.
template <class Item>
[[gnu::target("avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] std::ptrdiff_t pack_rows_beside(
    const Block<Item>& s, std::ptrdiff_t row, Item* to) {
  using Vector [[gnu::vector_size(16 * sizeof(Item))]] = Item;
  constexpr std::ptrdiff_t lanes = 16;
  if (s.width < lanes || s.depth < lanes) return 0;
  for (std::ptrdiff_t i = 0; i < s.width; i += lanes) {
    const std::ptrdiff_t first = std::min(i, s.width - lanes);  // the last block has some of the rows before it
    for (std::ptrdiff_t k = 0; k < s.depth; k += lanes) {
      const std::ptrdiff_t from = std::min(k, s.depth - lanes);
      Vector columns[lanes];
      for (std::ptrdiff_t j = 0; j < lanes; ++j)
        std::memcpy(&columns[j], s.from + (from + j) * s.along + first, sizeof(Vector));
      exchange_blocks<lanes, lanes / 2>(columns, std::make_index_sequence<lanes>());
      for (std::ptrdiff_t j = 0; j < lanes; ++j)
        std::memcpy(to + (first + j) * row + from, &columns[j], sizeof(Vector));
    }
  }
  return s.width;
}

template <class Item>
void pack_rows(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
               std::ptrdiff_t width, std::ptrdiff_t, void* to) {
  const Block<Item> s{static_cast<const Item*>(from), along, across, depth, width};
  auto* const target = static_cast<Item*>(to);
  const std::ptrdiff_t row = padded_depth<Item>(depth);
  const std::ptrdiff_t done = across == 1 && along != 1 ? pack_rows_beside(s, row, target) : 0;
  for (std::ptrdiff_t i = 0; i < width; ++i) {
    Item* const elements = target + i * row;
    const Item* const source = s.from + i * across;
    if (i >= done && along == 1) {
      std::copy_n(source, depth, elements);
    } else if (i >= done) {
      for (std::ptrdiff_t k = 0; k < depth; ++k) elements[k] = source[k * along];
    }
    std::fill(elements + depth, elements + row, Item(0));
  }
}

}  // namespace

TilePackers tile_packers(DType a, DType b) {
  if (a == DType::bfloat16 && b == DType::bfloat16) return {pack_rows<std::uint16_t>, pack_columns<std::uint16_t>};
  return {pack_rows<std::uint8_t>, pack_columns<std::uint8_t>};
}

}  // namespace tessera::plan
