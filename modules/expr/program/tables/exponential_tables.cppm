export module tessera.expr:exponential_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of exponentials, logarithms, powers and roots.
namespace tessera::dynamic {

/// In the order of their names.
std::span<const Function> exponential_functions();

}  // namespace tessera::dynamic
