// A CUDA driver that does nothing, at no cost: what a program spends with it is its own. It has one GPU of compute capability 9.0, whose
// memory cannot be touched and whose work is done as soon as it is given. By the fake NVRTC with FAKE_NVRTC_COLLECT=1 it gets kernels.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0, invalid_value = 1;

std::atomic<std::uint64_t> next_address = std::uint64_t{1} << 40;
std::atomic<unsigned long> launches = 0, graph_launches = 0, graph_updates = 0;
thread_local void* current = nullptr;
int anything = 0;  // what handles point to

}  // namespace

extern "C" {

unsigned long idle_launches() { return launches.load(std::memory_order_relaxed); }
unsigned long idle_graph_launches() { return graph_launches.load(std::memory_order_relaxed); }
unsigned long idle_graph_updates() { return graph_updates.load(std::memory_order_relaxed); }

int cuInit(unsigned) { return success; }
int cuDriverGetVersion(int* version) { return *version = 13010, success; }
int cuDeviceGetCount(int* count) { return *count = 1, success; }
int cuDeviceGet(int* device, int) { return *device = 0, success; }
int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "Idle GPU", static_cast<std::size_t>(length));
  return success;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 1: return *value = 1024, success;
    case 16: return *value = 132, success;
    case 39: return *value = 2048, success;
    case 75: return *value = 9, success;
    case 97: return *value = 232448, success;
    case 115: return *value = 0, success;  // no memory pools
    default: return *value = 0, success;
  }
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{1} << 34, success; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &anything, success; }
int cuCtxSetCurrent(void* context) { return current = context, success; }
int cuCtxGetCurrent(void** context) { return *context = current, success; }
int cuGetErrorName(int, const char** name) { return *name = "an error", success; }

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  constexpr std::uint64_t page = 1 << 20;
  *address = next_address.fetch_add((bytes + page - 1) / page * page);
  return success;
}
int cuMemFree_v2(std::uint64_t) { return success; }
int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  constexpr std::size_t page = 4096;
  *pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  return *pointer != nullptr ? success : 2;
}
int cuMemFreeHost(void* pointer) { return std::free(pointer), success; }
int cuMemcpyAsync(std::uint64_t, std::uint64_t, std::size_t, void*) { return success; }
int cuMemcpy2DAsync_v2(const void*, void*) { return success; }
int cuMemsetD8Async(std::uint64_t, unsigned char, std::size_t, void*) { return success; }
int cuMemsetD16Async(std::uint64_t, unsigned short, std::size_t, void*) { return success; }
int cuMemsetD32Async(std::uint64_t, unsigned, std::size_t, void*) { return success; }

int cuStreamCreate(void** stream, unsigned) { return *stream = new int, success; }
int cuStreamWaitEvent(void*, void*, unsigned) { return success; }
int cuEventCreate(void** event, unsigned) { return *event = new int, success; }
int cuEventRecord(void*, void*) { return success; }
int cuEventQuery(void*) { return success; }
int cuEventSynchronize(void*) { return success; }
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 0, success; }
int cuEventDestroy_v2(void* event) { return delete static_cast<int*>(event), success; }

int cuModuleLoadData(void** module, const void*) { return *module = new int, success; }
int cuModuleGetFunction(void** function, void* module, const char*) { return *function = module, success; }
int cuFuncGetAttribute(int* value, int attribute, void*) {
  return *value = attribute == 0 ? 1024 : attribute == 4 ? 32 : 0, success;
}
int cuFuncSetAttribute(void*, int, int) { return success; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) { return *blocks = 8, success; }
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void** extra) {
  launches.fetch_add(1, std::memory_order_relaxed);
  return extra != nullptr ? success : invalid_value;
}

int cuGraphCreate(void** graph, unsigned) { return *graph = new int, success; }
int cuGraphAddKernelNode_v2(void** node, void*, void* const*, std::size_t, const void*) {
  return *node = &anything, success;
}
int cuGraphInstantiateWithFlags(void** exec, void*, unsigned long long) { return *exec = new int, success; }
int cuGraphExecKernelNodeSetParams_v2(void*, void*, const void*) {
  graph_updates.fetch_add(1, std::memory_order_relaxed);
  return success;
}
int cuGraphLaunch(void*, void*) {
  graph_launches.fetch_add(1, std::memory_order_relaxed);
  return success;
}
int cuGraphExecDestroy(void* exec) { return delete static_cast<int*>(exec), success; }
int cuGraphDestroy(void* graph) { return delete static_cast<int*>(graph), success; }

}  // extern "C"
