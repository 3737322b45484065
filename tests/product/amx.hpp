// Whether products must use the tiles of AMX, asked of the operating system and not of the library.
#pragma once
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <string_view>

namespace product_test {

/// Linux lets this process have the contents of tiles, and nothing in the environment forbids their use.
inline bool has_amx() {
#ifdef __linux__
  const char* const wish = std::getenv("TESSERA_AMX");
  const char* const isa = std::getenv("TESSERA_ISA");
  if (wish != nullptr && std::string_view(wish) == "off") return false;
  if (isa != nullptr && (std::string_view(isa) == "avx2" || std::string_view(isa) == "baseline")) return false;
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, ask_for_permission, tile_data) == 0;
#else
  return false;
#endif
}

}  // namespace product_test
