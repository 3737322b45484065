module;
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :library;

// Opening the CUDA driver library and asking it for its GPUs. TESSERA_CUDA_DRIVER names another library to open in its
// place.
namespace tessera::device {

namespace {

std::atomic<int> known_version = 0;

constexpr int lowest_driver = 12000;  // CUDA 12.0, the first whose driver API has everything used here

void resolve_devices(runtime::Library& library, Driver& driver) {
  library.require(driver.init, "cuInit");
  library.require(driver.driver_version, "cuDriverGetVersion");
  library.require(driver.device_count, "cuDeviceGetCount");
  library.require(driver.device_get, "cuDeviceGet");
  library.require(driver.device_name, "cuDeviceGetName");
  library.require(driver.device_attribute, "cuDeviceGetAttribute");
  library.require(driver.device_total_memory, "cuDeviceTotalMem_v2");
  library.find(driver.device_uuid, "cuDeviceGetUuid_v2");
  if (driver.device_uuid == nullptr) library.find(driver.device_uuid, "cuDeviceGetUuid");
  library.require(driver.retain_context, "cuDevicePrimaryCtxRetain");
  library.require(driver.set_context, "cuCtxSetCurrent");
  library.require(driver.get_context, "cuCtxGetCurrent");
  library.require(driver.error_name, "cuGetErrorName");
}

void resolve_memory(runtime::Library& library, Driver& driver) {
  library.require(driver.memory_allocate, "cuMemAlloc_v2");
  library.require(driver.memory_free, "cuMemFree_v2");
  library.find(driver.pool_allocate, "cuMemAllocAsync");
  library.find(driver.pool_free, "cuMemFreeAsync");
  library.require(driver.host_allocate, "cuMemHostAlloc");
  library.require(driver.host_free, "cuMemFreeHost");
  library.require(driver.copy, "cuMemcpyAsync");
  library.require(driver.copy_rows, "cuMemcpy2DAsync_v2");
  library.require(driver.fill_8, "cuMemsetD8Async");
  library.require(driver.fill_16, "cuMemsetD16Async");
  library.require(driver.fill_32, "cuMemsetD32Async");
}

void resolve_work(runtime::Library& library, Driver& driver) {
  library.require(driver.stream_create, "cuStreamCreate");
  library.require(driver.stream_wait, "cuStreamWaitEvent");
  library.require(driver.event_create, "cuEventCreate");
  library.require(driver.event_record, "cuEventRecord");
  library.require(driver.event_query, "cuEventQuery");
  library.require(driver.event_synchronize, "cuEventSynchronize");
  library.require(driver.event_elapsed, "cuEventElapsedTime");
  library.require(driver.event_destroy, "cuEventDestroy_v2");
  library.require(driver.module_load, "cuModuleLoadData");
  library.require(driver.module_function, "cuModuleGetFunction");
  library.require(driver.function_attribute, "cuFuncGetAttribute");
  library.require(driver.set_function_attribute, "cuFuncSetAttribute");
  library.require(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.require(driver.launch, "cuLaunchKernel");
}

void resolve_graphs(runtime::Library& library, Driver& driver) {
  library.find(driver.graph_create, "cuGraphCreate");
  library.find(driver.graph_add_kernel, "cuGraphAddKernelNode_v2");
  library.find(driver.graph_instantiate, "cuGraphInstantiateWithFlags");
  library.find(driver.graph_update_kernel, "cuGraphExecKernelNodeSetParams_v2");
  library.find(driver.graph_launch, "cuGraphLaunch");
  library.find(driver.graph_exec_destroy, "cuGraphExecDestroy");
  library.find(driver.graph_destroy, "cuGraphDestroy");
  driver.has_graphs = driver.graph_create != nullptr && driver.graph_add_kernel != nullptr &&
                      driver.graph_instantiate != nullptr && driver.graph_update_kernel != nullptr &&
                      driver.graph_launch != nullptr && driver.graph_exec_destroy != nullptr &&
                      driver.graph_destroy != nullptr;
}

/// Asks for one attribute after another, until one fails.
class Attributes {
 public:
  Attributes(const Driver& driver, CuDevice device) : driver_(driver), device_(device) {}

  int operator[](int number) {
    int value = 0;
    if (result_ == cuda_success) result_ = driver_.device_attribute(&value, number, device_);
    return value;
  }
  CuResult result() const { return result_; }

 private:
  const Driver& driver_;
  CuDevice device_;
  CuResult result_ = cuda_success;
};

CuResult read_attributes(const Driver& driver, CuDevice device, DeviceInfo& info) {
  Attributes attribute(driver, device);
  info.compute_major = attribute[75];
  info.compute_minor = attribute[76];
  info.multiprocessors = attribute[16];
  info.threads_per_multiprocessor = attribute[39];
  info.threads_per_block = attribute[1];
  info.shared_bytes = attribute[97];  // what a kernel may have after asking for it
  info.l2_bytes = attribute[38];
  info.copy_engines = attribute[40];
  info.unified_addresses = attribute[41] != 0;
  info.integrated = attribute[18] != 0;
  return attribute.result();
}

bool add_device(Driver& driver, int ordinal, int version) {
  CuDevice device = 0;
  CuContext context = nullptr;
  char name[256] = {};
  std::size_t bytes = 0;
  DeviceInfo info{.place = GpuPlace{ordinal}, .driver_version = version};
  CuResult result = driver.device_get(&device, ordinal);
  if (result == cuda_success) result = driver.device_name(name, sizeof name - 1, device);
  if (result == cuda_success) result = driver.device_total_memory(&bytes, device);
  if (result == cuda_success) result = read_attributes(driver, device, info);
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
    driver.reason = "the CUDA driver is of version " + version_text(version) + ", at least 12.0 is needed";
    return;
  }
  int count = 0;
  if (const CuResult result = driver.device_count(&count); result != cuda_success) {
    driver.reason = "cuDeviceGetCount failed with " + error_text(driver, result);
    return;
  }
  if (count == 0) driver.reason = "the CUDA driver reports no GPU";
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    if (!add_device(driver, ordinal, version)) return;
  }
}

Driver open_driver() {
  Driver driver;
  runtime::Library library("the CUDA driver library", "TESSERA_CUDA_DRIVER", {"libcuda.so.1"});
  resolve_devices(library, driver);
  resolve_memory(library, driver);
  resolve_work(library, driver);
  resolve_graphs(library, driver);
  driver.reason = library.reason();
  if (driver.reason.empty()) find_devices(driver);
  if (!driver.devices.empty()) known_version.store(driver.devices.front().driver_version, std::memory_order_release);
  return driver;
}

}  // namespace

const Driver& driver() {
  static const Driver& opened = *new Driver(open_driver());
  return opened;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int known_driver_version() noexcept { return known_version.load(std::memory_order_acquire); }

std::string error_text(const Driver& driver, CuResult result) {
  const char* name = nullptr;
  if (driver.error_name != nullptr) driver.error_name(result, &name);
  return (name != nullptr ? std::string(name) : std::string("CUDA error")) + " (" + std::to_string(result) + ")";
}

}  // namespace tessera::device
