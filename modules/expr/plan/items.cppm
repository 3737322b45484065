module;
#include <cstddef>
#include <cstdint>
module tessera.expr:items;
import :strided;

// Elements that are moved without a look at what they are: what counts is their size.
namespace tessera::plan {

/// Calls `function` with a null pointer to the unsigned integer of so many bytes, or to Wide.
template <class Function>
void with_item(std::ptrdiff_t bytes, const Function& function) {
  switch (bytes) {
    case 1: return function(static_cast<std::uint8_t*>(nullptr));
    case 2: return function(static_cast<std::uint16_t*>(nullptr));
    case 4: return function(static_cast<std::uint32_t*>(nullptr));
    case 8: return function(static_cast<std::uint64_t*>(nullptr));
    default: return function(static_cast<Wide*>(nullptr));
  }
}

}  // namespace tessera::plan
