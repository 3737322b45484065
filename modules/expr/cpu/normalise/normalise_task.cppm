module;
#include <cstddef>
export module tessera.expr:normalise_task;
import tessera.standard;
import tessera.core;
import :plan;
import :blocks;
import :normalisers;
import :normalising;

// How a normalisation is cut into work: whole rows in the L1 cache, long rows in parts, columns in tiles.
namespace tessera::plan {

/// Rows up to this length are normalised in the L1 cache.
inline constexpr std::ptrdiff_t whole_row_bytes = std::ptrdiff_t{16} * 1024;

/// How the work is cut. Operands: the target, the loop's leaves, the normalisation's leaves. Kept axes come first.
struct NormaliseTask {
  const Loop& loop;
  const Normalisation& normalisation;
  bool copies;
  Space space;
  int kept = 0;
  bool by_columns = false;
  std::ptrdiff_t outputs = 1;  // rows
  std::ptrdiff_t n = 1;        // values of a row
  std::ptrdiff_t unit = 1;     // rows, or columns, that are normalised together
  std::ptrdiff_t units = 1;

  int last_kept() const { return kept - 1; }
  int last() const { return space.rank - 1; }
  bool one_axis() const { return space.rank == kept + 1; }
  std::ptrdiff_t extent(int axis) const { return space.extents[static_cast<std::size_t>(axis)]; }
  std::ptrdiff_t item() const { return normalisation.arithmetic->value_bytes; }
  bool whole_rows() const { return !by_columns && one_axis() && n * item() <= whole_row_bytes; }
  std::span<const Operand> leaves() const { return space.operands.subspan(1 + loop.leaves.size()); }
  int inner_axis() const { return by_columns ? last_kept() : last(); }
  bool lies() const {
    return normalisation.kernel == nullptr && leaves()[0].data != nullptr &&
           leaves()[0].strides[static_cast<std::size_t>(inner_axis())] == 1;
  }
  /// Results can be written straight to the target.
  bool straight() const { return copies && space.operands[0].strides[static_cast<std::size_t>(inner_axis())] == 1; }
  /// Values of a unit that must be kept between passes.
  std::ptrdiff_t stored() const {
    if (whole_rows()) return n * unit;
    return lies() && !normalisation.arithmetic->changes_values ? 0 : n * unit;
  }
};

/// Sorts the axes, merges them where possible and sizes the work, from the shapes and strides only; no axis may be empty.
void divide(NormaliseTask& task);

}  // namespace tessera::plan
