module;
#include <cstddef>
#include <cstdint>
module tessera.device:driver_table;
import tessera.standard;
import tessera.core;
import :place;
import :table;

// The functions of the CUDA driver API that are used here, found by name at run time. Declared by their published C
// signatures, so that no CUDA header is needed.
namespace tessera::device {

using CuResult = int;
using CuDevice = int;
using CuContext = void*;
using CuStream = void*;
using CuEvent = void*;
using CuModule = void*;
using CuFunction = void*;
using CuGraph = void*;
using CuGraphNode = void*;
using CuGraphExec = void*;
using CuPointer = std::uint64_t;

inline constexpr CuResult cuda_success = 0;
inline constexpr CuResult cuda_out_of_memory = 2;
inline constexpr CuResult cuda_not_ready = 600;

/// CUDA_MEMCPY2D: one side in memory of the host or of a device, never in an array of CUDA's.
struct CuRows {
  static constexpr unsigned host = 1;
  static constexpr unsigned device = 2;
  static constexpr unsigned unified = 4;  // the address says which

  std::size_t from_x = 0, from_y = 0;
  unsigned from_type = device;
  const void* from_host = nullptr;
  CuPointer from_device = 0;
  void* from_array = nullptr;
  std::size_t from_pitch = 0;

  std::size_t to_x = 0, to_y = 0;
  unsigned to_type = device;
  void* to_host = nullptr;
  CuPointer to_device = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0;

  std::size_t row_bytes = 0;
  std::size_t rows = 0;
};
static_assert(sizeof(CuRows) == 128);

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct CuKernelNode {
  CuFunction function = nullptr;
  unsigned blocks = 0, blocks_y = 1, blocks_z = 1;
  unsigned threads = 0, threads_y = 1, threads_z = 1;
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  CuContext context = nullptr;
};
static_assert(sizeof(CuKernelNode) == 72);

struct Driver {
  std::string reason;  // why there is no device

  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*device_count)(int*) = nullptr;
  CuResult (*device_get)(CuDevice*, int) = nullptr;
  CuResult (*device_name)(char*, int, CuDevice) = nullptr;
  CuResult (*device_attribute)(int*, int, CuDevice) = nullptr;
  CuResult (*device_total_memory)(std::size_t*, CuDevice) = nullptr;
  CuResult (*device_uuid)(void*, CuDevice) = nullptr;  // null where there is none
  CuResult (*retain_context)(CuContext*, CuDevice) = nullptr;
  CuResult (*set_context)(CuContext) = nullptr;
  CuResult (*get_context)(CuContext*) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;

  CuResult (*memory_allocate)(CuPointer*, std::size_t) = nullptr;
  CuResult (*memory_free)(CuPointer) = nullptr;
  CuResult (*pool_allocate)(CuPointer*, std::size_t, CuStream) = nullptr;  // these two are null in old drivers
  CuResult (*pool_free)(CuPointer, CuStream) = nullptr;
  CuResult (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
  CuResult (*host_free)(void*) = nullptr;
  CuResult (*copy)(CuPointer, CuPointer, std::size_t, CuStream) = nullptr;
  CuResult (*copy_rows)(const CuRows*, CuStream) = nullptr;
  CuResult (*fill_8)(CuPointer, unsigned char, std::size_t, CuStream) = nullptr;
  CuResult (*fill_16)(CuPointer, unsigned short, std::size_t, CuStream) = nullptr;
  CuResult (*fill_32)(CuPointer, unsigned, std::size_t, CuStream) = nullptr;

  CuResult (*stream_create)(CuStream*, unsigned) = nullptr;
  CuResult (*stream_wait)(CuStream, CuEvent, unsigned) = nullptr;
  CuResult (*event_create)(CuEvent*, unsigned) = nullptr;
  CuResult (*event_record)(CuEvent, CuStream) = nullptr;
  CuResult (*event_query)(CuEvent) = nullptr;
  CuResult (*event_synchronize)(CuEvent) = nullptr;
  CuResult (*event_elapsed)(float*, CuEvent, CuEvent) = nullptr;
  CuResult (*event_destroy)(CuEvent) = nullptr;

  CuResult (*module_load)(CuModule*, const void*) = nullptr;
  CuResult (*module_function)(CuFunction*, CuModule, const char*) = nullptr;
  CuResult (*function_attribute)(int*, int, CuFunction) = nullptr;
  CuResult (*set_function_attribute)(CuFunction, int, int) = nullptr;
  CuResult (*occupancy)(int*, CuFunction, int, std::size_t) = nullptr;
  CuResult (*launch)(CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream, void**,
                     void**) = nullptr;

  // All or none of these are there.
  CuResult (*graph_create)(CuGraph*, unsigned) = nullptr;
  CuResult (*graph_add_kernel)(CuGraphNode*, CuGraph, const CuGraphNode*, std::size_t, const CuKernelNode*) = nullptr;
  CuResult (*graph_instantiate)(CuGraphExec*, CuGraph, unsigned long long) = nullptr;
  CuResult (*graph_update_kernel)(CuGraphExec, CuGraphNode, const CuKernelNode*) = nullptr;
  CuResult (*graph_launch)(CuGraphExec, CuStream) = nullptr;
  CuResult (*graph_exec_destroy)(CuGraphExec) = nullptr;
  CuResult (*graph_destroy)(CuGraph) = nullptr;
  bool has_graphs = false;

  std::vector<DeviceInfo> devices;
  std::vector<CuContext> contexts;  // the primary context of each device
};

/// Opened on first use and never closed, so that arrays with static storage can still be freed at exit.
const Driver& driver();

/// CUDA's version of the driver, 12080 for 12.8, if driver() has been called and has found a GPU; otherwise 0.
int known_driver_version() noexcept;

/// "12.8" for 12080.
std::string version_text(int version);

/// CUDA's name of a result with its number: "CUDA_ERROR_ILLEGAL_ADDRESS (700)".
std::string error_text(const Driver& driver, CuResult result);

inline CuPointer address(const void* pointer) { return reinterpret_cast<CuPointer>(pointer); }

}  // namespace tessera::device
