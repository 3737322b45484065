module;
#include <cstdint>
export module tessera.collective:reduce_op;
import tessera.standard;
import tessera.core;

// How the elements of several ranks become one.
namespace tessera {

/// How collectives make one element of those of all ranks: numbers are added or multiplied, the smallest or the largest is kept; bool is true if all, or
/// any, are.
export enum class ReduceOp : std::uint8_t { sum, product, min, max, all, any };

namespace collective {

/// "sum"
std::string_view name_of(ReduceOp op);

/// Throws DTypeError for a type that the op does not take: sum and product take numbers, min and max those that have an order, all and any bool.
void require_reducible(ReduceOp op, DType dtype, std::string_view operation);

}  // namespace collective

}  // namespace tessera
