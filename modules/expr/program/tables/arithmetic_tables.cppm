export module tessera.expr:arithmetic_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of arithmetic and rounding.
namespace tessera::dynamic {

/// In the order of their names.
std::span<const Function> arithmetic_functions();

}  // namespace tessera::dynamic
