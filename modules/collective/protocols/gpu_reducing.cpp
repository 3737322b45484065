module;
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.darray;

// The steps of reductions between GPUs: pieces of what each rank has go to the rank that combines them, as in reducing.cpp.
namespace tessera::collective {

namespace {

std::vector<std::int64_t> one_of_each(int size) { return std::vector<std::int64_t>(static_cast<std::size_t>(size), 1); }

std::ptrdiff_t block_count(const LeavesOfRanks& leaves) {
  std::ptrdiff_t count = 0;
  for (const auto& subtrees : leaves.subtrees_of) count += std::ssize(subtrees);
  return count;
}

/// What the pieces of all ranks' blocks come to that this rank combines. Its own blocks lie one after the other. What is divided are elements of type `item`, or
/// rows of so many.
class CombinedPiece {
 public:
  CombinedPiece(GpuCall& call, const LeavesOfRanks& leaves, const Pieces& pieces, DType item, std::ptrdiff_t row = 1)
      : call_(call),
        leaves_(leaves),
        pieces_(pieces),
        item_(item),
        row_(row),
        piece_(pieces.count_of(call.rank()) * row) {
    const std::ptrdiff_t extents[] = {block_count(leaves), piece_};
    blocks_ = call.scratch(DDim(std::span<const std::ptrdiff_t>(extents)), item);
  }

  Protocol exchange(GpuMemory own_blocks) {
    const std::ptrdiff_t bytes = item_size(item_), row_bytes = row_ * bytes;
    std::vector<GpuPart> sent, received;
    const std::ptrdiff_t own_count = std::ssize(leaves_.subtrees_of[static_cast<std::size_t>(call_.rank())]);
    for (int other = 0; other < call_.size(); ++other) {
      for (std::ptrdiff_t block = 0; block < own_count; ++block) {
        const GpuMemory piece = own_blocks + (block * pieces_.count + pieces_.begin_of(other)) * row_bytes;
        sent.push_back({other, piece.data, pieces_.count_of(other) * row_bytes});
      }
    }
    const GpuMemory to(blocks_);
    for (int other = 0; other < call_.size(); ++other) {
      for (std::size_t block = 0; block < leaves_.subtrees_of[static_cast<std::size_t>(other)].size(); ++block)
        received.push_back({other, (to + std::ssize(received) * piece_ * bytes).data, piece_ * bytes});
    }
    return call_.exchange(std::move(sent), own_blocks, std::move(received), to);
  }

  DArray combine(DType dtype) const {
    std::vector<GpuPartial> partials;
    for (const auto& subtrees : leaves_.subtrees_of) {
      for (const auto& [begin, end] : subtrees) partials.push_back({begin, end, blocks_({std::ssize(partials), all})});
    }
    return combine_on_gpu(call_.operation().note.op, partials, 0, leaves_.count, accumulating_type(dtype), dtype);
  }

