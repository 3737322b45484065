module;
#include <cstddef>
export module tessera.device:caches;
import tessera.standard;

// The sizes of the CPU's caches, for loops that cut their work into blocks.
namespace tessera::device {

/// Data caches that a core has for itself, or shares with another thread of the same core.
export struct Caches {
  std::ptrdiff_t level1 = 32 * 1024;    ///< bytes
  std::ptrdiff_t level1_way = 4096;     ///< a power of 2: addresses so many bytes apart share a set of level1
  std::ptrdiff_t level2 = 1024 * 1024;  ///< bytes
};

/// What the operating system reports, asked once; these sizes where it reports nothing. TESSERA_CACHES=level1,level2 in bytes says otherwise, for
/// measurements and tests.
export const Caches& caches() noexcept;

}  // namespace tessera::device
