module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:box_inputs;
import tessera.standard;
import :plan;
import :blocks;
import :boxes;

// Bringing the operands of a box to a kernel.
namespace tessera::plan {

/// The axes of a box as those of rows that are computed one after the other: sets of rows, rows and the elements of a row, the last axes.
struct RowAxes {
  struct Range {
    int first, last;

    /// Positions along them.
    std::ptrdiff_t count(const Box& box) const {
      std::ptrdiff_t positions = 1;
      for (int axis = first; axis < last; ++axis) positions *= box.extents[static_cast<std::size_t>(axis)];
      return positions;
    }
  };
  Range sets, rows, columns;
};

/// What a loop over sets of rows reads of a box.
struct BoxRows {
  InputRows inputs;
  RowSets sets;
};

/// The inputs of a kernel for one box after the other. What lies in memory as the kernel reads it is read there; one value for a whole box is
/// given as copies; anything else is packed, unless the box before it had the same elements.
class BoxInputs {
 public:
  /// Memory that an object for so many leaves needs.
  static std::ptrdiff_t bytes_for(std::size_t leaves);

  /// For boxes of which `largest` is the largest. The kernel writes elements of `written_item` bytes; 0 means that there is none and that
  /// one value for a box is to be packed too. `memory` is 64-byte aligned and outlives this.
  BoxInputs(std::span<const Operand> leaves, const Box& largest, std::ptrdiff_t written_item, std::byte* memory);

  /// The leaves' elements of a box, one input for each of them. `offsets` are those of the box's first element.
  const Input* read(const Box& box, const std::ptrdiff_t* offsets);

  /// The same for a loop over rows, which reads those that lie in memory where they are; none where no leaf's do but as whole boxes.
  std::optional<BoxRows> read_rows(const Box& box, const std::ptrdiff_t* offsets, const RowAxes& axes);

  /// Some leaf has such rows in a box.
  bool has_rows(const Box& box, const RowAxes& axes) const;

 private:
  enum class Way : std::uint8_t { direct, repeated, packed };

  /// How a leaf is delivered, and what its buffer holds.
  struct Leaf {
    Way way;
    std::size_t same;  // the first leaf with the same elements
    std::ptrdiff_t offset;
    std::ptrdiff_t elements;  // 0 while the buffer holds nothing
  };

  /// How rows lie: elements from one to the next in its set, from set to set, and between neighbours in a row, 1 or 0.
  struct RowSteps {
    std::ptrdiff_t row, set, along;
  };

  std::optional<RowSteps> rows_of(std::size_t k, const Box& box, const RowAxes& axes) const;
  std::byte* buffer(std::size_t k) const;
  std::ptrdiff_t copies_bytes(const Operand& leaf) const;
  void repeat_rows(std::size_t k, std::ptrdiff_t offset, const RowSteps& steps, RowSets sets);
  void deliver(std::size_t k, const Box& box, std::ptrdiff_t offset);

  std::span<const Operand> leaves_;
  std::ptrdiff_t largest_;
  std::ptrdiff_t written_item_;
  Input* inputs_;
  Leaf* held_;
  std::ptrdiff_t* row_pitches_;
  std::ptrdiff_t* set_pitches_;
  std::byte* buffers_;
};

}  // namespace tessera::plan