 private:
  GpuCall& call_;
  const LeavesOfRanks& leaves_;
  const Pieces& pieces_;
  DType item_;
  std::ptrdiff_t row_, piece_;
  DArray blocks_;
};

/// Combines the pieces of all ranks' blocks, and gives what they come to to all.
Protocol combine_for_all(GpuCall& call, LeavesOfRanks leaves, GpuMemory own_blocks, std::ptrdiff_t count, DType item) {
  const DType dtype = call.operation().note.dtype;
  const Pieces pieces{.count = count, .size = call.size()};
  CombinedPiece combined(call, leaves, pieces, item);
  Protocol moved = combined.exchange(own_blocks);
  co_await moved;
  const DArray sum = call.keep(combined.combine(dtype));
  Protocol gathered = call.all_gather(GpuMemory(sum), call.received(), pieces.bytes(item_size(dtype)));
  co_await gathered;
}

/// The same of one block of each rank, for the root alone.
Protocol combine_for_root(GpuCall& call) {
  const Operation& operation = call.operation();
  const DType dtype = operation.note.dtype;
  const std::ptrdiff_t count = operation.from.count(), item = item_size(dtype);
  const bool is_root = call.rank() == operation.note.root;
  const LeavesOfRanks leaves(one_of_each(call.size()));
  const Pieces pieces{.count = count, .size = call.size()};
  CombinedPiece combined(call, leaves, pieces, dtype);
  Protocol moved = combined.exchange(call.sent());
  co_await moved;
  const DArray sum = call.keep(combined.combine(dtype));
  const GpuMemory from(sum), to = is_root ? call.received() : GpuMemory();
  std::vector<GpuPart> sent{{operation.note.root, from.data, pieces.count_of(call.rank()) * item}}, received;
  if (is_root) received = parts_of(to, pieces.bytes(item));
  Protocol gathered = call.exchange(std::move(sent), from, std::move(received), to);
  co_await gathered;
}

/// Each rank keeps what its rows come to.
Protocol combine_rows(GpuCall& call) {
  const Operation& operation = call.operation();
  const DType dtype = operation.note.dtype;
  const LeavesOfRanks leaves(one_of_each(call.size()));
  const Pieces pieces{.count = operation.from.rows(), .size = call.size()};
  CombinedPiece combined(call, leaves, pieces, dtype, operation.from.row_bytes() / item_size(dtype));
  Protocol moved = combined.exchange(call.sent());
  co_await moved;
  call.deliver(combined.combine(dtype));
}

/// What the shards of this rank come to: one block of `count` elements for each of its subtrees.
DArray combined_shards(GpuCall& call, const LeavesOfRanks& leaves, std::ptrdiff_t count) {
  const Operation& operation = call.operation();
  const DType wide = accumulating_type(operation.note.dtype);
  const auto rank = static_cast<std::size_t>(call.rank());
  const auto& own = leaves.subtrees_of[rank];
  const std::ptrdiff_t extents[] = {operation.from.rows(), count}, block_extents[] = {std::ssize(own), count};
  const DArray shards = reshape(call.copy_of_operand(), DDim(std::span<const std::ptrdiff_t>(extents)));
  DArray blocks = call.scratch(DDim(std::span<const std::ptrdiff_t>(block_extents)), wide);
  if (count == 0) return blocks;
  for (std::ptrdiff_t tree = 0; tree < std::ssize(own); ++tree) {
    const auto [begin, end] = own[static_cast<std::size_t>(tree)];
    std::vector<GpuPartial> partials;
    for (std::ptrdiff_t shard = begin; shard < end; ++shard)
      partials.push_back({shard, shard + 1, shards({shard - leaves.firsts[rank], all})});
    blocks({tree, all}) = combine_on_gpu(operation.note.op, partials, begin, end, wide, wide);
  }
  return blocks;
}

}  // namespace

Protocol all_reduce_on_gpus(Operation& operation, const Agreement& agreement) {
  return on_gpus(operation, agreement, [&operation](GpuCall& call) {
    const LeavesOfRanks leaves(one_of_each(call.size()));
    return combine_for_all(call, leaves, call.sent(), operation.from.count(), operation.note.dtype);
  });
}

Protocol reduce_on_gpus(Operation& operation, const Agreement& agreement) {
  return on_gpus(operation, agreement, combine_for_root);
}

Protocol reduce_scatter_on_gpus(Operation& operation, const Agreement& agreement) {
  return on_gpus(operation, agreement, combine_rows);
}

Protocol reproducible_on_gpus(Operation& operation, const Agreement& agreement) {
  return on_gpus(operation, agreement, [&operation, &agreement](GpuCall& call) {
    const LeavesOfRanks leaves(agreement.said());
    const std::ptrdiff_t count = operation.to.count();
    const DArray blocks = combined_shards(call, leaves, count);
    return combine_for_all(call, leaves, GpuMemory(blocks), count, accumulating_type(operation.note.dtype));
  });
}

}  // namespace tessera::collective
