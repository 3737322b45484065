module;
#include <cstddef>
export module tessera.expr:values;
import tessera.standard;
import tessera.core;
import :plan;
import :blocks;

// The values of an expression that is consumed where it is computed, block by block, instead of being written to an array.
namespace tessera::plan {

/// Bytes of a buffer for a packed block; the odd line keeps buffers off the same cache sets.
inline constexpr std::ptrdiff_t packing_stride = block_elements * 16 + 64;

/// Makes a block of a leaf the input of a kernel that writes elements of `written_item` bytes: where it lies, as one repeated
/// value, or packed into `buffer`.
void deliver(const Operand& leaf, const Block& block, std::ptrdiff_t offset, std::ptrdiff_t written_item,
             std::byte* buffer, Input& input);

/// Computes blocks of values from the operands of a Space.
class Values {
 public:
  /// Memory that an object for so many leaves needs.
  static std::ptrdiff_t bytes_for(std::size_t leaves);

  /// Without a kernel the values, of `item` bytes, are the elements of the only leaf. `memory` is 64-byte aligned and outlives this.
  Values(std::span<const Operand> leaves, Kernel kernel, const void* nodes, std::ptrdiff_t item, std::byte* memory);

  /// The values lie in memory already, one after the other along `axis`.
  bool lie_along(int axis) const {
    return kernel_ == nullptr && leaves_[0].data != nullptr && leaves_[0].strides[static_cast<std::size_t>(axis)] == 1;
  }

  /// The operands lie so along `axis`, or have one value for it.
  bool pack_nothing(int axis) const { return pack_nothing(leaves_, axis); }
  static bool pack_nothing(std::span<const Operand> leaves, int axis);

  /// The block's values without gaps: where they lie, or written to `to`, which has room for them. At most block_elements,
  /// unless they lie along the block's columns or nothing is packed. `offsets` are those of the block's first element, one for each leaf.
  const std::byte* block(const Block& block, const std::ptrdiff_t* offsets, std::byte* to) const;

 private:
  std::span<const Operand> leaves_;
  Kernel kernel_;
  const void* nodes_;
  std::ptrdiff_t item_;
  Input* delivered_;
  std::byte* packed_;
};

/// Cuts memory into pieces that each begin a cache line.
class Pieces {
 public:
  explicit Pieces(std::byte* memory) : next_(memory) {}
  static constexpr std::ptrdiff_t padded(std::ptrdiff_t bytes) { return (bytes + 63) / 64 * 64; }

  std::byte* take(std::ptrdiff_t bytes) {
    std::byte* piece = next_;
    next_ += padded(bytes);
    return piece;
  }

 private:
  std::byte* next_;
};

}  // namespace tessera::plan
