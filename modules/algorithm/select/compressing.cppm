module;
#include <cstddef>
export module tessera.algorithm:compressing;
import tessera.standard;
import tessera.core;
import tessera.memory;

// Picking elements by a mask for element types that are known at run time.
namespace tessera::compressing {

/// The elements that a mask picks from contiguous memory: how many there are, and where those of each piece of the mask go.
class Selection {
 public:
  /// Both must live as long as this. Throws OutOfMemory.
  Selection(std::span<const bool> mask, const void* from, std::ptrdiff_t item_bytes);

  std::ptrdiff_t count() const { return count_; }

  /// Writes the elements in order, `step` elements apart.
  void write(void* to, std::ptrdiff_t step) const;

 private:
  std::span<const bool> mask_;
  const void* from_;
  std::ptrdiff_t item_bytes_;
  std::ptrdiff_t count_ = 0;
  memory::Allocation starts_;  // per piece, the number of elements before it
};

/// Throws ShapeError if mask and elements have not the same shape.
void require_mask_shape(std::span<const std::ptrdiff_t> mask, std::span<const std::ptrdiff_t> shape,
                        const std::source_location& where);

}  // namespace tessera::compressing
