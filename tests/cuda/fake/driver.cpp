// A stand-in for the CUDA driver library: devices, memory and contexts. Work on streams is in driver_work.cpp.
//
// Addresses of GPU memory cannot be touched by the program, only by the fake while it copies or runs a kernel. Every
// call is checked as the real driver would, or more strictly: what only happens to work ends the process with a
// message.
//
// Environment: FAKE_CUDA_DEVICES (default 2), FAKE_CUDA_VERSION (13010), FAKE_CUDA_FAIL=<function>:<result>,
// FAKE_CUDA_BROKEN_DEVICE=<ordinal>, FAKE_CUDA_SEED (1), FAKE_CUDA_POOLS (1; 0 for GPUs without memory pools),
// FAKE_CUDA_MEMORY (64, in MiB), FAKE_CUDA_CAPABILITY=90 for GPUs that are all of compute capability 9.0 (else GPU n is of
// 9.n), FAKE_CUDA_SAME_GPUS=1 for GPUs that other processes have, too.
#include "driver.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

using namespace fake;

namespace {

int number_from_environment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : fallback;
}

/// The result that the environment wants of a function, or success.
int wanted_failure(const std::string& function) {
  const char* text = std::getenv("FAKE_CUDA_FAIL");
  const std::string wish = text != nullptr ? text : "";
  return wish.starts_with(function + ":") ? std::atoi(wish.c_str() + function.size() + 1) : success;
}

int device_total() { return number_from_environment("FAKE_CUDA_DEVICES", 2); }

}  // namespace

namespace fake {

thread_local Gpu* current = nullptr;

bool fails_now() {
  Machine& machine = Machine::instance();
  return machine.failing_calls > 0 && machine.failing_calls-- > 0;
}

}  // namespace fake

extern "C" {

int cuInit(unsigned flags) {
  if (const int failure = wanted_failure("cuInit"); failure != success) return failure;
  Machine::instance().initialised = true;
  return flags == 0 ? success : invalid_value;
}

int cuDriverGetVersion(int* version) {
  *version = number_from_environment("FAKE_CUDA_VERSION", 13010);
  return wanted_failure("cuDriverGetVersion");
}

int cuDeviceGetCount(int* count) {
  if (!Machine::instance().initialised) return not_initialized;
  *count = device_total();
  return wanted_failure("cuDeviceGetCount");
}

int cuDeviceGet(int* device, int ordinal) {
  if (!Machine::instance().initialised) return not_initialized;
  if (ordinal < 0 || ordinal >= device_total()) return invalid_device;
  *device = ordinal;
  return success;
}

int cuDeviceGetName(char* name, int length, int device) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU %d", device);
  return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (const int capability = number_from_environment("FAKE_CUDA_CAPABILITY", 0);
      capability != 0 && (attribute == 75 || attribute == 76)) {
    *value = attribute == 75 ? capability / 10 : capability % 10;
    return success;
  }
  switch (attribute) {
    case 1: *value = 1024; return success;      // threads of a block
    case 16: *value = 4; return success;        // multiprocessors
    case 18: *value = 0; return success;        // integrated
    case 38: *value = 1 << 20; return success;  // L2 cache
    case 39: *value = 2048; return success;     // threads of a multiprocessor
    case 40: *value = 2; return success;        // copy engines
    case 41: *value = 1; return success;        // unified addresses
    case 75: *value = 9; return success;        // compute capability
    case 76: *value = device; return success;
    case 97: *value = 232448; return success;                                          // shared memory of a block
    case 115: *value = number_from_environment("FAKE_CUDA_POOLS", 1); return success;  // memory pools
    default: return invalid_value;
  }
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = gpu_bytes();
  return success;
}

