export module tessera.expr:angle_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of trigonometric and hyperbolic functions.
namespace tessera::program {

/// In the order of their names.
std::span<const Function> angle_functions();

}  // namespace tessera::program
