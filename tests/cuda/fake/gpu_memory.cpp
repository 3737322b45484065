// Memory of the fake GPUs, in pages whose protection is changed.
#include "gpu_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace fake {

namespace {

void protect(std::uint64_t begin, std::uint64_t end, int protection) {
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, protection) != 0) std::abort();
}

/// Where the next GPU's addresses are to lie. Arguments of kernels are searched for addresses word by word, and two numbers side by side, such
/// as 2 and 32544, make a word like the addresses that the system would choose; 19755 of anything is in no test.
std::uint64_t next_addresses() {
  static std::uint64_t next = 0x4d2b'0000'0000;
  return std::exchange(next, next + gpu_bytes());
}

std::byte* map(std::uint64_t wish, int file, int protection) {
  void* memory = mmap(reinterpret_cast<void*>(wish), gpu_bytes(), protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<std::byte*>(memory);
}

}  // namespace

std::size_t gpu_bytes() {
  static const std::size_t bytes = [] {
    const char* const text = std::getenv("FAKE_CUDA_MEMORY");
    return static_cast<std::size_t>(text != nullptr ? std::atoi(text) : 64) << 20;
  }();
  return bytes;
}

GpuMemory::GpuMemory() {
  const int file = memfd_create("gpu", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, gpu_bytes()) != 0) std::abort();
  addresses_ = map(next_addresses(), file, PROT_NONE);
  bytes_ = map(0, file, PROT_READ | PROT_WRITE);
  ::close(file);
}

bool GpuMemory::owns(std::uint64_t address) const {
  const auto base = reinterpret_cast<std::uint64_t>(addresses_);
  return address >= base && address < base + gpu_bytes();
}

/// First fit; gpu_bytes() if nothing fits.
std::size_t GpuMemory::find_gap(std::size_t size) const {
  std::size_t start = 0;
  for (const auto& [at, length] : live_) {
    if (at - start >= size) return start;
    start = at + length;
  }
  return gpu_bytes() - start >= size ? start : gpu_bytes();
}

std::uint64_t GpuMemory::allocate(std::size_t bytes) {
  if (bytes > gpu_bytes()) return 0;
  const std::size_t rounded = (bytes + granularity - 1) / granularity * granularity;
  const std::size_t offset = find_gap(rounded);
  if (offset == gpu_bytes()) return 0;
  live_[offset] = rounded;
  std::memset(bytes_ + offset, 0xcd, rounded);  // memory of a GPU is not zero
  return reinterpret_cast<std::uint64_t>(addresses_ + offset);
}

bool GpuMemory::free(std::uint64_t address) {
  return owns(address) && live_.erase(address - reinterpret_cast<std::uint64_t>(addresses_)) == 1;
}

GpuMemory::Range GpuMemory::block_of(std::uint64_t address) const {
  const auto base = reinterpret_cast<std::uint64_t>(addresses_);
  auto block = live_.upper_bound(address - base);
  if (block == live_.begin()) return {};
  --block;
  const Range range{.begin = base + block->first, .end = base + block->first + block->second};
  return address <= range.end ? range : Range{};
}

bool GpuMemory::is_live(std::uint64_t address, std::size_t bytes) const {
  const Range block = block_of(address);
  return block.begin != block.end && address + bytes <= block.end;
}

std::byte* GpuMemory::behind(std::uint64_t address) const {
  return bytes_ + (address - reinterpret_cast<std::uint64_t>(addresses_));
}

void open_block(std::uint64_t begin, std::uint64_t end) { protect(begin, end, PROT_READ | PROT_WRITE); }

void close_block(std::uint64_t begin, std::uint64_t end) { protect(begin, end, PROT_NONE); }

}  // namespace fake
