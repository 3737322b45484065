module;
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>
module tessera.device;
import tessera.core;

// The CUDA driver API, resolved by name. Declared here by its published C signatures, so that no CUDA header is needed.
namespace tessera {

namespace {

using CuResult = int;
using CuDevice = int;
using CuContext = void*;
using CuPointer = std::uint64_t;

constexpr CuResult cuda_success = 0;
constexpr CuResult cuda_out_of_memory = 2;
constexpr int attribute_compute_major = 75;
constexpr int attribute_compute_minor = 76;
constexpr int lowest_driver = 12000;  // CUDA 12.0, the first whose driver API has everything used here

struct Driver {
  void* library = nullptr;
  std::string reason;  // why there is no device

  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*device_count)(int*) = nullptr;
  CuResult (*device_get)(CuDevice*, int) = nullptr;
  CuResult (*device_name)(char*, int, CuDevice) = nullptr;
  CuResult (*device_attribute)(int*, int, CuDevice) = nullptr;
  CuResult (*device_total_memory)(std::size_t*, CuDevice) = nullptr;
  CuResult (*retain_context)(CuContext*, CuDevice) = nullptr;
  CuResult (*set_context)(CuContext) = nullptr;
  CuResult (*memory_allocate)(CuPointer*, std::size_t) = nullptr;
  CuResult (*memory_free)(CuPointer) = nullptr;
  CuResult (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
  CuResult (*host_free)(void*) = nullptr;
  CuResult (*copy)(CuPointer, CuPointer, std::size_t) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;

  std::vector<DeviceInfo> devices;
  std::vector<CuContext> contexts;
};

std::string error_text(const Driver& driver, CuResult result) {
  const char* name = nullptr;
  if (driver.error_name != nullptr) driver.error_name(result, &name);
  return (name != nullptr ? std::string(name) : std::string("CUDA error")) + " (" + std::to_string(result) + ")";
}

template <class Function>
void resolve(Driver& driver, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(driver.library, name));
  if (function == nullptr && driver.reason.empty())
    driver.reason = std::string("the CUDA driver library has no function ") + name;
}

void resolve_all(Driver& driver) {
  resolve(driver, driver.init, "cuInit");
  resolve(driver, driver.driver_version, "cuDriverGetVersion");
  resolve(driver, driver.device_count, "cuDeviceGetCount");
  resolve(driver, driver.device_get, "cuDeviceGet");
  resolve(driver, driver.device_name, "cuDeviceGetName");
  resolve(driver, driver.device_attribute, "cuDeviceGetAttribute");
  resolve(driver, driver.device_total_memory, "cuDeviceTotalMem_v2");
  resolve(driver, driver.retain_context, "cuDevicePrimaryCtxRetain");
  resolve(driver, driver.set_context, "cuCtxSetCurrent");
  resolve(driver, driver.memory_allocate, "cuMemAlloc_v2");
  resolve(driver, driver.memory_free, "cuMemFree_v2");
  resolve(driver, driver.host_allocate, "cuMemHostAlloc");
  resolve(driver, driver.host_free, "cuMemFreeHost");
  resolve(driver, driver.copy, "cuMemcpy");
  resolve(driver, driver.error_name, "cuGetErrorName");
}

bool add_device(Driver& driver, int ordinal) {
  CuDevice device = 0;
  CuContext context = nullptr;
  char name[256] = {};
  std::size_t bytes = 0;
  DeviceInfo info{.place = GpuPlace{ordinal}};
  CuResult result = driver.device_get(&device, ordinal);
  if (result == cuda_success) result = driver.device_name(name, sizeof name - 1, device);
  if (result == cuda_success) result = driver.device_total_memory(&bytes, device);
  if (result == cuda_success) result = driver.device_attribute(&info.compute_major, attribute_compute_major, device);
  if (result == cuda_success) result = driver.device_attribute(&info.compute_minor, attribute_compute_minor, device);
  if (result == cuda_success) result = driver.retain_context(&context, device);
  if (result != cuda_success) {
    driver.reason = "GPU " + std::to_string(ordinal) + " cannot be used: " + error_text(driver, result);
    return false;
  }
  info.name = name;
  info.total_bytes = static_cast<std::ptrdiff_t>(bytes);
  driver.devices.push_back(info);
  driver.contexts.push_back(context);
  return true;
}

void find_devices(Driver& driver) {
  if (const CuResult result = driver.init(0); result != cuda_success) {
    driver.reason = "cuInit failed with " + error_text(driver, result);
    return;
  }
  int version = 0;
  if (const CuResult result = driver.driver_version(&version); result != cuda_success) {
    driver.reason = "cuDriverGetVersion failed with " + error_text(driver, result);
    return;
  }
  if (version < lowest_driver) {
    driver.reason = "the CUDA driver is of version " + std::to_string(version / 1000) + "." +
                    std::to_string(version % 1000 / 10) + ", at least 12.0 is needed";
    return;
  }
  int count = 0;
  if (const CuResult result = driver.device_count(&count); result != cuda_success) {
    driver.reason = "cuDeviceGetCount failed with " + error_text(driver, result);
    return;
  }
  if (count == 0) driver.reason = "the CUDA driver reports no GPU";
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (!add_device(driver, ordinal)) return;
  }
}

