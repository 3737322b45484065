export module tessera.expr:comparing_tables;
import tessera.standard;
import tessera.core;
import :function;

// Tables of comparisons, operations on bits, classification and choice.
namespace tessera::dynamic {

/// In the order of their names.
std::span<const Function> comparing_functions();

}  // namespace tessera::dynamic
