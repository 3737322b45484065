module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:normalising;
import tessera.standard;
import tessera.core;
import :plan;

// Normalisations: every value is changed by a statistic of its row, as in softmax. They are evaluated row by row (or by tiles of
// columns) in the cache, together with what they are computed from and the expression that they are part of.
namespace tessera::plan {

struct Normaliser;  // :normalisers

enum class NormaliseOp : std::uint8_t { softmax, log_softmax, standardise };

/// What one kernel of a device does of a normalisation: all of it, or one of its two steps.
enum class NormaliseStage : std::uint8_t { whole, statistics, apply };

/// A normalisation that stands for one leaf of a larger evaluation. Its own leaves are broadcast to the same shape.
struct Normalisation {
  std::array<bool, most_axes> reduced;  // the axes along which statistics are taken
  std::span<const Operand> leaves;
  Kernel kernel;  // null when the values are the elements of the only leaf
  const void* nodes;
  const Normaliser* arithmetic;
  double epsilon;  // added to variances
  int leaf;        // which leaf of the larger evaluation it is
  NormaliseOp op = NormaliseOp::softmax;
  DeviceWork device = {};  // what is normalised
};

}  // namespace tessera::plan
