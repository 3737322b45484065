module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:plan;
import tessera.standard;
import tessera.core;
import tessera.device;

// What is left of an expression when it is computed: pointers, strides and one inner loop. Nothing here is a template, so
// the code that walks arrays exists once for all expressions.
namespace tessera::plan {

/// Most axes that one evaluation can have.
export inline constexpr int most_axes = 16;

/// Extents or strides along the axes of an evaluation; only the first `rank` are meaningful.
export using Axes = std::array<std::ptrdiff_t, most_axes>;

/// Writes n elements of a generated operand: those with linear indices first, first + step, ...
export using Generate =
    void (*)(const void* context, void* to, std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t n);

/// What an evaluation writes or reads along its axes, whose extents stand beside it: elements in memory, or generated ones (`data` is null and
/// strides count linear indices). Only its first operand, the target, is written.
export struct Operand {
  std::byte* data;
  Axes strides;         // in elements; 0 where the operand repeats
  std::ptrdiff_t item;  // bytes of one element
  Generate generate;
  const void* context;
  std::ptrdiff_t first = 0;  // linear index of a generated operand's first element
};

/// The evaluator writes through a target only, so the const of what it reads is kept in fact.
export inline std::byte* bytes_to_read(const void* data) { return static_cast<std::byte*>(const_cast<void*>(data)); }

/// Elements in memory whose strides are 0 so far.
export inline Operand operand_at(void* data, std::ptrdiff_t item) {
  return {static_cast<std::byte*>(data), {}, item, nullptr, nullptr};
}

/// What a kernel reads as one of its leaves: contiguous elements, or one value that holds for all of them. Such a value is given
/// as one copy for each element of a kernel's step.
struct Input {
  const void* data = nullptr;
  std::ptrdiff_t along = -1;  // a mask on the number of a step's first element: 0 makes every step read the same copies

  inline void read(const void* elements) {
    data = elements;
    along = -1;
  }
  inline void repeat(const void* copies) {
    data = copies;
    along = 0;
  }
};

/// Bytes that a kernel writes in one step at most: four of the widest vectors.
inline constexpr std::ptrdiff_t repeated_bytes = 256;
inline constexpr std::ptrdiff_t vector_bytes = 64;

/// The inner loop of an expression: n elements from its inputs into contiguous memory. `nodes` is the plan tree with its
/// scalars, `inputs[k]` the current block of leaf k.
using Kernel = void (*)(const void* nodes, void* to, const Input* inputs, std::ptrdiff_t n);

/// What a loop over rows reads: for each leaf the input of the first row, and the bytes between a row and the next.
struct InputRows {
  const Input* first;
  const std::ptrdiff_t* pitches;
};

/// As a kernel, for rows of n elements each, which fill a vector at least and begin `pitch` bytes apart in the target.
struct RowsKernel {
  void (*run)(const void* nodes, void* to, std::ptrdiff_t pitch, const InputRows& inputs, std::ptrdiff_t rows,
              std::ptrdiff_t n) = nullptr;  // where there is one
  std::ptrdiff_t copied_bytes =
      repeated_bytes;  // that are written of what is one value for a row, as one vector or four
};

/// What is known of an expression's type for evaluation by a device: gpu/form.cppm.
struct DeviceForm;

/// What a device computes: an expression by its form and its node, and the type of the elements that are written.
struct DeviceWork {
  DeviceForm* form = nullptr;
  const void* node = nullptr;
  DType written = DType::boolean;
};

/// An elementwise evaluation. The CPU computes it by the kernel; where `place` is a GPU, `device` says what is computed.
struct Loop {
  int rank;
  Axes extents;
  Operand target;
  std::span<const Operand> leaves;
  Kernel kernel;
  RowsKernel rows = {};
  const void* nodes;
  bool copies = false;  // the values are those of the only leaf, of the target's type
  bool parallel = true;
  Place place = {};
  DeviceWork device = {};
};

/// A reduction's arithmetic for one element type, on accumulators whose size and type only it knows.
struct Reducer {
  std::ptrdiff_t value_bytes;        // of what the kernel writes
  std::ptrdiff_t accumulator_bytes;  // a multiple of 8 unless it is the size of one number
  void (*clear)(void* accumulators, std::ptrdiff_t n);
  /// One accumulator takes n values; `first` is the position of the first along the reduced axes.
  void (*row)(void* accumulator, const void* values, std::ptrdiff_t n, std::ptrdiff_t first);
  /// As many accumulators as there are rows take n values each, those of one row; rows begin `stride` values apart.
  void (*rows)(void* accumulators, const void* values, std::ptrdiff_t rows, std::ptrdiff_t stride, std::ptrdiff_t n,
               std::ptrdiff_t first);
  /// n accumulators take `rows` values each: those of one row, from position `first` on, and of the rows that follow
  /// `stride` values apart.
  void (*columns)(void* accumulators, const void* values, std::ptrdiff_t rows, std::ptrdiff_t stride, std::ptrdiff_t n,
                  std::ptrdiff_t first);
  /// n accumulators take up n later ones.
  void (*merge)(void* accumulators, const void* later, std::ptrdiff_t n);
  /// Numbers of a vector, if rows of so many and more are folded in the order in which FoldLoops fold them; 0 otherwise.
  std::ptrdiff_t lanes = 0;
};

/// What a reduction's result needs beside its accumulator.
struct Finish {
  double count = 1;       // values behind each result
  double correction = 0;  // taken from the count in a variance
};

/// Writes n results, `stride` elements apart.
using Store = void (*)(void* to, std::ptrdiff_t stride, const void* accumulators, std::ptrdiff_t n,
                       const Finish& finish);

enum class ReduceOp : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  argmin,
  argmax,
  any,
  all,
  mean,
  variance,
  deviation,
  log_sum_exp,
  norm,
};

/// Sets of rows of n elements each, whose accumulators lie so many apart: 0 where they are the same for all sets.
struct RowSets {
  std::ptrdiff_t sets, rows, n;
  std::ptrdiff_t accumulators = 0;
  const std::ptrdiff_t* pitches =
      nullptr;  // for each leaf the bytes between a set and the next, where there are several
};

/// Computes and folds the values of sets of rows: every row into its own accumulator, or all of a set side by side into n accumulators.
using FoldLoop = void (*)(const void* nodes, void* accumulators, const InputRows& inputs, const RowSets& sets);

/// The inner loops of a reduction that folds values as it computes them, of at least Reducer::lanes values; null where there are none.
struct FoldLoops {
  FoldLoop rows = nullptr;
  FoldLoop columns = nullptr;
};

/// A reduction of an elementwise expression. The target's strides are 0 along reduced axes.
struct Reduction {
  int rank;
  Axes extents;
  std::array<bool, most_axes> reduced;
  Operand target;
  std::span<const Operand> leaves;
  Kernel kernel;  // null where the values are the elements of the only leaf
  FoldLoops folds = {};
  const void* nodes;
  const Reducer* reducer;
  Store store;
  Finish finish;
  ReduceOp op = ReduceOp::sum;
  bool parallel = true;
  Place place = {};
  DeviceWork device = {};  // the expression that is reduced, and what is written of the results
};

/// From this many elements on, an operation uses several threads.
export inline constexpr std::ptrdiff_t parallel_threshold = std::ptrdiff_t{64} * 1024;

/// Elements of one parallel task, at least.
export inline constexpr std::ptrdiff_t task_elements = std::ptrdiff_t{32} * 1024;

/// Elements of a block that goes through packing buffers; one buffer fits the L1 cache beside a few others.
export inline constexpr std::ptrdiff_t block_elements = 1024;

}  // namespace tessera::plan
