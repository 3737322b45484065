module;
#include <cstddef>
export module tessera.device:items;
import tessera.standard;

// Elements in CUDA text of which only the size matters.
namespace tessera::device::launching {

/// CUDA's name for elements of 1, 2, 4, 8 or 16 bytes; item_support goes before a text that uses it.
export const char* item_type(std::ptrdiff_t bytes);
/// CUDA text of the item of 16 bytes that item_type() names; it goes before a text that uses it.
export inline constexpr const char* item_support =
    "struct alignas(16) tessera_pair { unsigned long long low, high; };\n";

}  // namespace tessera::device::launching
