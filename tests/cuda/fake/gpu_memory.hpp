// Memory of the fake GPUs: addresses that the program cannot touch, except while the fake itself works with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace fake {

inline constexpr std::size_t gpu_bytes = std::size_t{64} << 20;
inline constexpr std::size_t granularity = 512;
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

  void open() const;
  void close() const;

 private:
  std::size_t find_gap(std::size_t size) const;

  std::byte* bytes_;
  std::map<std::size_t, std::size_t> live_;  // offset and size
};

}  // namespace fake
