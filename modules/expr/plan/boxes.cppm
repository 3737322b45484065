module;
#include <cstddef>
export module tessera.expr:boxes;
import tessera.standard;
import :plan;
import :blocks;

// Boxes: parts of an evaluation along any number of its axes. They take in several short axes at once, and enough of each axis along
// which some operand's elements are neighbours to use its cache lines whole.
namespace tessera::plan {

/// How many elements along each axis of a space, the slowest first. Packed, they stand in this order without gaps.
struct Box {
  int rank;
  Axes extents;

  std::ptrdiff_t elements() const;
};

/// Memory for a packed box of any operand.
inline constexpr std::ptrdiff_t box_bytes = 8192;

/// Elements of a box of a space whose operands, and computed values, have up to so many bytes each.
constexpr std::ptrdiff_t most_box_elements(std::ptrdiff_t item) {
  const std::ptrdiff_t elements = box_bytes / item;
  return elements < 4096 ? elements : 4096;
}

/// The axis along which the operand's elements are nearest to each other; -1 if it has one value or is generated.
int nearest_axis(const Operand& operand, int rank, const Axes& extents);

/// Extends a box to a cache line of each operand along its nearest axis, or as far as `most` elements in all permit. Operands that repeat along
/// the fastest axis are small beside the others and do not count.
void cover_lines(const Space& space, std::ptrdiff_t most, Axes& steps);

/// Extends a box along the axes in `order`, one after the other, as far as `most` elements in all permit.
void grow(const Space& space, std::span<const int> order, std::ptrdiff_t most, Axes& steps);

/// Elements of memory between neighbours along the axes [first, last) of a box, taken together; none where these are not always the same. 0 where
/// there is one position only.
std::optional<std::ptrdiff_t> step_along(const Operand& operand, const Box& box, int first, int last);

/// As of blocks: the operand's elements of the box lie as they would be packed, or are all the same one.
bool is_direct(const Operand& operand, const Box& box);
bool is_repeated(const Operand& operand, const Box& box);

/// Copies the box that starts `offset` elements into the operand to `to`.
void pack(const Operand& operand, const Box& box, std::ptrdiff_t offset, std::byte* to);

/// The reverse: writes packed elements to where they belong.
void unpack(const Operand& operand, const Box& box, std::ptrdiff_t offset, const std::byte* from);

}  // namespace tessera::plan
