module;
#include <cstddef>
export module tessera.expr:reduction_task;
import tessera.core;
import :plan;
import :blocks;

// How a reduction is cut into work: which axes are kept, what is folded together, what runs in parallel.
namespace tessera::plan {

/// The kept axes come first in `space`, the reduced ones after them in their logical order.
struct ReductionTask {
  const Reduction& reduction;
  Space space;
  int kept = 0;
  bool by_columns = false;
  std::ptrdiff_t outputs = 1;       // elements of the target
  std::ptrdiff_t reduced = 1;       // values behind each of them
  std::ptrdiff_t unit_outputs = 1;  // outputs that are folded side by side
  std::ptrdiff_t units = 1;
  std::ptrdiff_t chunks = 1;      // parts of the reduced values
  std::ptrdiff_t chunk_size = 1;  // values of a part, a whole number of inner rows

  int last_kept() const { return kept - 1; }
  int last_reduced() const { return space.rank - 1; }
  std::ptrdiff_t extent(int axis) const { return space.extents[static_cast<std::size_t>(axis)]; }
};

/// Values that are computed are folded in rows, or side by side, of so many: in the lanes of vectors, and where there is a loop for it as they are
/// computed. How work is cut does not depend on whether there is, so that both add up in the same order.
inline bool folds_in_lanes(const Reduction& reduction, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t few = 4;  // for which the reducers have loops over all rows
  const std::ptrdiff_t lanes = reduction.reducer->lanes;
  return reduction.kernel != nullptr && lanes > 0 && n >= lanes && n > few;
}

/// Sets which axes are kept, which reduced; without axes of one element, and merged where possible.
void arrange(ReductionTask& task);

/// Walks kept axes along which operands lie backwards, and none forwards, the other way, so that what is read lies as it is read.
void turn_kept_axes(ReductionTask& task);

/// Sets the rest, from the shapes only; no axis may be empty.
void divide(ReductionTask& task);

}  // namespace tessera::plan
