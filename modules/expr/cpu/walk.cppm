module;
#include <cstddef>
export module tessera.expr:walk;
import tessera.standard;
import tessera.core;
import :plan;
import :blocks;
import :boxes;

// How an elementwise evaluation is cut into blocks, and the walk from one to the next.
namespace tessera::plan {

/// Blocks that are packed and computed at once, or strips, whose operands are found or packed at once and whose rows are computed
/// one by one.
struct Cut {
  Block shape;  // of the largest block
  bool strips = false;
  bool buffered = true;
  bool boxes = false;  // blocks are boxes, of any number of axes; `shape` says what is known of them in two
  Axes steps{};        // elements of the largest block along each axis
};

/// The cut of an evaluation, or of a copy of its only leaf. May change the order of the axes: strips follow each other along their rows, so that the cache lines
/// and pages of a transposed operand are read by neighbouring strips.
Cut cut(Space& space, bool copies);

inline constexpr std::ptrdiff_t direct_columns = std::ptrdiff_t{16} * 1024;  // of a block that needs no buffers
inline constexpr std::ptrdiff_t strip_row_bytes = 64;  // of a transposed operand: a cache line is read at once
inline constexpr std::ptrdiff_t strip_columns = 256;   // so that a transposed strip stays in the L1 cache

/// Blocks with so many elements along each axis, or fewer at its end, that make up the space.
std::ptrdiff_t count_blocks(const Space& space, const Axes& steps);

/// Visits blocks in order of their number and keeps count of where each operand's elements of the current one begin.
class Walk {
 public:
  /// Starts at block number `first`. `steps` outlives this; `offsets` has room for one number for each operand. The axes from `slowest` on are slower than those
  /// before it.
  inline Walk(const Space& space, const Axes& steps, std::ptrdiff_t first, std::ptrdiff_t* offsets, int slowest = 0)
      : space_(space), steps_(steps), offsets_(offsets), slowest_(slowest) {
    box_.rank = space.rank;
    std::fill_n(offsets, space.operands.size(), 0);
    for (int number = space.rank; number-- > 0;) {
      const int axis = axis_at(number);
      const std::ptrdiff_t count = (space.extents[at(axis)] - 1) / steps[at(axis)] + 1;
      position_[at(axis)] = first % count * steps[at(axis)];
      first /= count;
      space.move(offsets, axis, position_[at(axis)]);
      measure(axis);
    }
  }

  inline void next() {
    for (int number = space_.rank; number-- > 0;) {
      const int axis = axis_at(number);
      if (position_[at(axis)] + steps_[at(axis)] < space_.extents[at(axis)]) {
        position_[at(axis)] += steps_[at(axis)];
        measure(axis);
        return space_.move(offsets_, axis, steps_[at(axis)]);
      }
      if (position_[at(axis)] == 0) continue;
      space_.move(offsets_, axis, -position_[at(axis)]);
      position_[at(axis)] = 0;
      measure(axis);
    }
  }

  /// The current block, of which `shape` is the largest.
  inline Block block(const Block& shape) const {
    Block current = shape;
    current.columns = std::min(shape.columns, left(shape.column_axis));
    if (shape.row_axis >= 0) current.rows = std::min(shape.rows, left(shape.row_axis));
    return current;
  }

  /// The same as a box. Not by value: a copy of what has just been written waits for all that is being stored.
  inline const Box& box() const { return box_; }

  inline std::ptrdiff_t position(int axis) const { return position_[at(axis)]; }

  /// Elements between operand number k's data and its first element of the block.
  inline std::ptrdiff_t offset(std::size_t k) const { return offsets_[k]; }

 private:
  static inline std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  inline int axis_at(int number) const {
    const int axis = number + slowest_;
    return axis < space_.rank ? axis : axis - space_.rank;
  }
  inline std::ptrdiff_t left(int axis) const { return space_.extents[at(axis)] - position_[at(axis)]; }

  inline void measure(int axis) { box_.extents[at(axis)] = std::min(steps_[at(axis)], left(axis)); }

  const Space& space_;
  const Axes& steps_;
  Axes position_;
  Box box_;
  std::ptrdiff_t* offsets_;
  int slowest_;
};

}  // namespace tessera::plan
