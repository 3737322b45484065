module;
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The loops are plain; constants let the compiler read wide and permute. Figures are in docs/decisions/patterns.md.
namespace tessera::plan {

namespace {

// Each way of packing has a template `copy` for items of any size.

/// Rows that lie in memory as they are packed.
struct LongRows {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r)
      std::memcpy(to + r * grid.pitch, from + r * grid.row_step, static_cast<std::size_t>(grid.columns) * sizeof(Item));
  }
};

/// The same for rows of just so many bytes.
template <std::ptrdiff_t Bytes>
struct RowsOf {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      std::byte row[Bytes];
      std::memcpy(row, from + r * grid.row_step, Bytes);
      std::memcpy(to + r * grid.pitch, row, Bytes);
    }
  }
};

/// The same for rows of `Piece` to twice as many bytes, each copied in two pieces that may overlap.
template <std::ptrdiff_t Piece>
struct ShortRows {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(Item));
    const auto* source = reinterpret_cast<const std::byte*>(from);
    auto* target = reinterpret_cast<std::byte*>(to);
    const std::ptrdiff_t second = grid.columns * item - Piece;
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      const std::byte* row = source + r * grid.row_step * item;
      std::byte pieces[2][Piece];
      std::memcpy(pieces[0], row, Piece);
      std::memcpy(pieces[1], row + second, Piece);
      std::byte* packed = target + r * grid.pitch * item;
      std::memcpy(packed, pieces[0], Piece);
      std::memcpy(packed + second, pieces[1], Piece);
    }
  }
};

/// The same for rows too short to be worth a call each: by lines, of which the last may overlap the one before. A line is copied in
/// two halves, or the compiler would make the call after all.
struct RowsByLines {
  static constexpr std::ptrdiff_t half = 32, line = 2 * half;

  [[gnu::always_inline]] static void copy_line(const std::byte* from, std::byte* to) {
    std::byte low[half];
    std::byte high[half];
    std::memcpy(low, from, half);
    std::memcpy(high, from + half, half);
    std::memcpy(to, low, half);
    std::memcpy(to + half, high, half);
  }

  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(Item));
    const std::ptrdiff_t last = grid.columns * item - line;
    const auto* row = reinterpret_cast<const std::byte*>(from);
    auto* packed = reinterpret_cast<std::byte*>(to);
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t at = 0; at < last; at += line) copy_line(row + at, packed + at);
      copy_line(row + last, packed + last);
      row += grid.row_step * item;
      packed += grid.pitch * item;
    }
  }
};

/// Every Step-th element, or backwards, or one element for a whole row. Backwards they are read in the order of memory, because the compiler
/// knows how to store backwards but not how to read every second element so.
template <std::ptrdiff_t Step>
struct Steps {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    const std::ptrdiff_t last = grid.columns - 1;
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      const Item* row = from + r * grid.row_step;
      Item* packed = to + r * grid.pitch;
      if constexpr (Step >= -1) {
        for (std::ptrdiff_t c = 0; c < grid.columns; ++c) packed[c] = row[c * Step];
      } else {
        const Item* lowest = row + last * Step;
        for (std::ptrdiff_t c = 0; c < grid.columns; ++c) packed[last - c] = lowest[c * -Step];
      }
    }
  }
};

struct AnySteps {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t c = 0; c < grid.columns; ++c)
        to[r * grid.pitch + c] = from[r * grid.row_step + c * grid.column_step];
    }
  }
};

/// Few rows that are nearer to each other in memory than columns are; 0 stands for any number of rows.
template <std::ptrdiff_t Rows>
struct ByColumns {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    const std::ptrdiff_t rows = Rows == 0 ? grid.rows : Rows;
    for (std::ptrdiff_t c = 0; c < grid.columns; ++c) {
      for (std::ptrdiff_t r = 0; r < rows; ++r) to[r * grid.pitch + c] = from[r * grid.row_step + c * grid.column_step];
    }
  }
};

