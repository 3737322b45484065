module;
#include <cstddef>
export module tessera.device:gpu_identity;
import tessera.standard;
import :place;

// Which of all GPUs of all machines one is.
namespace tessera::device {

/// 16 bytes that no other GPU has: its UUID, or that of the part of it that this process sees, where MIG divides it.
export using GpuIdentity = std::array<std::byte, 16>;

/// All zero where the driver does not tell. Throws DeviceError without that GPU.
export GpuIdentity gpu_identity(GpuPlace place);

}  // namespace tessera::device
