module;
#include <cstddef>
export module tessera.algorithm:quantiles;
import tessera.standard;
import tessera.core;
import :rows;
import :host_elements;

// Quantiles of rows for element types that are known at run time.
namespace tessera {

/// How a quantile that lies between two elements is made of them; the names are NumPy's. The first nine are those of R. Hyndman, Y. Fan,
/// "Sample quantiles in statistical packages", 1996, in their order; the others choose by the position that `linear` has.
export enum class QuantileMethod {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};

}  // namespace tessera

namespace tessera::selecting {

/// The quantiles of each row: `call.to` has one for each probability along the axis, of the elements' type if that is floating, of double
/// otherwise.
struct Quantiles {
  rows::Call call;
  std::span<const double> probabilities;
  QuantileMethod method;
  bool skips_nan;  ///< otherwise a row with NaN has no other quantiles
};
/// Throws OutOfMemory.
void write_quantiles(const Quantiles& quantiles);

/// Divides the probabilities by `scale`. Throws std::invalid_argument for one that is not between 0 and `scale`.
void scale_probabilities(std::span<double> probabilities, double scale, const rows::Argument& argument);

/// Throws ShapeError where rows without elements have quantiles.
void require_elements(std::span<const std::ptrdiff_t> shape, int axis, const rows::Argument& argument);

}  // namespace tessera::selecting
