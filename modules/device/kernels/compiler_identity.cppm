module;
#include <cstddef>
#include <cstdint>
module tessera.device:compiler_identity;
import tessera.standard;
import tessera.core;

// What NVRTC says of itself, without opening it where the cache knows: opening takes some milliseconds, which a program whose kernels are
// all on disk need not spend.
namespace tessera::device {

struct CompilerIdentity {
  std::string version{};  // "13.0"; empty without NVRTC
  std::vector<int> architectures{};

  friend bool operator==(const CompilerIdentity&, const CompilerIdentity&) = default;
};

/// As the cache remembers it, if the library that said it is still the same file and is looked for in the same places; otherwise NVRTC is
/// opened and asked.
CompilerIdentity compiler_identity();

/// Opens NVRTC and asks it, if that has not been done: from now on compiler_identity() says what it is.
void correct_compiler_identity();

}  // namespace tessera::device
