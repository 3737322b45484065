module;
#include <cstddef>
#include <string>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;

// The device table, as the driver has filled it.
namespace tessera {

namespace {

/// Why a GPU that was asked for is not there.
std::string missing_device() {
  if (device::driver().devices.empty()) return device::driver().reason;
  const std::size_t count = device::driver().devices.size();
  const std::string counted = count == 1 ? "there is 1 GPU" : "there are " + std::to_string(count) + " GPUs";
  return counted + ", numbered from 0" + (device::driver().reason.empty() ? "" : "; " + device::driver().reason);
}

}  // namespace

const std::vector<DeviceInfo>& devices() { return device::driver().devices; }

int device_count() { return static_cast<int>(devices().size()); }

const std::string& no_device_reason() { return device::driver().reason; }

void require_device(Place place) {
  if (place.kind() == PlaceKind::cpu) return;
  if (place.ordinal() >= 0 && place.ordinal() < device_count()) return;
  const std::string operation = "place " + to_string(place);
  throw DeviceError(to_string(Failure{.operation = operation,
                                      .problem = missing_device(),
                                      .advice = "devices() lists what can be used; CpuPlace{} always can"}));
}

}  // namespace tessera
