module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:positions;
import tessera.standard;
import tessera.core;
import tessera.array;
import :plan;
import :temporary;
import :gathering;

// From index arrays and masks to where in memory the elements are that they pick.
namespace tessera::plan {

/// Where a contiguous mask is true: linear positions, in ascending order.
export class TruePositions {
 public:
  /// The mask must live as long as this. Throws std::bad_alloc.
  TruePositions(const bool* mask, std::ptrdiff_t elements);

  std::ptrdiff_t count() const { return starts_.back(); }

  /// Writes `count()` positions.
  void write(std::int64_t* to) const;

 private:
  const bool* mask_;
  std::ptrdiff_t elements_;
  std::vector<std::ptrdiff_t> starts_;  // of each block, and the end
};

/// The same positions in memory.
class MaskPositions {
 public:
  /// Throws OutOfMemory.
  MaskPositions(const bool* mask, std::ptrdiff_t elements);

  std::ptrdiff_t count() const { return count_; }
  const std::int64_t* data() const { return memory_ ? static_cast<const std::int64_t*>(memory_->data()) : nullptr; }

 private:
  std::ptrdiff_t count_;
  std::optional<Temporary> memory_;  // none for none
};

/// Indices of any shape in memory of the host, of the types of an IndexList, and the axes from which they pick: one, or those of a mask, of which each index is a
/// linear position.
struct Picker {
  const void* data = nullptr;
  DType type = DType::int64;
  int rank = 0;             // of the indices
  Axes shape{}, strides{};  // of the indices
  int axes = 1;             // from which they pick
  Axes extents{}, steps{};  // of these: steps in elements
  int axis = 0;             // the first of these, in messages
};

/// Throws IndexError for the first index outside its axis.
void check_picker(const Picker& picker);

/// Writes the distance, in elements, of each element that the pickers together name, whose indices broadcast to `shape`, in row-major order. The indices have
/// been checked.
void write_offsets(std::int64_t* to, std::span<const std::ptrdiff_t> shape, std::span<const Picker> pickers);

}  // namespace tessera::plan