Driver open_driver() {
  Driver driver;
  const char* chosen = std::getenv("TESSERA_CUDA_DRIVER");
  const std::string library = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
  driver.library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (driver.library == nullptr) {
    const char* why = dlerror();
    driver.reason = "the CUDA driver library cannot be opened: " + std::string(why != nullptr ? why : library);
    return driver;
  }
  resolve_all(driver);
  if (driver.reason.empty()) find_devices(driver);
  return driver;
}

/// Opened on first use and never closed, so that arrays with static storage can still be freed at exit.
const Driver& driver() {
  static const Driver& opened = *new Driver(open_driver());
  return opened;
}

void check(CuResult result, std::string_view operation) {
  if (result == cuda_success) return;
  throw DeviceError(to_string(Failure{.operation = operation, .problem = error_text(driver(), result)}));
}

/// The context in which memory of `place` is used: its own GPU's, and the first one's for pinned memory.
CuContext context_of(Place place) { return driver().contexts[static_cast<std::size_t>(place.ordinal())]; }

/// Why a GPU that was asked for is not there.
std::string missing_device() {
  if (driver().devices.empty()) return driver().reason;
  const std::size_t count = driver().devices.size();
  const std::string counted = count == 1 ? "there is 1 GPU" : "there are " + std::to_string(count) + " GPUs";
  return counted + ", numbered from 0" + (driver().reason.empty() ? "" : "; " + driver().reason);
}

CuPointer address(const void* pointer) { return reinterpret_cast<CuPointer>(pointer); }

}  // namespace

const std::vector<DeviceInfo>& devices() { return driver().devices; }

int device_count() { return static_cast<int>(devices().size()); }

const std::string& no_device_reason() { return driver().reason; }

void require_device(Place place) {
  if (place.kind() == PlaceKind::cpu) return;
  if (place.ordinal() >= 0 && place.ordinal() < device_count()) return;
  const std::string operation = "place " + to_string(place);
  throw DeviceError(to_string(Failure{.operation = operation,
                                      .problem = missing_device(),
                                      .advice = "devices() lists what can be used; CpuPlace{} always can"}));
}

namespace device {

void* driver_allocate(Place place, std::ptrdiff_t bytes) {
  if (place.kind() == PlaceKind::cpu)
    throw PlaceError("driver_allocate: cpu memory does not come from the CUDA driver");
  require_device(place);
  check(driver().set_context(context_of(place)), "cuCtxSetCurrent");
  CuPointer on_device = 0;
  void* on_host = nullptr;
  const bool pinned = place.kind() == PlaceKind::pinned;
  constexpr unsigned portable = 1;  // usable from every context
  const CuResult result = pinned ? driver().host_allocate(&on_host, static_cast<std::size_t>(bytes), portable)
                                 : driver().memory_allocate(&on_device, static_cast<std::size_t>(bytes));
  if (result == cuda_out_of_memory) return nullptr;
  check(result, pinned ? "cuMemHostAlloc" : "cuMemAlloc");
  return pinned ? on_host : reinterpret_cast<void*>(on_device);
}

void driver_free(Place place, void* pointer) noexcept {
  driver().set_context(context_of(place));
  if (place.kind() == PlaceKind::pinned) {
    driver().host_free(pointer);
  } else {
    driver().memory_free(address(pointer));
  }
}

void copy_bytes(void* to, Place to_place, const void* from, Place from_place, std::ptrdiff_t bytes) {
  if (bytes == 0) return;
  if (to_place.on_host() && from_place.on_host()) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  require_device(to_place);
  require_device(from_place);
  check(driver().set_context(context_of(to_place.on_host() ? from_place : to_place)), "cuCtxSetCurrent");
  check(driver().copy(address(to), address(from), static_cast<std::size_t>(bytes)), "cuMemcpy");
}

}  // namespace device

}  // namespace tessera