/// `Columns` columns without gaps, whose rows are neighbours in memory: planes become pixels, and with one plane for all columns each value
/// is repeated; rows may be neighbours backwards.
template <std::ptrdiff_t Columns, bool Repeats, bool Backwards = false>
struct Interleaved {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    const std::ptrdiff_t step = Repeats ? 0 : grid.column_step;
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t c = 0; c < Columns; ++c) to[r * Columns + c] = from[(Backwards ? -r : r) + c * step];
    }
  }
};

/// The reverse: pixels of `Rows` channels become planes.
template <std::ptrdiff_t Rows>
struct Deinterleaved {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t c = 0; c < grid.columns; ++c) {
      for (std::ptrdiff_t r = 0; r < Rows; ++r) to[r * grid.pitch + c] = from[r + c * Rows];
    }
  }
};

/// Pixels whose channels are read backwards.
template <std::ptrdiff_t Columns>
struct Mirrored {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    const Item* lowest = from - (Columns - 1);
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t c = 0; c < Columns; ++c) to[r * Columns + c] = lowest[r * Columns + (Columns - 1 - c)];
    }
  }
};

/// Few columns, rows anywhere; a step of 0 stands for any.
template <std::ptrdiff_t Columns, std::ptrdiff_t Step>
struct FewColumns {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t c = 0; c < Columns; ++c)
        to[r * grid.pitch + c] = from[r * grid.row_step + c * (Step == 0 ? grid.column_step : Step)];
    }
  }
};

struct Scattered {
  template <class Item>
  [[gnu::always_inline]] static void copy(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    for (std::ptrdiff_t r = 0; r < grid.rows; ++r) {
      for (std::ptrdiff_t c = 0; c < grid.columns; ++c)
        to[r * grid.row_step + c * grid.column_step] = from[r * grid.pitch + c];
    }
  }
};

// Vectors of 256 bits: loads and stores bound these loops. clang 19 cannot be told so.
#if __clang_major__ >= 22
#define TESSERA_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,prefer-256-bit"
#else
#define TESSERA_AVX512 "avx512f,avx512bw,avx512dq,avx512vl"
#endif

/// A way for items of one size, compiled for each instruction set.
template <class Item, class Way>
struct Compiled {
  static void baseline(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    Way::copy(from, to, grid);
  }
  [[gnu::target("avx2")]] static void avx2(const Item* __restrict from, Item* __restrict to, const Grid& grid) {
    Way::copy(from, to, grid);
  }
  [[gnu::target(TESSERA_AVX512)]] static void avx512(const Item* __restrict from, Item* __restrict to,
                                                     const Grid& grid) {
    Way::copy(from, to, grid);
  }

  static PackGrid<Item> chosen() {
    static constexpr PackGrid<Item> table[] = {baseline, avx2, avx512};
    return table[static_cast<int>(device::isa())];
  }
};

#undef TESSERA_AVX512

constexpr std::ptrdiff_t most_few_columns = 8;

/// Calls function(std::integral_constant) with `number`, 2 <= number <= most_few_columns.
template <class Function>
auto with_few(std::ptrdiff_t number, const Function& function) {
  switch (number) {
    case 2: return function(std::integral_constant<std::ptrdiff_t, 2>{});
    case 3: return function(std::integral_constant<std::ptrdiff_t, 3>{});
    case 4: return function(std::integral_constant<std::ptrdiff_t, 4>{});
    case 5: return function(std::integral_constant<std::ptrdiff_t, 5>{});
    case 6: return function(std::integral_constant<std::ptrdiff_t, 6>{});
    case 7: return function(std::integral_constant<std::ptrdiff_t, 7>{});
    default: return function(std::integral_constant<std::ptrdiff_t, 8>{});
  }
}

template <class Item>
PackGrid<Item> rows_of(std::ptrdiff_t columns) {
  const std::ptrdiff_t bytes = columns * static_cast<std::ptrdiff_t>(sizeof(Item));
  if (bytes > 1024 || bytes < 2) return Compiled<Item, LongRows>::chosen();
  if (bytes > 64) return Compiled<Item, RowsByLines>::chosen();
  if (bytes == 4) return Compiled<Item, RowsOf<4>>::chosen();
  if (bytes == 8) return Compiled<Item, RowsOf<8>>::chosen();
  if (bytes == 16) return Compiled<Item, RowsOf<16>>::chosen();
  if (bytes == 32) return Compiled<Item, RowsOf<32>>::chosen();
  if (bytes >= 32) return Compiled<Item, ShortRows<32>>::chosen();
  if (bytes >= 16) return Compiled<Item, ShortRows<16>>::chosen();
  if (bytes >= 8) return Compiled<Item, ShortRows<8>>::chosen();
  if (bytes >= 4) return Compiled<Item, ShortRows<4>>::chosen();
  return Compiled<Item, ShortRows<2>>::chosen();
}

}  // namespace

