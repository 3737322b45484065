module;
#include <cstddef>
export module tessera.algorithm:histograms;
import tessera.standard;
import tessera.core;
import :rows;
import :host_elements;

// Counting values by bins, for element types that are known at run time.
namespace tessera::counting {

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

}  // namespace tessera::counting
