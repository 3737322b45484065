module;
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.darray;

// The steps of reductions.
namespace tessera::collective {

namespace {

/// Bytes of all ranks together up to which everything goes to everybody: one exchange instead of two. Ranks of one host need none at all for a few.
constexpr std::ptrdiff_t few_bytes = 32 * 1024;

/// Combines one block of each rank.
template <class BlockOf>
void combine_ranks(const Operation& operation, const BlockOf& block_of, std::ptrdiff_t count, void* to) {
  std::vector<Partial> partials;
  partials.reserve(static_cast<std::size_t>(operation.size()));
  for (int rank = 0; rank < operation.size(); ++rank) partials.push_back({rank, rank + 1, block_of(rank)});
  combine({.op = operation.note.op,
           .dtype = operation.note.dtype,
           .partials = partials,
           .begin = 0,
           .end = operation.size(),
           .count = count},
          to);
}

/// The same of blocks that lie one after the other.
void combine_blocks(const Operation& operation, const std::byte* blocks, std::ptrdiff_t count, void* to) {
  const std::ptrdiff_t bytes = count * item_size(operation.note.dtype);
  combine_ranks(operation, [&](int rank) { return blocks + rank * bytes; }, count, to);
}

/// The pieces of a chunk to the ranks that combine them.
Exchange pieces_of(Operation& operation, const Pieces& chunk, const std::vector<std::int64_t>& sent,
                   const std::vector<std::int64_t>& received, std::byte* blocks) {
  return {.kind = ExchangeKind::all_to_all,
          .from = operation.sent() + chunk.begin * item_size(operation.note.dtype),
          .to = blocks,
          .from_bytes = sent.data(),
          .to_bytes = received.data()};
}

/// Whether everything goes to everybody. What lies on GPUs does not come to the host to be shown.
bool are_few(const Operation& operation) { return operation.from.bytes() * operation.size() <= few_bytes; }

/// Shows what there is to all, if that is few.
Agreement agreement_on_few(Operation& operation) {
  if (!are_few(operation) || operation.hopes_for_gpus()) return Agreement(operation.turn());
  return {operation.turn(), operation.sent(), operation.from.bytes()};
}

void combine_shown(Operation& operation, const Agreement& agreement) {
  combine_ranks(
      operation, [&](int rank) { return agreement.shown_by(rank); }, operation.from.count(), operation.received());
  operation.deliver();
}

/// All of what each rank has to those who combine it: everybody, or the root.
Exchange gathering(Operation& operation, const std::vector<std::int64_t>& bytes, std::byte* to, bool to_root) {
  return {.kind = to_root ? ExchangeKind::gather : ExchangeKind::all_gather,
          .peer = operation.note.root,
          .from = operation.sent(),
          .to = to,
          .to_bytes = bytes.data()};
}

}  // namespace

Protocol all_reduce_steps(Operation& operation) {
  Agreement agreement = agreement_on_few(operation);
  co_await agreement;
  if (agreement.is_on_gpus()) {
    Protocol steps = all_reduce_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    combine_shown(operation, agreement);
    co_return;
  }
  const int size = operation.size(), rank = operation.rank();
  if (are_few(operation)) {
    const std::vector<std::int64_t> bytes = equal_bytes(size, operation.from.bytes());
    std::byte* const blocks = operation.scratch(size * operation.from.bytes());
    Transfer transfer = operation.exchange(gathering(operation, bytes, blocks, false));
    co_await transfer;
    combine_blocks(operation, blocks, operation.from.count(), operation.received());
    operation.deliver();
    co_return;
  }
  const std::ptrdiff_t item = item_size(operation.note.dtype);
  const std::vector<Pieces> chunks = chunks_of(operation.from.count(), size, item);
  std::byte* const blocks = operation.scratch(size * chunks.front().largest() * item);
  for (const Pieces& chunk : chunks) {
    const std::vector<std::int64_t> bytes = chunk.bytes(item);
    const std::vector<std::int64_t> received = equal_bytes(size, chunk.count_of(rank) * item);
    Transfer pieces = operation.exchange(pieces_of(operation, chunk, bytes, received, blocks));
    co_await pieces;
    std::byte* const results = operation.received() + chunk.begin * item;
    std::byte* const own = results + chunk.begin_of(rank) * item;
    combine_blocks(operation, blocks, chunk.count_of(rank), own);
    Transfer sums =
        operation.exchange({.kind = ExchangeKind::all_gather, .from = own, .to = results, .to_bytes = bytes.data()});
    co_await sums;
  }
  operation.deliver();
}

namespace {

/// Of two ranks the root combines everything: half of it would have to come back to it from the other.
Protocol reduce_of_two(Operation& operation) {
  const int rank = operation.rank();
  const bool is_root = rank == operation.note.root;
  const std::ptrdiff_t item = item_size(operation.note.dtype);
  const std::vector<Pieces> chunks = chunks_of(operation.from.count(), 1, item);
  std::byte* const block = is_root ? operation.scratch(chunks.front().count * item) : nullptr;
  for (const Pieces& chunk : chunks) {
    const std::int64_t bytes = chunk.count * item, before = chunk.begin * item;
    const std::int64_t sent[] = {is_root || rank == 0 ? 0 : bytes, is_root || rank == 1 ? 0 : bytes};
    const std::int64_t received[] = {is_root && rank == 1 ? bytes : 0, is_root && rank == 0 ? bytes : 0};
    const std::byte* const own = operation.sent() + before;
    Transfer part = operation.exchange(
        {.kind = ExchangeKind::all_to_all, .from = own, .to = block, .from_bytes = sent, .to_bytes = received});
    co_await part;
    if (!is_root) continue;
    combine_ranks(
        operation, [&](int of) { return of == rank ? own : block; }, chunk.count, operation.received() + before);
  }
  if (is_root) operation.deliver();
}

}  // namespace

Protocol reduce_steps(Operation& operation) {
  Agreement agreement = agreement_on_few(operation);
  co_await agreement;
  if (agreement.is_on_gpus()) {
    Protocol steps = reduce_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  const int size = operation.size(), rank = operation.rank();
  const bool is_root = rank == operation.note.root;
  if (agreement.is_all_shown()) {
    if (is_root) combine_shown(operation, agreement);
    co_return;
  }
  if (are_few(operation)) {
    const std::vector<std::int64_t> bytes = equal_bytes(size, operation.from.bytes());
    std::byte* const blocks = is_root ? operation.scratch(size * operation.from.bytes()) : nullptr;
    Transfer transfer = operation.exchange(gathering(operation, bytes, blocks, true));
    co_await transfer;
    if (is_root) combine_blocks(operation, blocks, operation.from.count(), operation.received());
    if (is_root) operation.deliver();
    co_return;
  }
  if (size == 2) {
    Protocol steps = reduce_of_two(operation);
    co_await steps;
    co_return;
  }
  const std::ptrdiff_t item = item_size(operation.note.dtype);
  const std::vector<Pieces> chunks = chunks_of(operation.from.count(), size, item);
  std::byte* const blocks = operation.scratch(size * chunks.front().largest() * item);
  std::byte* const sum = operation.scratch(chunks.front().largest() * item);
  for (const Pieces& chunk : chunks) {
    const std::vector<std::int64_t> bytes = chunk.bytes(item);
    const std::vector<std::int64_t> received = equal_bytes(size, chunk.count_of(rank) * item);
    Transfer pieces = operation.exchange(pieces_of(operation, chunk, bytes, received, blocks));
    co_await pieces;
    combine_blocks(operation, blocks, chunk.count_of(rank), sum);
    Transfer sums = operation.exchange({.kind = ExchangeKind::gather,
                                        .peer = operation.note.root,
                                        .from = sum,
                                        .to = is_root ? operation.received() + chunk.begin * item : nullptr,
                                        .to_bytes = bytes.data()});
    co_await sums;
  }
  if (is_root) operation.deliver();
}

Protocol reduce_scatter_steps(Operation& operation) {
  Agreement agreement = agreement_on_few(operation);
  co_await agreement;
  if (agreement.is_on_gpus()) {
    Protocol steps = reduce_scatter_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  const int size = operation.size();
  const Pieces parts{.count = operation.from.rows(), .size = size};
  if (agreement.is_all_shown()) {
    const std::ptrdiff_t before = parts.begin_of(operation.rank()) * operation.from.row_bytes();
    combine_ranks(
        operation, [&](int rank) { return agreement.shown_by(rank) + before; }, operation.to.count(),
        operation.received());
    operation.deliver();
    co_return;
  }
  const std::vector<std::int64_t> sent = parts.bytes(operation.from.row_bytes());
  const std::vector<std::int64_t> received = equal_bytes(size, operation.to.bytes());
  std::byte* const blocks = operation.scratch(size * operation.to.bytes());
  Transfer pieces = operation.exchange({.kind = ExchangeKind::all_to_all,
                                        .from = operation.sent(),
                                        .to = blocks,
                                        .from_bytes = sent.data(),
                                        .to_bytes = received.data()});
  co_await pieces;
  combine_blocks(operation, blocks, operation.to.count(), operation.received());
  operation.deliver();
}

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
  combine({.op = operation.note.op,
           .dtype = operation.note.dtype,
           .partials = partials,
           .begin = 0,
           .end = shards.count,
           .count = count},
          operation.received());
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