/// Other GPUs in each process, or, with FAKE_CUDA_SAME_GPUS, the same in all.
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  const int owner = number_from_environment("FAKE_CUDA_SAME_GPUS", 0) != 0 ? 1 : static_cast<int>(getpid());
  for (int byte = 0; byte < 16; ++byte) uuid[byte] = 0;
  for (int byte = 0; byte < 4; ++byte) uuid[byte] = static_cast<unsigned char>(owner >> (8 * byte));
  uuid[15] = static_cast<unsigned char>(device + 1);
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device == number_from_environment("FAKE_CUDA_BROKEN_DEVICE", -1)) return out_of_memory;
  *context = &Machine::instance().gpus[device];
  return success;
}

int cuCtxSetCurrent(void* context) {
  current = static_cast<Gpu*>(context);
  return success;
}

int cuCtxGetCurrent(void** context) {
  *context = current;
  return success;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  if (bytes == 0) return invalid_value;
  if (fails_now()) return machine.failure;
  *address = current->memory.allocate(bytes);
  if (*address == 0) return out_of_memory;
  machine.log("allocate " + std::to_string(bytes) + " bytes of gpu" + std::to_string(current->ordinal));
  return success;
}

int cuMemFree_v2(std::uint64_t address) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  if (!current->memory.owns(address)) return invalid_value;
  const GpuMemory::Range block = current->memory.block_of(address);
  machine.require_unused({block.begin, block.end}, "cuMemFree");
  return current->memory.free(address) ? success : invalid_value;
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (current == nullptr) return invalid_context;
  if (bytes == 0) return invalid_value;
  const std::size_t pinned_bytes = gpu_bytes() / 2;
  if (bytes > pinned_bytes - machine.pinned_in_use) return out_of_memory;
  constexpr std::size_t page = 4096;
  *pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (*pointer == nullptr) return out_of_memory;
  machine.pinned[reinterpret_cast<std::uint64_t>(*pointer)] = bytes;
  machine.pinned_in_use += bytes;
  return success;
}

int cuMemFreeHost(void* pointer) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  const auto block = machine.pinned.find(reinterpret_cast<std::uint64_t>(pointer));
  if (block == machine.pinned.end()) return invalid_value;
  machine.require_unused({block->first, block->first + block->second}, "cuMemFreeHost");
  machine.pinned_in_use -= block->second;
  machine.pinned.erase(block);
  std::free(pointer);
  return success;
}

int cuGetErrorName(int result, const char** name) {
  switch (result) {
    case invalid_value: *name = "CUDA_ERROR_INVALID_VALUE"; return success;
    case out_of_memory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return success;
    case not_initialized: *name = "CUDA_ERROR_NOT_INITIALIZED"; return success;
    case 100: *name = "CUDA_ERROR_NO_DEVICE"; return success;
    case invalid_image: *name = "CUDA_ERROR_INVALID_IMAGE"; return success;
    case invalid_context: *name = "CUDA_ERROR_INVALID_CONTEXT"; return success;
    case invalid_handle: *name = "CUDA_ERROR_INVALID_HANDLE"; return success;
    case not_found: *name = "CUDA_ERROR_NOT_FOUND"; return success;
    case 222: *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; return success;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return success;
    case 801: *name = "CUDA_ERROR_NOT_SUPPORTED"; return success;
    case 701: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; return success;
    case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return success;
    default: *name = nullptr; return invalid_value;
  }
}

// For the tests; fake_cuda.hpp says what they do.

std::size_t fake_live_blocks(int ordinal) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.gpus[ordinal].memory.live_blocks();
}

std::size_t fake_pinned_blocks() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.pinned.size();
}

void fake_fail(int calls, int result) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.failing_calls = calls;
  machine.failure = result;
}

void fake_break_next_work(int result) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.breaks_next_work = result;
}

void fake_hold(int is_held) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.is_held = is_held != 0;
}

void fake_start_log() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.start_log();
}

/// Copies up to `bytes` characters of the log and returns its length.
std::size_t fake_log(char* text, std::size_t bytes) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.text_of_log().copy(text, bytes), machine.text_of_log().size();
}

std::size_t fake_pending_work() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  std::size_t pending = 0;
  for (const auto& stream : machine.streams) pending += stream->pending.size();
  return pending;
}

std::size_t fake_events() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.events.size();
}

}  // extern "C"
