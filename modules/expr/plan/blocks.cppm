module;
#include <cstddef>
#include <cstdlib>
export module tessera.expr:blocks;
import tessera.standard;
import tessera.core;
import tessera.memory;
import :plan;

// Blocks: small two-dimensional parts of an evaluation whose operands are delivered as contiguous memory, either where
// they lie or packed into a buffer that stays in the L1 cache.
namespace tessera::plan {

/// The axes of an evaluation after simplification, slowest first. `operands` holds the target first, then the leaves.
struct Space {
  int rank = 0;
  Axes extents{};
  std::span<Operand> operands;  // in an OperandStorage

  /// Adds the next operand.
  void add(const Operand& operand);

  /// Moves every operand along `axis` by `count` elements.
  void advance(int axis, std::ptrdiff_t count);

  /// Moves offsets, one for each operand in its elements, along `axis` by `count` elements.
  inline void move(std::ptrdiff_t* offsets, int axis, std::ptrdiff_t count) const {
    for (std::size_t k = 0; k < operands.size(); ++k)
      offsets[k] += operands[k].strides[static_cast<std::size_t>(axis)] * count;
  }

  /// Sets offsets to where a unit begins: units are counted along the first `kept` axes, and each takes `step` elements of the
  /// last of them, or what is left of it. Returns how many that are.
  std::ptrdiff_t place(std::ptrdiff_t* offsets, int kept, std::ptrdiff_t step, std::ptrdiff_t unit) const;

  /// Moves offsets to element number `index` of the axes from `first` on. Returns how many, with it, are left on the last axis.
  std::ptrdiff_t seek(std::ptrdiff_t* offsets, int first, std::ptrdiff_t index) const;

  /// Merges each axis in [first, last) with the next one where all operands continue from one to the other.
  void merge_axes(int first, int& last);

  void remove_axis(int axis);
  void swap_axes(int a, int b);
};

/// One T for each operand of an evaluation, on the stack for the usual few; plain values are not initialised.
template <class T>
class PerOperand {
 public:
  explicit PerOperand(std::size_t count) : many_(count > few ? count : 0) {}
  PerOperand(const PerOperand&) = delete;
  PerOperand& operator=(const PerOperand&) = delete;

  T* data() { return many_.empty() ? few_ : many_.data(); }

  /// None of them yet, with room for all.
  std::span<T> empty() { return {data(), 0}; }

 private:
  static constexpr std::size_t few = 8;
  T few_[few];
  std::vector<T> many_;
};

/// Room for the operands of one evaluation.
using OperandStorage = PerOperand<Operand>;

/// One block: `rows` x `columns` elements, where a step down moves by each operand's row stride.
struct Block {
  std::ptrdiff_t rows, columns;
  int row_axis;  // -1 when there is one row
  int column_axis;
};

/// Stride of an operand from one row of a block to the next.
inline std::ptrdiff_t row_stride(const Operand& operand, const Block& block) {
  return block.row_axis < 0 ? 0 : operand.strides[static_cast<std::size_t>(block.row_axis)];
}
inline std::ptrdiff_t column_stride(const Operand& operand, const Block& block) {
  return operand.strides[static_cast<std::size_t>(block.column_axis)];
}

/// The operand's elements of this block lie one after the other in memory.
inline bool is_direct(const Operand& operand, const Block& block) {
  if (operand.data == nullptr) return false;
  const bool columns_join = column_stride(operand, block) == 1 || block.columns == 1;
  return columns_join && (block.rows == 1 || row_stride(operand, block) == block.columns);
}

/// The operand's elements are neighbours down the rows of the block and not along them.
inline bool is_transposed(const Operand& operand, const Block& block) {
  return operand.data != nullptr && std::abs(row_stride(operand, block)) == 1 &&
         std::abs(column_stride(operand, block)) > 1;
}

/// The operand has one value for the whole block.
inline bool is_repeated(const Operand& operand, const Block& block) {
  if (operand.data == nullptr || (column_stride(operand, block) != 0 && block.columns > 1)) return false;
  return block.rows == 1 || row_stride(operand, block) == 0;
}

/// Of an operand's values, the one at `offset` and those that follow it `step` elements apart: each copied to `to` as often as a
/// kernel that writes elements of `written_item` bytes needs it.
void repeat(const Operand& operand, std::ptrdiff_t offset, std::ptrdiff_t step, std::ptrdiff_t values,
            std::ptrdiff_t written_item, std::byte* to);

/// Copies the block that starts `offset` elements into the operand to `to`, row by row, without gaps.
void pack(const Operand& operand, const Block& block, std::ptrdiff_t offset, std::byte* to);

/// The reverse: writes packed elements to where they belong.
void unpack(const Operand& operand, const Block& block, std::ptrdiff_t offset, const std::byte* from);

/// Memory of the calling thread for packed blocks, at least `bytes` large, 64-byte aligned. Valid until the next call on
/// this thread. Throws std::bad_alloc.
std::byte* scratch(std::ptrdiff_t bytes);

}  // namespace tessera::plan
