module;
#include <cstddef>
export module tessera.expr:walk;
import tessera.standard;
import tessera.core;
import :plan;
import :blocks;

// How an elementwise evaluation is cut into blocks, and the walk from one to the next.
namespace tessera::plan {

/// Blocks that are packed and computed at once, or strips, whose operands are found or packed at once and whose rows are computed
/// one by one.
struct Cut {
  Block shape;  // of the largest block
  bool strips = false;
  bool buffered = true;
};

/// The cut of an evaluation. May change the order of the axes: strips follow each other along their rows, so that the cache lines
/// and pages of a transposed operand are read by neighbouring strips.
Cut cut(Space& space);

inline constexpr std::ptrdiff_t direct_columns = std::ptrdiff_t{16} * 1024;  // of a block that needs no buffers
inline constexpr std::ptrdiff_t strip_row_bytes = 64;  // of a transposed operand: a cache line is read at once
inline constexpr std::ptrdiff_t strip_columns = 256;   // so that a transposed strip stays in the L1 cache

/// Blocks of this shape, or smaller ones at the end of an axis, that make up the space.
std::ptrdiff_t count_blocks(const Space& space, const Block& shape);

/// Visits blocks in order of their number and keeps count of where each operand's elements of the current one begin.
class Walk {
 public:
  /// Starts at block number `first`. `offsets` has room for one number for each operand.
  inline Walk(const Space& space, const Block& shape, std::ptrdiff_t first, std::ptrdiff_t* offsets)
      : space_(space), shape_(shape), offsets_(offsets) {
    std::fill_n(offsets, space.operands.size(), 0);
    for (int axis = space.rank; axis-- > 0;) {
      step_[at(axis)] = axis == shape.column_axis ? shape.columns : axis == shape.row_axis ? shape.rows : 1;
      const std::ptrdiff_t steps = (space.extents[at(axis)] - 1) / step_[at(axis)] + 1;
      position_[at(axis)] = first % steps * step_[at(axis)];
      first /= steps;
      space.move(offsets, axis, position_[at(axis)]);
    }
  }

  inline void next() {
    for (int axis = space_.rank; axis-- > 0;) {
      if (position_[at(axis)] + step_[at(axis)] < space_.extents[at(axis)]) {
        position_[at(axis)] += step_[at(axis)];
        return space_.move(offsets_, axis, step_[at(axis)]);
      }
      if (position_[at(axis)] != 0) space_.move(offsets_, axis, -position_[at(axis)]);
      position_[at(axis)] = 0;
    }
  }

  inline Block block() const {
    Block current = shape_;
    current.columns = std::min(shape_.columns, left(shape_.column_axis));
    if (shape_.row_axis >= 0) current.rows = std::min(shape_.rows, left(shape_.row_axis));
    return current;
  }

  /// Elements between operand number k's data and its first element of the block.
  inline std::ptrdiff_t offset(std::size_t k) const { return offsets_[k]; }

 private:
  static inline std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  inline std::ptrdiff_t left(int axis) const { return space_.extents[at(axis)] - position_[at(axis)]; }

  const Space& space_;
  Block shape_;
  Axes step_;
  Axes position_;
  std::ptrdiff_t* offsets_;
};

}  // namespace tessera::plan
