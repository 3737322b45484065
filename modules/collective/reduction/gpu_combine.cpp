module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
module tessera.collective;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.darray;

// The tree as an expression of dynamic arrays.
namespace tessera::collective {

namespace {

/// So many arrays are read by one kernel.
constexpr std::size_t most_operands = 16;

DExpression combined(ReduceOp op, DExpression a, DExpression b) {
  switch (op) {
    case ReduceOp::sum: return DExpression(std::move(a) + std::move(b));
    case ReduceOp::product: return DExpression(std::move(a) * std::move(b));
    case ReduceOp::min: return DExpression(minimum(std::move(a), std::move(b)));
    case ReduceOp::max: return DExpression(maximum(std::move(a), std::move(b)));
    case ReduceOp::all: return DExpression(std::move(a) & std::move(b));
    case ReduceOp::any: break;
  }
  return DExpression(std::move(a) | std::move(b));
}

DExpression tree(ReduceOp op, std::span<const GpuPartial> partials, std::ptrdiff_t begin, std::ptrdiff_t end,
                 DType accumulating) {
  if (partials.size() == 1) return cast(partials.front().elements, accumulating);
  const std::ptrdiff_t middle = begin + half_of(end - begin);
  const auto second = std::ranges::find(partials, middle, &GpuPartial::begin);
  const auto first_count = static_cast<std::size_t>(second - partials.begin());
  DExpression a = tree(op, partials.first(first_count), begin, middle, accumulating);
  DExpression b = tree(op, partials.subspan(first_count), middle, end, accumulating);
  if (partials.size() <= most_operands) return combined(op, std::move(a), std::move(b));
  return combined(op, cast(DArray(a), accumulating), cast(DArray(b), accumulating));
}

}  // namespace

DArray combine_on_gpu(ReduceOp op, std::span<const GpuPartial> partials, std::ptrdiff_t begin, std::ptrdiff_t end,
                      DType accumulating, DType dtype) {
  return evaluate(cast(tree(op, partials, begin, end, accumulating), dtype));
}

}  // namespace tessera::collective
