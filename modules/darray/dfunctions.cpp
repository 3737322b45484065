module;
#include <cstddef>
#include <span>
#include <utility>
#include <variant>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Applying functions to dynamic operands.
namespace tessera {

DExpression applied(program::Name name, program::OperandOf a) {
  return program::apply(program::function(name), std::span(&a, 1));
}

DExpression applied(program::Name name, program::OperandOf a, program::OperandOf b) {
  program::OperandOf operands[] = {std::move(a), std::move(b)};
  return program::apply(program::function(name), operands);
}

DExpression applied(program::Name name, program::OperandOf a, program::OperandOf b, program::OperandOf c) {
  program::OperandOf operands[] = {std::move(a), std::move(b), std::move(c)};
  return program::apply(program::function(name), operands);
}

DArray evaluate(const DExpression& expression) { return DArray(expression); }

}  // namespace tessera
