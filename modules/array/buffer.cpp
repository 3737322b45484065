module;
#include <memory>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// Giving up a share of a buffer.
namespace tessera {

void BufferShare::give_up(std::shared_ptr<Buffer>& share) noexcept { std::destroy_at(&share); }

}  // namespace tessera
