module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:counting;
import tessera.standard;
import tessera.core;
import tessera.memory;
import :rows;
import :host_elements;

// Counting and summing by labels, for element types that are known at run time. Sums of weights are added up in parts that depend on the
// number of elements alone, so that they are the same for any number of threads.
namespace tessera::counting {

/// How often each label from 0 on is there, or the sum of the weights that it has.
class LabelCounts {
 public:
  /// `weights` has one number for each label, or is null. Throws IndexError for a label that is negative or too large for memory,
  /// OutOfMemory.
  LabelCounts(const rows::Vector& labels, const double* weights, const rows::Argument& argument);

  /// One more than the largest label.
  std::ptrdiff_t size() const { return size_; }
  /// Writes `length` counts, which are 0 from size() on: of int64, or of double if there are weights.
  void write(void* to, std::ptrdiff_t length) const;

 private:
  memory::Allocation counts_;
  std::ptrdiff_t size_ = 0;
};

/// A histogram over `bins` bins, whose edges ascend; with `even` bins they are as wide as each other. NaN and what is beyond the edges is not
/// counted; the last bin holds its right edge.
struct Histogram {
  rows::Vector values;
  const double* weights;  ///< one for each value, or null
  const double* edges;    ///< bins + 1
  std::ptrdiff_t bins;
  bool even;
};

/// Writes the counts (int64), or the sums of weights (double). Throws OutOfMemory before anything is written.
void count(const Histogram& histogram, void* to);

/// Throws std::invalid_argument unless there are edges, which ascend and are finite.
void require_ascending(const double* edges, std::ptrdiff_t count, const rows::Argument& argument);

/// Throws ShapeError for fewer bins than one, or more than 2^30.
void require_bins(std::ptrdiff_t bins, const rows::Argument& argument);

/// Writes bins + 1 edges from low to high. Throws std::invalid_argument for bounds that are not finite or not in order. Equal bounds are moved
/// apart by a half each.
void write_edges(double low, double high, std::ptrdiff_t bins, double* to, const rows::Argument& argument);

enum class SegmentOp { sum, mean, min, max };

/// Rows of `width` elements, each of which belongs to a segment.
struct Segments {
  SegmentOp op;
  rows::Vector values;
  const std::int64_t* labels;
  std::ptrdiff_t rows, width, count;
};

/// Throws IndexError for a label that is negative or not below the number of segments.
void require_labels(const Segments& segments, bool are_unsigned, const rows::Argument& argument);

/// Writes `count` rows: sums in the type of sum(), means in that of mean(), extreme values in the elements' own.
void reduce(const Segments& segments, void* to);

}  // namespace tessera::counting
