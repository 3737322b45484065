export module tessera.expr:angle_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of trigonometric and hyperbolic functions.
namespace tessera::dynamic {

/// In the order of their names.
std::span<const Function> angle_functions();

}  // namespace tessera::dynamic
