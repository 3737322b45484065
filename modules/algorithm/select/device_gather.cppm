module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:device_gather;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;

// Picking slices by index on a GPU.
namespace tessera {

/// Slices of an array along its first axis and where they go; strides in elements, the first axis' first.
struct SliceCopy {
  storage::PlacedMemory to;
  storage::PlacedMemory from;
  std::span<const std::ptrdiff_t> slice;  // extents of one slice
};

/// Slice i of `to` becomes slice indices[i] of `from`, all of which exist, as work of this thread's stream.
void gather_on_device(const SliceCopy& copy, std::span<const std::int64_t> indices);

}  // namespace tessera
