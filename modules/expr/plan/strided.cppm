module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:strided;

// Copies between memory of any strides and packed rows, compiled for each instruction set: the loops that bring an operand of any
// layout to a kernel, and results to their places.
namespace tessera::plan {

/// An element of 16 bytes, which may lie at a multiple of 8.
struct Wide {
  std::uint64_t halves[2];
};

/// A grid of elements and, in elements, the steps from one to the next on either side.
struct Grid {
  std::ptrdiff_t rows, columns;
  std::ptrdiff_t row_step, column_step;  // in memory; may be negative or 0
  std::ptrdiff_t pitch;                  // from one packed row to the next, at least `columns`
};

/// to[r * pitch + c] = from[r * row_step + c * column_step] for elements of `Item`, an unsigned integer of their size or Wide.
template <class Item>
using PackGrid = void (*)(const Item* __restrict from, Item* __restrict to, const Grid& grid);

/// The fastest such loop for grids with these steps and this number of columns.
template <class Item>
PackGrid<Item> packing(const Grid& grid);

/// The reverse, to[r * row_step + c * column_step] = from[r * pitch + c].
template <class Item>
PackGrid<Item> unpacking(const Grid& grid);

}  // namespace tessera::plan
