module;
#include <cstddef>
#include <cstdint>
module tessera.device:gpu_error;
import tessera.standard;
import tessera.core;
import :place;
import :driver_table;

// Results of the driver's functions: what they mean for the GPU, and the context in which they are called.
namespace tessera::device {

/// Makes the context of the place's GPU current in this thread; pinned memory has the first one's. CUDA is asked which
/// is current, as other users of CUDA in this process may have changed it. Throws DeviceError without the device, or if
/// the GPU has failed before.
void enter(Place place);

/// Throws DeviceError if a call failed. An error after which CUDA refuses all further work is remembered for the GPU.
void check(CuResult result, std::string_view operation, Place place);

/// Throws DeviceError if an earlier error has made the GPU useless.
void require_working(GpuPlace place);

/// What is said of an error on a GPU, for those who add the expression: its name, and when it was first noticed if that
/// was earlier.
std::string describe_error(CuResult result, std::string_view operation, GpuPlace place);

}  // namespace tessera::device
