module;
#include <cstddef>
module tessera.device;
import :items;

// CUDA's unsigned integers by their size.
namespace tessera::device::launching {

const char* item_type(std::ptrdiff_t bytes) {
  switch (bytes) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    case 8: return "unsigned long long";
    default: return "tessera_pair";
  }
}

}  // namespace tessera::device::launching