template <class Item>
PackGrid<Item> packing(const Grid& grid) {
  const std::ptrdiff_t step = grid.column_step;
  const bool few = grid.columns >= 2 && grid.columns <= most_few_columns && grid.rows > grid.columns;
  if (few && (grid.row_step == 1 || grid.row_step == -1) && grid.pitch == grid.columns) {
    return with_few(grid.columns, [&](auto columns) {
      if (grid.row_step < 0 && step != 0) return Compiled<Item, Interleaved<columns(), false, true>>::chosen();
      if (grid.row_step < 0) return Compiled<Item, FewColumns<columns(), 0>>::chosen();
      return step == 0 ? Compiled<Item, Interleaved<columns(), true>>::chosen()
                       : Compiled<Item, Interleaved<columns(), false>>::chosen();
    });
  }
  if (step == 1) return rows_of<Item>(grid.columns);
  if (grid.row_step == 1 && grid.rows == step && step <= most_few_columns && grid.columns > most_few_columns)
    return with_few(step, [](auto rows) { return Compiled<Item, Deinterleaved<rows()>>::chosen(); });
  if (few) {
    const bool is_dense = grid.row_step == grid.columns && grid.pitch == grid.columns;
    return with_few(grid.columns, [&](auto columns) {
      if (step == -1 && is_dense) return Compiled<Item, Mirrored<columns()>>::chosen();
      return step == -1 ? Compiled<Item, FewColumns<columns(), -1>>::chosen()
                        : Compiled<Item, FewColumns<columns(), 0>>::chosen();
    });
  }
  switch (step) {
    case 0: return Compiled<Item, Steps<0>>::chosen();
    case -1: return Compiled<Item, Steps<-1>>::chosen();
    case 2: return Compiled<Item, Steps<2>>::chosen();
    case -2: return Compiled<Item, Steps<-2>>::chosen();
    case 3: return Compiled<Item, Steps<3>>::chosen();
    case -3: return Compiled<Item, Steps<-3>>::chosen();
    case 4: return Compiled<Item, Steps<4>>::chosen();
    case -4: return Compiled<Item, Steps<-4>>::chosen();
    default: break;
  }
  if (grid.rows > 1 && std::abs(grid.row_step) < std::abs(step)) {
    if (grid.rows > most_few_columns) return Compiled<Item, ByColumns<0>>::chosen();
    return with_few(grid.rows, [](auto rows) { return Compiled<Item, ByColumns<rows()>>::chosen(); });
  }
  return Compiled<Item, AnySteps>::chosen();
}

template <class Item>
PackGrid<Item> unpacking(const Grid& grid) {
  if (grid.column_step != 1) return Compiled<Item, Scattered>::chosen();
  return [](const Item* __restrict from, Item* __restrict to, const Grid& packed) {
    const Grid reverse{.rows = packed.rows,
                       .columns = packed.columns,
                       .row_step = packed.pitch,
                       .column_step = 1,
                       .pitch = packed.row_step};
    rows_of<Item>(packed.columns)(from, to, reverse);
  };
}

template PackGrid<std::uint8_t> packing(const Grid&);
template PackGrid<std::uint16_t> packing(const Grid&);
template PackGrid<std::uint32_t> packing(const Grid&);
template PackGrid<std::uint64_t> packing(const Grid&);
template PackGrid<Wide> packing(const Grid&);
template PackGrid<std::uint8_t> unpacking(const Grid&);
template PackGrid<std::uint16_t> unpacking(const Grid&);
template PackGrid<std::uint32_t> unpacking(const Grid&);
template PackGrid<std::uint64_t> unpacking(const Grid&);
template PackGrid<Wide> unpacking(const Grid&);

}  // namespace tessera::plan
