module;
#include <cstddef>
export module tessera.expr:row_inputs;
import tessera.standard;
import :plan;
import :blocks;

// How each leaf of some rows gets to the loop that folds their values as it computes them.
namespace tessera::plan {

/// Prepares blocks row by row: elements of a leaf are read where they lie if they are neighbours along the columns, one value for a row is repeated
/// for a step of the loop, and all else is packed.
class RowInputs {
 public:
  /// Rows of a block, at most.
  static constexpr std::ptrdiff_t most_rows = 64;

  /// Memory that an object for a reduction needs: none where no loop folds its values as it computes them.
  static std::ptrdiff_t bytes_for(const Reduction& reduction);

  /// The loops' values have `computed_item` bytes, and their vectors `lanes` of them. `memory` is 64-byte aligned and outlives this.
  RowInputs(std::span<const Operand> leaves, std::ptrdiff_t computed_item, std::ptrdiff_t lanes, std::byte* memory);

  /// The rows of a block. At most block_elements unless none of them is packed. `offsets` are those of the block's first element, one for each leaf.
  InputRows read(const Block& block, const std::ptrdiff_t* offsets);

  /// The rows of `columns` elements that lie one after the other in a box, from row number `first` on: `inputs` are the box's.
  InputRows of_box(const Input* inputs, std::ptrdiff_t first, std::ptrdiff_t columns);

 private:
  void read_leaf(std::size_t k, const Block& block, std::ptrdiff_t offset);

  std::span<const Operand> leaves_;
  std::ptrdiff_t computed_item_;
  std::ptrdiff_t lanes_;
  std::ptrdiff_t buffer_bytes_;
  Input* inputs_;  // of the first row
  std::ptrdiff_t* pitches_;
  std::byte* buffers_;
};

}  // namespace tessera::plan
