module;
#include <cstddef>
export module tessera.expr:box_task;
import :plan;
import :blocks;
import :reduction_task;

// How a reduction is cut into boxes: for operands that no order of a plain loop suits, and for short axes.
namespace tessera::plan {

/// The axes of a reduction in the order in which its boxes are packed: the reduced ones first where results are folded side by side (unless
/// most operands lie along a reduced axis), last where each is folded along its own values. A short axis along which the operands lie
/// may be the last one although others are folded side by side: then its values are kept apart until all parts are folded, or rows of them are folded
/// where they lie, one set of rows after the other.
/// Boxes with the same results follow each other.
struct BoxTask {
  const Reduction& reduction;
  Space space;
  bool by_columns = false;
  bool transposes = false;  // values are computed result by result, and transposed to be folded side by side
  int kept_first = 0, reduced_first = 0;  // where either kind of axis begins
  int kept = 0, reduced = 0;              // how many there are, without a reduced axis that is the last one
  Axes steps{};                           // elements of the largest box along each axis
  std::ptrdiff_t unit_outputs = 1;        // results of a box
  std::ptrdiff_t units = 1;               // boxes with results of their own
  std::ptrdiff_t parts = 1;               // boxes of values behind the same results
  std::ptrdiff_t box_values = 1;          // of one result in a box
  std::ptrdiff_t lanes = 1;               // of a few results side by side: how many values of each are
  std::ptrdiff_t apart = 1;               // values of a result along the last axis that are folded in the end only,
  std::ptrdiff_t row = 1;                 // or are folded as a row
  std::ptrdiff_t chunks = 1, chunk_parts = 1;  // parts of long reductions that may be folded at the same time

  std::ptrdiff_t extent(int axis) const { return space.extents[static_cast<std::size_t>(axis)]; }
  std::ptrdiff_t step(int axis) const { return steps[static_cast<std::size_t>(axis)]; }
};

/// Rows that are added to a result one after the other before partial results are merged in a tree.
inline constexpr std::ptrdiff_t rows_in_turn = 16;

/// Sorts the reduced axes by their strides, so that values are read in the order of memory, and merges what can be merged. Where positions
/// are counted their order stays.
void sort_reduced_axes(ReductionTask& task);

/// The reduction, arranged and divided, is faster in boxes.
bool asks_for_boxes(const ReductionTask& task);

/// Cuts it so, by its shape and strides only. `task` has room for the operands.
void cut_in_boxes(const ReductionTask& arranged, BoxTask& task);

}  // namespace tessera::plan
