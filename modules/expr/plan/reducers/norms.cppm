export module tessera.expr:norms;
import tessera.core;
import :plan;

// The arithmetic of norms.
namespace tessera::plan {

/// Accumulator of norms of double: scale^2 * sum is the sum of squares; scale is a power of two.
struct ScaledSquares {
  double scale;
  double sum;
};

/// Accumulator of norms of float: squares of floats neither overflow nor vanish in double.
struct Squares {
  double sum;
};

/// The reducer of norms; null for types that it does not serve.
const Reducer* norm_reducer(DType dtype);

}  // namespace tessera::plan
