module;
#include <cstddef>
#include <span>
#include <utility>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Applying functions to dynamic operands.
namespace tessera {

DLeaf node_of(const DPicked& picked) { return {picked.get()}; }

DArray evaluate(const DExpression& expression) { return DArray(expression); }

}  // namespace tessera
