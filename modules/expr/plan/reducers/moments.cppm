export module tessera.expr:moments;
import tessera.core;
import :plan;

// The arithmetic of variances.
namespace tessera::plan {

/// Accumulator of variances: of the values so far, in double because it is merged once per block only.
struct Moments {
  double count;
  double mean;
  double squares;  // sum of squared distances from the mean
};

/// The reducer of variances and deviations; null for types that it does not serve.
const Reducer* moments_reducer(DType dtype);

}  // namespace tessera::plan
