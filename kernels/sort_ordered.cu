// Sorting elements that are put in order in a pass of their own, by CUB's radix sort: one kernel serves all types of a size. So are sorted small
// elements, for which CUB's kernels are large, and many rows, each by one block (sort_choice.hpp).
#include "sort_ordered.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace tessera::kernels {

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 4096;

unsigned blocks_for(std::int64_t count) {
  const std::int64_t blocks = (count - 1) / threads + 1;
  return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
}

__device__ std::int64_t first_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::int64_t index_step() { return std::int64_t{gridDim.x} * blockDim.x; }

__global__ void fill_positions(std::int64_t* positions, std::int64_t length, std::int64_t count) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) positions[i] = i % length;
}

template <class Bits>
__global__ void put_in_order(const Bits* from, Bits* ordered, std::int64_t count, Order<Bits> order) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) ordered[i] = order.ordered(from[i]);
}

template <class Bits>
__global__ void restore(Bits* elements, std::int64_t count, Order<Bits> order) {
  for (std::int64_t i = first_index(); i < count; i += index_step()) elements[i] = order.original(elements[i]);
}

/// The offset of a row's first element.
struct RowOffset {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * length; }
};

auto row_offsets(std::int64_t length, std::int64_t first) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(first), RowOffset{length});
}

/// Rows one after another, each by all blocks. For small elements alone: larger ones are sorted without a pass to order them.
template <class Bits>
constexpr bool can_sort_single_rows = sizeof(Bits) <= 2;

template <class Bits>
void sort_keys(const TesseraSort& sort, const Bits* keys, Bits* to, const TesseraStream& stream) {
  constexpr int bits = 8 * sizeof(Bits);
  if (!can_sort_single_rows<Bits> || sorts_at_once(sort.rows, sort.length)) {
    return with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys, to, sort.rows * sort.length, sort.rows,
                                                     row_offsets(sort.length, 0), row_offsets(sort.length, 1), 0, bits,
                                                     stream.stream);
    });
  }
  if constexpr (can_sort_single_rows<Bits>) {
    for (std::int64_t at = 0; at < sort.rows * sort.length; at += sort.length) {
      with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, keys + at, to + at, sort.length, 0, bits, stream.stream);
      });
    }
  }
}

/// Sorts keys and the positions 0, 1, ... of each row; the sorted keys go to `sorted`.
template <class Bits>
void sort_pairs(const TesseraSort& sort, const Bits* keys, Bits* sorted, const std::int64_t* positions,
                const TesseraStream& stream) {
  auto* to = static_cast<std::int64_t*>(sort.to);
  constexpr int bits = 8 * sizeof(Bits);
  const std::int64_t count = sort.rows * sort.length;
  if (!can_sort_single_rows<Bits> || sorts_at_once(sort.rows, sort.length)) {
    return with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSegmentedRadixSort::SortPairs(memory, bytes, keys, sorted, positions, to, count, sort.rows,
                                                      row_offsets(sort.length, 0), row_offsets(sort.length, 1), 0, bits,
                                                      stream.stream);
    });
  }
  if constexpr (can_sort_single_rows<Bits>) {
    for (std::int64_t at = 0; at < count; at += sort.length) {
      with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys + at, sorted + at, positions + at, to + at,
                                               sort.length, 0, bits, stream.stream);
      });
    }
  }
}

}  // namespace

void write_positions(std::int64_t* positions, std::int64_t length, std::int64_t count, const TesseraStream& stream) {
  fill_positions<<<blocks_for(count), threads, 0, stream.stream>>>(positions, length, count);
  check(cudaGetLastError());
}

template <class Bits>
void sort_ordered(const TesseraSort& sort, const Order<Bits>& order, const TesseraStream& stream) {
  const std::int64_t count = sort.rows * sort.length;
  auto* to = static_cast<Bits*>(sort.to);
  const Temporary keys(stream, count * sizeof(Bits));
  put_in_order<<<blocks_for(count), threads, 0, stream.stream>>>(static_cast<const Bits*>(sort.from), keys.as<Bits>(),
                                                                 count, order);
  check(cudaGetLastError());
  sort_keys(sort, keys.as<const Bits>(), to, stream);
  restore<<<blocks_for(count), threads, 0, stream.stream>>>(to, count, order);
  check(cudaGetLastError());
}

template <class Bits>
void argsort_ordered(const TesseraSort& sort, const Order<Bits>& order, const TesseraStream& stream) {
  const std::int64_t count = sort.rows * sort.length;
  const Temporary keys(stream, 2 * count * sizeof(Bits));
  const Temporary positions(stream, count * sizeof(std::int64_t));
  write_positions(positions.as<std::int64_t>(), sort.length, count, stream);
  put_in_order<<<blocks_for(count), threads, 0, stream.stream>>>(static_cast<const Bits*>(sort.from), keys.as<Bits>(),
                                                                 count, order);
  check(cudaGetLastError());
  sort_pairs(sort, keys.as<const Bits>(), keys.as<Bits>() + count, positions.as<const std::int64_t>(), stream);
}

template void sort_ordered(const TesseraSort&, const Order<std::uint8_t>&, const TesseraStream&);
template void sort_ordered(const TesseraSort&, const Order<std::uint16_t>&, const TesseraStream&);
template void sort_ordered(const TesseraSort&, const Order<std::uint32_t>&, const TesseraStream&);
template void sort_ordered(const TesseraSort&, const Order<std::uint64_t>&, const TesseraStream&);
template void argsort_ordered(const TesseraSort&, const Order<std::uint8_t>&, const TesseraStream&);
template void argsort_ordered(const TesseraSort&, const Order<std::uint16_t>&, const TesseraStream&);
template void argsort_ordered(const TesseraSort&, const Order<std::uint32_t>&, const TesseraStream&);
template void argsort_ordered(const TesseraSort&, const Order<std::uint64_t>&, const TesseraStream&);

}  // namespace tessera::kernels
