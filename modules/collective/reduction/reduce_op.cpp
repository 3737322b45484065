module;
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
module tessera.collective;
import tessera.core;

// Names of the ops, and what they take.
namespace tessera::collective {

namespace {

constexpr auto op_names = std::to_array<std::string_view>({"sum", "product", "min", "max", "all", "any"});

}  // namespace

std::string_view name_of(ReduceOp op) { return op_names[static_cast<std::size_t>(op)]; }

void require_reducible(ReduceOp op, DType dtype, std::string_view operation) {
  const bool is_logical = op == ReduceOp::all || op == ReduceOp::any;
  const bool is_ordering = op == ReduceOp::min || op == ReduceOp::max;
  const bool takes =
      is_logical ? dtype == DType::boolean : dtype != DType::boolean && !(is_ordering && kind(dtype) == Kind::complex);
  if (takes) return;
  throw DTypeError(to_string(Failure{
      .operation = operation,
      .problem = "ReduceOp::" + std::string(name_of(op)) + " does not take elements of " + std::string(name(dtype)),
      .advice = dtype == DType::boolean ? "use ReduceOp::any or ReduceOp::all, or cast to an integer type"
                : is_logical            ? "compare the elements first, as in x != 0"
                                        : "complex numbers have no order: use sum or product"}));
}

}  // namespace tessera::collective
