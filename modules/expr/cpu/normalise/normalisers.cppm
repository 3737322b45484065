module;
#include <cstddef>
export module tessera.expr:normalisers;
import tessera.standard;
import tessera.core;
import :plan;
import :moments;
import :normalising;

// The arithmetic of normalisations: of softmax, log_softmax and standardise.
namespace tessera::plan {

/// What turns values into results: (value - shift) * factor - offset.
template <class C>
struct Affine {
  C shift, factor, offset;
};

/// What is known of columns that are normalised side by side: arrays with an element for each, of the value type where void.
struct ColumnState {
  void* shift;
  void* factor;
  void* offset;
  void* largest;
  double* sum;
  Moments* moments;
};

/// A normalisation's arithmetic for one type of values. Wherever values come from one array and go to another, the two may be
/// the same.
struct Normaliser {
  std::ptrdiff_t value_bytes;
  std::ptrdiff_t part_bytes;
  bool changes_values;  // a part or column leaves other values behind than it was given, for the last step

  /// Normalises whole rows of n values.
  void (*rows)(const void* from, std::ptrdiff_t from_stride, void* to, std::ptrdiff_t to_stride, std::ptrdiff_t rows,
               std::ptrdiff_t n, double epsilon);

  // A long row in parts: each part on its own, then what follows for all of them, then each part's results.
  void (*part)(void* part, const void* from, void* to, std::ptrdiff_t n);
  void (*finalize)(void* parts, std::ptrdiff_t count, double epsilon);
  void (*finish)(const void* part, const void* from, void* to, std::ptrdiff_t n);

  // n columns side by side, some rows at a time: all rows are observed, then changed, then finalized, then finished.
  void (*begin_columns)(const ColumnState& state, std::ptrdiff_t n);
  void (*observe_columns)(const ColumnState& state, const void* from, std::ptrdiff_t stride, std::ptrdiff_t rows,
                          std::ptrdiff_t n);
  void (*change_columns)(const ColumnState& state, const void* from, std::ptrdiff_t from_stride, void* to,
                         std::ptrdiff_t to_stride, std::ptrdiff_t rows, std::ptrdiff_t n);
  void (*finalize_columns)(const ColumnState& state, std::ptrdiff_t n, double epsilon);
  void (*finish_columns)(const ColumnState& state, const void* from, std::ptrdiff_t from_stride, void* to,
                         std::ptrdiff_t to_stride, std::ptrdiff_t rows, std::ptrdiff_t n);
};

/// The arithmetic for values of the compute type of `dtype`, a floating type, for the CPU at hand.
const Normaliser& normaliser(NormaliseOp op, DType dtype);

}  // namespace tessera::plan
