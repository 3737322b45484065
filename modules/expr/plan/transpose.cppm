module;
#include <cstddef>
export module tessera.expr:transpose;
import :blocks;
import :strided;

// Packing a block of an operand that lies in memory column by column.
namespace tessera::plan {

/// As pack(), for an operand whose elements are neighbours down the rows of the block (a row stride of 1 or -1).
void pack_transposed(const Operand& operand, const Block& block, std::ptrdiff_t offset, std::byte* to);

/// As packing(grid), for a grid whose row step is 1 or -1; `Item` as there.
template <class Item>
void transpose(const Item* from, Item* to, const Grid& grid);

}  // namespace tessera::plan
