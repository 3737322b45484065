module;
#include <cstddef>
export module tessera.device:table;
import tessera.standard;
import tessera.core;
import :place;

// The device table: which GPUs this process can use, and why not if it cannot.
namespace tessera {

/// What is known of one GPU.
export struct DeviceInfo {
  GpuPlace place{};
  std::string name{};              ///< as the driver reports it
  std::ptrdiff_t total_bytes = 0;  ///< memory of the device
  int compute_major = 0;           ///< compute capability, before the point
  int compute_minor = 0;           ///< compute capability, after the point
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;  ///< at most, of all blocks that run there
  int threads_per_block = 0;           ///< at most
  std::ptrdiff_t shared_bytes = 0;     ///< shared memory of a block, at most
  std::ptrdiff_t l2_bytes = 0;         ///< of the cache that all multiprocessors share
  int copy_engines = 0;                ///< copies that run beside kernels
  bool unified_addresses = false;      ///< one range of addresses with the host
  bool integrated = false;             ///< its memory is the host's
  int driver_version = 0;              ///< CUDA's number: 12080 for 12.8
};

/// The GPUs of this process, found once. Empty without a driver or a GPU.
export const std::vector<DeviceInfo>& devices();

/// Number of GPUs; 0 without a driver.
export int device_count();

/// Why there is no GPU, or none beyond those in devices(): what was looked for and what failed. Empty if nothing
/// failed.
export const std::string& no_device_reason();

/// Throws DeviceError if memory or work cannot be at `place`: a GPU that does not exist, or pinned memory without a
/// driver. The message says what is missing.
export void require_device(Place place);

}  // namespace tessera
