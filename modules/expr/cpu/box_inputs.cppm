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

 private:
  enum class Way : std::uint8_t { direct, repeated, packed };

  /// How a leaf is delivered, and what its buffer holds.
  struct Leaf {
    Way way;
    std::ptrdiff_t offset;
    std::ptrdiff_t elements;  // 0 while the buffer holds nothing
  };

  std::byte* buffer(std::size_t k) const;

  std::span<const Operand> leaves_;
  std::ptrdiff_t largest_;
  std::ptrdiff_t written_item_;
  Input* inputs_;
  Leaf* held_;
  std::byte* buffers_;
};

}  // namespace tessera::plan
