module;
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Which reducer serves an operation.
namespace tessera::plan {

namespace {

const Reducer* reducer_or_null(ReduceOp op, DType dtype) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::product:
    case ReduceOp::minimum:
    case ReduceOp::maximum:
    case ReduceOp::any:
    case ReduceOp::all: return folding_reducer(op, dtype);
    case ReduceOp::mean: return folding_reducer(ReduceOp::sum, dtype);
    case ReduceOp::argmin:
    case ReduceOp::argmax: return searching_reducer(op, dtype);
    case ReduceOp::variance:
    case ReduceOp::deviation: return moments_reducer(dtype);
    case ReduceOp::log_sum_exp: return exponentials_reducer(dtype);
    case ReduceOp::norm: return norm_reducer(dtype);
  }
  return nullptr;
}

}  // namespace

const Reducer& reducer(ReduceOp op, DType dtype) {
  const Reducer* found = reducer_or_null(op, dtype);
  if (found != nullptr) return *found;
  throw DTypeError(to_string(Failure{.operation = "reduction",
                                     .problem = "it has no meaning for elements of type " + std::string(name(dtype)),
                                     .advice = "complex numbers have no order"}));
}

}  // namespace tessera::plan
