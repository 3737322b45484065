export module tessera.expr:composer;
import tessera.standard;
import tessera.core;
import tessera.array;
import :function;
import :program;

// Programs made of functions and operands.
namespace tessera::dynamic {

/// The function applied to its operands, of which at least one is an expression. Throws DTypeError and ShapeError as the static rules
/// have it.
export DExpression apply(const Function& function, std::span<OperandOf> operands);

/// The elements converted. Every conversion is defined.
export DExpression cast(DExpression expression, DType to);

}  // namespace tessera::dynamic
