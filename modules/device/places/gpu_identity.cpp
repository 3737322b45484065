module;
#include <array>
#include <cstddef>
module tessera.device;
import :driver_table;
import :gpu_error;
import :gpu_identity;

// Asking the driver for the UUID.
namespace tessera::device {

GpuIdentity gpu_identity(GpuPlace place) {
  enter(place);
  GpuIdentity identity{};
  if (driver().device_uuid == nullptr) return identity;
  CuDevice device = 0;
  check(driver().device_get(&device, place.ordinal), "cuDeviceGet", place);
  check(driver().device_uuid(identity.data(), device), "cuDeviceGetUuid", place);
  return identity;
}

}  // namespace tessera::device
