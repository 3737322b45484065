// Scans of rows. A row is cut into chunks of a fixed size: their totals are scanned first, then each chunk is scanned from where those
// before it end. CUB's DeviceScan reads memory once less, but in which order it adds up what other blocks have found depends on when
// they found it, so running sums of floating elements would differ from run to run. Of one row of integers it is taken: they add up to the same
// in any order.
#include "scan.h"

#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "totals.cuh"

namespace tessera::kernels {

namespace {

constexpr int threads = 256;
constexpr int per_thread = 8;
constexpr int tile = threads * per_thread;                   // elements that a block holds at a time
constexpr std::int64_t chunk = std::int64_t{16} * tile;      // that a block takes one tile after the other
constexpr std::int64_t most_blocks = std::int64_t{1} << 20;  // further chunks are taken by the same blocks

/// Rows of `length` elements, each cut into `chunks` chunks.
struct Rows {
  std::int64_t rows, length, chunks;
};

__host__ __device__ std::int64_t chunk_length(const Rows& rows, std::int64_t number) {
  const std::int64_t left = rows.length - number % rows.chunks * chunk;
  return left < chunk ? left : chunk;
}

__host__ __device__ std::int64_t chunk_start(const Rows& rows, std::int64_t number) {
  return number / rows.chunks * rows.length + number % rows.chunks * chunk;
}

template <class T>
using LoadTile = cub::BlockLoad<T, threads, per_thread, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
template <class T>
using StoreTile = cub::BlockStore<T, threads, per_thread, cub::BLOCK_STORE_WARP_TRANSPOSE>;

__device__ int in_tile(std::int64_t left) { return static_cast<int>(left < tile ? left : tile); }

/// Loads up to a tile of elements, each thread neighbours, and neutral ones behind the last. The memory may be used again afterwards.
template <class T, class Operation>
__device__ void load_tile(typename LoadTile<T>::TempStorage& shared, const T* from, std::int64_t left,
                          typename TotalOf<T>::Total (&values)[per_thread]) {
  using Total = typename TotalOf<T>::Total;
  T elements[per_thread];
  LoadTile<T>(shared).Load(from, elements, in_tile(left));
  __syncthreads();
  for (int i = 0; i < per_thread; ++i) {
    const int at = static_cast<int>(threadIdx.x) * per_thread + i;
    values[i] = at < left ? Widened<T>{}(elements[i]) : Operation::template identity<Total>();
  }
}

/// The total of each chunk.
template <class T, class Operation>
__global__ void __launch_bounds__(threads)
    add_up_chunks(const T* from, typename TotalOf<T>::Total* totals, Rows rows, std::int64_t first) {
  using Total = typename TotalOf<T>::Total;
  using Block = cub::BlockReduce<Total, threads, cub::BLOCK_REDUCE_RAKING>;
  __shared__ union {
    typename LoadTile<T>::TempStorage load;
    typename Block::TempStorage reduce;
  } shared;
  const std::int64_t number = first + blockIdx.x;
  const T* start = from + chunk_start(rows, number);
  const std::int64_t length = chunk_length(rows, number);
  Total total = Operation::template identity<Total>();
  for (std::int64_t done = 0; done < length; done += tile) {
    Total values[per_thread];
    load_tile<T, Operation>(shared.load, start + done, length - done, values);
    const Total sum = Block(shared.reduce).Reduce(values, Operation{});
    __syncthreads();
    total = Operation{}(total, sum);  // of use in thread 0 alone
  }
  if (threadIdx.x == 0) totals[number] = total;
}

/// For each row, the total of what comes before each chunk; a block per row.
template <class Total, class Operation>
__global__ void __launch_bounds__(threads) scan_totals(Total* totals, std::int64_t chunks) {
  using Block = cub::BlockScan<Total, threads>;
  __shared__ typename Block::TempStorage shared;
  Total* row = totals + blockIdx.x * chunks;
  Total before = Operation::template identity<Total>();
  for (std::int64_t done = 0; done < chunks; done += threads) {
    const std::int64_t at = done + threadIdx.x;
    Total value = at < chunks ? row[at] : Operation::template identity<Total>();
    Total sum;
    Block(shared).ExclusiveScan(value, value, Operation::template identity<Total>(), Operation{}, sum);
    __syncthreads();
    if (at < chunks) row[at] = Operation{}(before, value);
    before = Operation{}(before, sum);
  }
}

/// Scans each chunk from the total before it; without totals a chunk is a whole row.
template <class T, class Operation>
__global__ void __launch_bounds__(threads)
    scan_chunks(const T* from, typename TotalOf<T>::Result* to, const typename TotalOf<T>::Total* totals, Rows rows,
                std::int64_t first) {
  using Total = typename TotalOf<T>::Total;
  using Block = cub::BlockScan<Total, threads>;
  using Result = typename TotalOf<T>::Result;
  __shared__ union {
    typename LoadTile<T>::TempStorage load;
    typename Block::TempStorage scan;
    typename StoreTile<Result>::TempStorage store;
  } shared;
  const std::int64_t number = first + blockIdx.x;
  const std::int64_t start = chunk_start(rows, number);
  const std::int64_t length = chunk_length(rows, number);
  Total before = totals != nullptr ? totals[number] : Operation::template identity<Total>();
  for (std::int64_t done = 0; done < length; done += tile) {
    Total values[per_thread];
    load_tile<T, Operation>(shared.load, from + start + done, length - done, values);
    Total sum;
    Block(shared.scan).InclusiveScan(values, values, Operation{}, sum);
    __syncthreads();
    Result results[per_thread];
    for (int i = 0; i < per_thread; ++i) results[i] = Narrowed<T>{}(Operation{}(before, values[i]));
    StoreTile<Result>(shared.store).Store(to + start + done, results, in_tile(length - done));
    __syncthreads();
    before = Operation{}(before, sum);
  }
}

/// Calls body(first, blocks) until as many blocks as there are chunks have been launched.
template <class Body>
void launch_in_parts(std::int64_t chunks, const Body& body) {
  for (std::int64_t first = 0; first < chunks; first += most_blocks) {
    body(first, static_cast<unsigned>(chunks - first < most_blocks ? chunks - first : most_blocks));
    check(cudaGetLastError());
  }
}

template <class T, class Operation>
void scan_rows(const TesseraScan& scan, const TesseraStream& stream) {
  using Total = typename TotalOf<T>::Total;
  const auto* from = static_cast<const T*>(scan.from);
  auto* to = static_cast<typename TotalOf<T>::Result*>(scan.to);
  const Rows rows{scan.rows, scan.length, (scan.length - 1) / chunk + 1};
  const std::int64_t chunks = rows.rows * rows.chunks;
  const bool is_cut = rows.chunks > 1;
  const Temporary totals(stream, is_cut ? chunks * sizeof(Total) : sizeof(Total));
  if (is_cut) {
    launch_in_parts(chunks, [&](std::int64_t first, unsigned blocks) {
      add_up_chunks<T, Operation><<<blocks, threads, 0, stream.stream>>>(from, totals.as<Total>(), rows, first);
    });
    scan_totals<Total, Operation>
        <<<static_cast<unsigned>(rows.rows), threads, 0, stream.stream>>>(totals.as<Total>(), rows.chunks);
    check(cudaGetLastError());
  }
  launch_in_parts(chunks, [&](std::int64_t first, unsigned blocks) {
    scan_chunks<T, Operation>
        <<<blocks, threads, 0, stream.stream>>>(from, to, is_cut ? totals.as<Total>() : nullptr, rows, first);
  });
}

template <class T, class Operation>
void scan_one_row(const TesseraScan& scan, const TesseraStream& stream) {
  const auto from = thrust::make_transform_iterator(static_cast<const T*>(scan.from), Widened<T>{});
  auto* to = static_cast<typename TotalOf<T>::Result*>(scan.to);
  with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(memory, bytes, from, to, Operation{}, scan.length, stream.stream);
  });
}

template <class T, class Operation>
void scan_with(const TesseraScan& scan, const TesseraStream& stream) {
  if constexpr (std::is_integral_v<typename TotalOf<T>::Total>) {
    if (scan.rows == 1) return scan_one_row<T, Operation>(scan, stream);
  }
  scan_rows<T, Operation>(scan, stream);
}

void scan_by(const TesseraScan& scan, const TesseraStream& stream) {
  with_type(scan.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if (scan.rows == 0 || scan.length == 0) return;
    if (scan.operation == TESSERA_SCAN_SUM) return scan_with<T, Sum>(scan, stream);
    if (scan.operation == TESSERA_SCAN_PRODUCT) return scan_with<T, Product>(scan, stream);
    refuse();
  });
}

}  // namespace

}  // namespace tessera::kernels

int tessera_scan(const TesseraScan* scan, const TesseraStream* stream, TesseraFailure* failure) {
  return tessera::kernels::guarded(failure, [&] { tessera::kernels::scan_by(*scan, *stream); });
}
