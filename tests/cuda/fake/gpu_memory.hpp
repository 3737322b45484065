// Memory of the fake GPUs: addresses that the program cannot touch. The fake sees the same memory at other addresses,
// and opens the blocks that a kernel uses while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fake {

/// Bytes of each GPU: FAKE_CUDA_MEMORY in MiB, or 64 MiB.
std::size_t gpu_bytes();
inline constexpr std::size_t granularity = 4096;
inline constexpr int most_devices = 8;

/// The memory of one GPU.
class GpuMemory {
 public:
  GpuMemory();

  bool owns(std::uint64_t address) const;
  /// 0 if there is no room.
  std::uint64_t allocate(std::size_t bytes);
  /// False if no block begins at the address.
  bool free(std::uint64_t address);
  /// All of [address, address + bytes) lies in one live block.
  bool is_live(std::uint64_t address, std::size_t bytes) const;
  /// Begin and end of the live block that holds the address, or ends at it; two equal numbers if there is none.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  Range block_of(std::uint64_t address) const;
  std::size_t live_blocks() const { return live_.size(); }

  /// Where the fake sees an address of this GPU.
  std::byte* behind(std::uint64_t address) const;

 private:
  std::size_t find_gap(std::size_t size) const;

  std::byte* addresses_;
  std::byte* bytes_;
  std::map<std::size_t, std::size_t> live_;  // offset and size
};

/// Lets everybody touch a block of a GPU's memory, or nobody.
void open_block(std::uint64_t begin, std::uint64_t end);
void close_block(std::uint64_t begin, std::uint64_t end);

}  // namespace fake
