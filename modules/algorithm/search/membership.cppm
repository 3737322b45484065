module;
#include <cstddef>
export module tessera.algorithm:membership;
import tessera.standard;
import tessera.core;
import :rows;
import :host_elements;

// Whether elements are among others, for types that are known at run time.
namespace tessera::searching {

/// Writes for each value whether it is among others; NaN is not. Throws OutOfMemory.
void find_members(const rows::Vector& values, const rows::Vector& among, bool* to);

}  // namespace tessera::searching
