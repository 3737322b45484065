// A stand-in for the CUDA driver library: the functions that the device room calls, over memory of the host.
//
// Addresses of GPU memory are reserved without any access right, and the bytes lie elsewhere, so that a program that
// reads a GPU's memory without the driver ends at once. Every call is checked as the real driver would, or more strictly.
//
// Environment: FAKE_CUDA_DEVICES (default 2), FAKE_CUDA_VERSION (12080), FAKE_CUDA_FAIL=<function>:<result>,
// FAKE_CUDA_BROKEN_DEVICE=<ordinal>.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

constexpr int success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, invalid_device = 101,
              invalid_context = 201;
constexpr std::size_t gpu_bytes = std::size_t{64} << 20;
constexpr std::size_t pinned_bytes = std::size_t{32} << 20;
constexpr std::size_t granularity = 512;
constexpr int most_devices = 8;

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

std::byte* reserve(std::size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(memory);
}

struct Gpu {
  std::byte* addresses = reserve(gpu_bytes, PROT_NONE);
  std::byte* bytes = reserve(gpu_bytes, PROT_READ | PROT_WRITE);
  std::map<std::size_t, std::size_t> live{};  // offset and size

  bool owns(std::uint64_t address) const {
    const auto base = reinterpret_cast<std::uint64_t>(addresses);
    return address >= base && address < base + gpu_bytes;
  }
  std::size_t offset(std::uint64_t address) const { return address - reinterpret_cast<std::uint64_t>(addresses); }

  /// First fit; gpu_bytes if nothing fits.
  std::size_t find_gap(std::size_t size) const {
    std::size_t start = 0;
    for (const auto& [at, length] : live) {
      if (at - start >= size) return start;
      start = at + length;
    }
    return gpu_bytes - start >= size ? start : gpu_bytes;
  }

  /// The host bytes behind an address, if all of [address, address + size) lies in one live allocation.
  std::byte* behind(std::uint64_t address, std::size_t size) {
    auto block = live.upper_bound(offset(address));
    if (block == live.begin()) return nullptr;
    --block;
    return offset(address) + size <= block->first + block->second ? bytes + offset(address) : nullptr;
  }
};

struct Fake {
  std::mutex mutex;
  bool initialised = false;
  Gpu gpus[most_devices];
  std::map<void*, std::size_t> pinned;
  std::size_t pinned_in_use = 0;
  int failing_calls = 0;  // so many of the next copies and allocations fail
  int failure = success;
};

Fake& fake() {
  static Fake& instance = *new Fake;
  return instance;
}

thread_local Gpu* current = nullptr;

int device_total() { return number_from_environment("FAKE_CUDA_DEVICES", 2); }

bool fails_now() { return fake().failing_calls > 0 && fake().failing_calls-- > 0; }

/// Host bytes of any address, those of a GPU's memory included; null if a GPU's range is not allocated.
std::byte* resolve(std::uint64_t address, std::size_t size) {
  for (Gpu& gpu : fake().gpus) {
    if (gpu.owns(address)) return gpu.behind(address, size);
  }
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  if (const int failure = wanted_failure("cuInit"); failure != success) return failure;
  fake().initialised = true;
  return flags == 0 ? success : invalid_value;
}

int cuDriverGetVersion(int* version) {
  *version = number_from_environment("FAKE_CUDA_VERSION", 12080);
  return wanted_failure("cuDriverGetVersion");
}

int cuDeviceGetCount(int* count) {
  if (!fake().initialised) return not_initialized;
  *count = device_total();
  return wanted_failure("cuDeviceGetCount");
}

int cuDeviceGet(int* device, int ordinal) {
  if (!fake().initialised) return not_initialized;
  if (ordinal < 0 || ordinal >= device_total()) return invalid_device;
  *device = ordinal;
  return success;
}

int cuDeviceGetName(char* name, int length, int device) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU %d", device);
  return success;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int compute_major = 75, compute_minor = 76;
  if (attribute == compute_major) *value = 9;
  if (attribute == compute_minor) *value = device;
  return attribute == compute_major || attribute == compute_minor ? success : invalid_value;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = gpu_bytes;
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device == number_from_environment("FAKE_CUDA_BROKEN_DEVICE", -1)) return out_of_memory;
  *context = &fake().gpus[device];
  return success;
}

int cuCtxSetCurrent(void* context) {
  current = static_cast<Gpu*>(context);
  return success;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  const std::lock_guard lock(fake().mutex);
  if (current == nullptr) return invalid_context;
  if (bytes == 0) return invalid_value;
  if (fails_now()) return fake().failure;
  if (bytes > gpu_bytes) return out_of_memory;
  const std::size_t rounded = (bytes + granularity - 1) / granularity * granularity;
  const std::size_t offset = current->find_gap(rounded);
  if (offset == gpu_bytes) return out_of_memory;
  current->live[offset] = rounded;
  std::memset(current->bytes + offset, 0xcd, rounded);  // memory of a GPU is not zero
  *address = reinterpret_cast<std::uint64_t>(current->addresses + offset);
  return success;
}

int cuMemFree_v2(std::uint64_t address) {
  const std::lock_guard lock(fake().mutex);
  if (current == nullptr) return invalid_context;
  return current->owns(address) && current->live.erase(current->offset(address)) == 1 ? success : invalid_value;
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  const std::lock_guard lock(fake().mutex);
  if (current == nullptr) return invalid_context;
  if (bytes == 0) return invalid_value;
  if (bytes > pinned_bytes - fake().pinned_in_use) return out_of_memory;
  constexpr std::size_t page = 4096;
  *pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (*pointer == nullptr) return out_of_memory;
  fake().pinned[*pointer] = bytes;
  fake().pinned_in_use += bytes;
  return success;
}

int cuMemFreeHost(void* pointer) {
  const std::lock_guard lock(fake().mutex);
  const auto block = fake().pinned.find(pointer);
  if (block == fake().pinned.end()) return invalid_value;
  fake().pinned_in_use -= block->second;
  fake().pinned.erase(block);
  std::free(pointer);
  return success;
}

int cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  const std::lock_guard lock(fake().mutex);
  if (current == nullptr) return invalid_context;
  if (fails_now()) return fake().failure;
  std::byte* target = resolve(to, bytes);
  const std::byte* source = resolve(from, bytes);
  if (target == nullptr || source == nullptr) return invalid_value;
  std::memcpy(target, source, bytes);
  return success;
}

int cuGetErrorName(int result, const char** name) {
  switch (result) {
    case invalid_value: *name = "CUDA_ERROR_INVALID_VALUE"; return success;
    case out_of_memory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return success;
    case not_initialized: *name = "CUDA_ERROR_NOT_INITIALIZED"; return success;
    case 100: *name = "CUDA_ERROR_NO_DEVICE"; return success;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return success;
    default: *name = nullptr; return invalid_value;
  }
}

/// For the tests: number of blocks that GPU `ordinal` has given out.
std::size_t fake_live_blocks(int ordinal) {
  const std::lock_guard lock(fake().mutex);
  return fake().gpus[ordinal].live.size();
}

/// For the tests: number of pinned blocks given out.
std::size_t fake_pinned_blocks() {
  const std::lock_guard lock(fake().mutex);
  return fake().pinned.size();
}

/// For the tests: the next `calls` copies and GPU allocations return `result`.
void fake_fail(int calls, int result) {
  const std::lock_guard lock(fake().mutex);
  fake().failing_calls = calls;
  fake().failure = result;
}

}  // extern "C"
