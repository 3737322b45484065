module;
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;

// Combining subtrees of shards where they are, and their roots in pieces.
namespace tessera::collective {

namespace {

/// Combines all shards, which all ranks have shown.
void combine_shown_shards(Operation& operation, const Agreement& agreement, const LeavesOfRanks& shards) {
  const std::ptrdiff_t count = operation.to.count(), bytes = operation.to.bytes();
  std::vector<Partial> partials;
  for (int rank = 0; rank < operation.size(); ++rank) {
    for (std::ptrdiff_t shard = 0; shard < agreement.note_of(rank).own; ++shard) {
      const std::ptrdiff_t number = shards.firsts[static_cast<std::size_t>(rank)] + shard;
      partials.push_back({number, number + 1, agreement.shown_by(rank) + shard * bytes});
    }
  }
  combine_all(operation, partials, count, operation.received());
  operation.deliver();
}

/// What the shards of this rank come to, a block of `count` elements for each of its subtrees.
const std::byte* combined_own(Operation& operation, const LeavesOfRanks& shards, std::ptrdiff_t count) {
  const Note& note = operation.note;
  const auto& own = shards.subtrees_of[static_cast<std::size_t>(operation.rank())];
  const bool are_shards = std::ssize(own) == note.own && accumulating_type(note.dtype) == note.dtype;
  if (are_shards) return operation.sent();
  std::byte* const sums = operation.scratch(std::ssize(own) * count * item_size(accumulating_type(note.dtype)));
  std::byte* to = sums;
  const std::ptrdiff_t shard_bytes = count * item_size(note.dtype);
  const std::ptrdiff_t block_bytes = count * item_size(accumulating_type(note.dtype));
  const auto rank = static_cast<std::size_t>(operation.rank());
  for (const auto& [begin, end] : shards.subtrees_of[rank]) {
    std::vector<Partial> partials;
    for (std::ptrdiff_t shard = begin; shard < end; ++shard)
      partials.push_back({shard, shard + 1, operation.sent() + (shard - shards.firsts[rank]) * shard_bytes});
    combine({.op = note.op,
             .dtype = note.dtype,
             .partials = partials,
             .begin = begin,
             .end = end,
             .count = count,
             .stays_wide = true},
            to);
    to += block_bytes;
  }
  return sums;
}

/// The pieces that go to each rank, of each of this rank's blocks one: as they lie, if there is one block.
const std::byte* packed(const Pieces& chunk, std::ptrdiff_t item, const std::byte* blocks, std::ptrdiff_t block_count,
                        std::ptrdiff_t block_bytes, std::byte* room) {
  if (block_count == 1) return blocks + chunk.begin * item;
  std::byte* at = room;
  for (int other = 0; other < chunk.size; ++other) {
    const std::ptrdiff_t before = (chunk.begin + chunk.begin_of(other)) * item, bytes = chunk.count_of(other) * item;
    for (std::ptrdiff_t block = 0; block < block_count; ++block) {
      std::memcpy(at, blocks + block * block_bytes + before, static_cast<std::size_t>(bytes));
      at += bytes;
    }
  }
  return room;
}

}  // namespace

Protocol reproducible_steps(Operation& operation) {
  Agreement agreement = agreement_on_few(operation);
  co_await agreement;
  const int size = operation.size(), rank = operation.rank();
  const LeavesOfRanks shards(agreement.said());
  const auto& own = shards.subtrees_of[static_cast<std::size_t>(rank)];
  const std::ptrdiff_t count = operation.to.count(), item = item_size(accumulating_type(operation.note.dtype));
  if (shards.count == 0) {
    throw ShapeError(to_string(Failure{.operation = "all_reduce", .problem = "no rank has a shard"}));
  }
  if (agreement.is_on_gpus()) {
    Protocol steps = reproducible_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    combine_shown_shards(operation, agreement, shards);
    co_return;
  }
  const std::byte* const sums = combined_own(operation, shards, count);
  std::size_t block_count = 0;
  for (const auto& subtrees_of_rank : shards.subtrees_of) block_count += subtrees_of_rank.size();
  const std::vector<Pieces> chunks = chunks_of(count, size, item);
  const std::ptrdiff_t largest = chunks.empty() ? 0 : chunks.front().largest() * item;
  std::byte* const room = operation.scratch(std::ssize(own) > 1 ? std::ssize(own) * size * largest : 0);
  std::byte* const blocks = operation.scratch(static_cast<std::ptrdiff_t>(block_count) * largest);
  for (const Pieces& chunk : chunks) {
    const std::ptrdiff_t own_bytes = chunk.count_of(rank) * item;
    const std::vector<std::int64_t> sent = chunk.bytes(std::ssize(own) * item);
    std::vector<std::int64_t> received;
    for (const auto& subtrees_of_rank : shards.subtrees_of)
      received.push_back(std::ssize(subtrees_of_rank) * own_bytes);
    Transfer pieces = operation.exchange({.kind = ExchangeKind::all_to_all,
                                          .from = packed(chunk, item, sums, std::ssize(own), count * item, room),
                                          .to = blocks,
                                          .from_bytes = sent.data(),
                                          .to_bytes = received.data()});
    co_await pieces;
    std::vector<Partial> partials;
    for (const auto& subtrees_of_rank : shards.subtrees_of) {
      for (const auto& [begin, end] : subtrees_of_rank)
        partials.push_back({begin, end, blocks + std::ssize(partials) * own_bytes});
    }
    // Of 16-bit numbers the results are half as wide as what they are made of.
    const std::ptrdiff_t narrow = item_size(operation.note.dtype);
    std::byte* const results = operation.received() + chunk.begin * narrow;
    std::byte* const own_results = results + chunk.begin_of(rank) * narrow;
    combine({.op = operation.note.op,
             .dtype = operation.note.dtype,
             .partials = partials,
             .begin = 0,
             .end = shards.count,
             .count = chunk.count_of(rank),
             .is_wide = true},
            own_results);
    const std::vector<std::int64_t> result_bytes = chunk.bytes(narrow);
    Transfer all = operation.exchange(
        {.kind = ExchangeKind::all_gather, .from = own_results, .to = results, .to_bytes = result_bytes.data()});
    co_await all;
  }
  operation.deliver();
}

}  // namespace tessera::collective
