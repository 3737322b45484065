module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
module tessera.expr;
import :items;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Packing a block whose elements are neighbours down its columns: small tiles are transposed in registers, so that memory is read
// and written 16 bytes at a time. The measurements stand in docs/decisions/transposed-strips.md.
namespace tessera::plan {

namespace {

template <class Item>
using Vector [[gnu::vector_size(16)]] = Item;

template <class Item>
inline constexpr std::ptrdiff_t lanes = 16 / static_cast<std::ptrdiff_t>(sizeof(Item));

/// Elements of a and b in turn, from the lower (Half = 0) or upper (Half = 1) half of both.
template <int Half, class Item, std::size_t... I>
Vector<Item> interleaved(Vector<Item> a, Vector<Item> b, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  return __builtin_shufflevector(a, b, ((I % 2) * n + Half * (n / 2) + I / 2)...);
}

/// Transposes a tile of lanes x lanes elements. Interleaving the first with the second half of the rows turns the bits of an
/// element's row and column number by one place; after log2(lanes) turns they have changed roles.
template <class Item>
[[gnu::always_inline]] inline void transpose_tile(Vector<Item> (&rows)[lanes<Item>]) {
  constexpr auto n = static_cast<std::size_t>(lanes<Item>);
  for (std::size_t turn = 1; turn < n; turn *= 2) {
    Vector<Item> turned[n];
    for (std::size_t k = 0; k < n / 2; ++k) {
      turned[2 * k] = interleaved<0, Item>(rows[k], rows[k + n / 2], std::make_index_sequence<n>{});
      turned[2 * k + 1] = interleaved<1, Item>(rows[k], rows[k + n / 2], std::make_index_sequence<n>{});
    }
    for (std::size_t k = 0; k < n; ++k) rows[k] = turned[k];
  }
}

/// to[r * pitch + c] = from[r + c * column_step] for a tile at `from`.
template <class Item>
[[gnu::always_inline]] inline void copy_tile(const Item* from, std::ptrdiff_t column_step, Item* to,
                                             std::ptrdiff_t pitch) {
  Vector<Item> tile[lanes<Item>];
  for (std::ptrdiff_t c = 0; c < lanes<Item>; ++c) std::memcpy(&tile[c], from + c * column_step, 16);
  transpose_tile<Item>(tile);
  for (std::ptrdiff_t r = 0; r < lanes<Item>; ++r) std::memcpy(to + r * pitch, &tile[r], 16);
}

template <class Item>
void copy_plainly(const Item* from, std::ptrdiff_t column_step, Item* to, std::ptrdiff_t pitch, std::ptrdiff_t rows,
                  std::ptrdiff_t columns) {
  for (std::ptrdiff_t c = 0; c < columns; ++c) {
    for (std::ptrdiff_t r = 0; r < rows; ++r) to[r * pitch + c] = from[r + c * column_step];
  }
}

template <class Item>
void transpose_items(const Item* from, std::ptrdiff_t column_step, Item* to, std::ptrdiff_t pitch, std::ptrdiff_t rows,
                     std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t n = lanes<Item>;
  if constexpr (n == 1) {
    copy_plainly(from, column_step, to, pitch, rows, columns);
  } else {
    if (rows < n || columns < n) return copy_plainly(from, column_step, to, pitch, rows, columns);
    for (std::ptrdiff_t column = 0; column < columns; column += n) {  // the last tiles overlap those before them
      const std::ptrdiff_t c = std::min(column, columns - n);
      for (std::ptrdiff_t row = 0; row < rows; row += n) {
        const std::ptrdiff_t r = std::min(row, rows - n);
        copy_tile(from + r + c * column_step, column_step, to + r * pitch + c, pitch);
      }
    }
  }
}

}  // namespace

template <class Item>
void transpose(const Item* from, Item* to, const Grid& grid) {
  if (grid.row_step > 0) return transpose_items(from, grid.column_step, to, grid.pitch, grid.rows, grid.columns);
  // Then the first row in memory is the last of the grid.
  transpose_items(from - (grid.rows - 1), grid.column_step, to + (grid.rows - 1) * grid.pitch, -grid.pitch, grid.rows,
                  grid.columns);
}

template void transpose(const std::uint8_t*, std::uint8_t*, const Grid&);
template void transpose(const std::uint16_t*, std::uint16_t*, const Grid&);
template void transpose(const std::uint32_t*, std::uint32_t*, const Grid&);
template void transpose(const std::uint64_t*, std::uint64_t*, const Grid&);
template void transpose(const Wide*, Wide*, const Grid&);

void pack_transposed(const Operand& operand, const Block& block, std::ptrdiff_t offset, std::byte* to) {
  const Grid grid{.rows = block.rows,
                  .columns = block.columns,
                  .row_step = row_stride(operand, block),
                  .column_step = column_stride(operand, block),
                  .pitch = block.columns};
  with_item(operand.item, [&]<class Item>(Item*) {
    transpose(reinterpret_cast<const Item*>(operand.data) + offset, reinterpret_cast<Item*>(to), grid);
  });
}

}  // namespace tessera::plan
