module;
#include <cstddef>
export module tessera.expr:folder;
import tessera.core;
import :plan;
import :blocks;
import :values;
import :row_inputs;
import :reduction_task;

// One thread's share of a reduction: values are computed into the L1 cache and folded at once; the partial results of
// blocks are merged pairwise, in an order that depends on the shapes only.
namespace tessera::plan {

/// Folds units of a task. Its memory is the calling thread's scratch memory, so there is one at a time on each thread.
class Folder {
 public:
  explicit Folder(const ReductionTask& task);

  /// Folds and stores all values of the units [first, last).
  void run(std::ptrdiff_t first, std::ptrdiff_t last);

  /// Folds values [first, last) of each of the unit's outputs into `accumulators`, cleared before.
  void fold(std::ptrdiff_t unit, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators);

  /// Moves to the unit's first output; the number of its outputs.
  std::ptrdiff_t place(std::ptrdiff_t unit);

  /// Writes results from the current output on.
  void store(const std::byte* accumulators, std::ptrdiff_t width) const;

  /// Room for the accumulators of a unit.
  std::byte* accumulators() const { return accumulators_; }

 private:
  bool folds_as_computed(std::ptrdiff_t n) const {
    return task_.reduction.folds.rows != nullptr && folds_in_lanes(task_.reduction, n);
  }
  std::ptrdiff_t seek(std::ptrdiff_t index);
  void fold_together(std::ptrdiff_t unit, std::ptrdiff_t rows);
  void fold_row(std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators);
  std::ptrdiff_t fold_part(std::ptrdiff_t index, std::ptrdiff_t most, std::byte* partial);
  void fold_columns(std::ptrdiff_t width, std::ptrdiff_t first, std::ptrdiff_t last, std::byte* accumulators);
  void fold_side_by_side(std::ptrdiff_t rows, std::ptrdiff_t width, std::ptrdiff_t index, std::byte* partial);
  void fold_columns_as_computed(std::ptrdiff_t rows, std::ptrdiff_t width, std::byte* partial);
  template <class Body>
  void for_tiles(std::ptrdiff_t rows, std::ptrdiff_t width, std::ptrdiff_t together, std::ptrdiff_t widest,
                 const Body& body) const;
  void move_to(const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column);
  void fold_tile(const Block& tile, std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t index,
                 std::byte* partial);

  const ReductionTask& task_;
  const Reducer& reducer_;
  Pieces memory_;
  Values values_;
  RowInputs row_inputs_;
  std::ptrdiff_t* offsets_;  // of the unit: the target's, then the leaves'
  std::ptrdiff_t* moved_;
  std::ptrdiff_t* here_;
  std::byte* buffer_;
  std::byte* accumulators_;
  std::byte* pairwise_;
};

/// Outputs, one after the other along the last kept axis, whose values are folded in one go.
std::ptrdiff_t rows_together(const ReductionTask& task);

}  // namespace tessera::plan
