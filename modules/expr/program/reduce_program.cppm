export module tessera.expr:reduce_program;
import tessera.standard;
import tessera.core;
import tessera.array;
import :plan;
import :program;

// Reductions whose axes are known at run time only.
namespace tessera::dynamic {

/// The reductions that are folds of one kind of accumulator.
export using Reduce = plan::ReduceOp;

/// The axes that a reduction is asked for: all if none is named; negative ones count from the end.
export struct ReducedAxes {
  std::span<const int> named{};
  bool is_all = true;
  bool keeps = false;
};

/// What is asked for beside the operation.
export struct ReduceOptions {
  ReducedAxes axes{};
  double correction = 0;  // taken from the count of a variance
};

/// The reduction, computed now or by an op of the thread's Async scope. Its values are as exact as those of a static one inside a
/// larger expression: 16-bit results are not rounded before they are written. Throws DTypeError for elements that it does not take,
/// IndexError for axes out of range or named twice, ShapeError for an axis without elements where there is no result over nothing.
export DExpression reduce(Reduce op, const DExpression& operand, const ReduceOptions& options);

}  // namespace tessera::dynamic
