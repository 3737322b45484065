export module tessera.expr:special_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of activations, special functions and parts of complex numbers.
namespace tessera::dynamic {

/// In the order of their names.
std::span<const Function> special_functions();

}  // namespace tessera::dynamic
