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

/// Bytes that are reduced at a time: what is exchanged is still in the cache when it is combined.
constexpr std::ptrdiff_t chunk_bytes = 1024 * 1024;

/// A part of the elements, cut into a piece for each rank.
class Chunk {
 public:
  Chunk(std::ptrdiff_t begin, std::ptrdiff_t count, int size, std::ptrdiff_t item)
      : begin_(begin), item_(item), bytes_(part_bytes(size, count, item)) {
    std::int64_t start = 0;
    for (const std::int64_t bytes : bytes_) {
      starts_.push_back(start);
      start += bytes;
    }
  }

  std::ptrdiff_t begin_bytes() const { return begin_ * item_; }
  const std::int64_t* bytes() const { return bytes_.data(); }
  std::int64_t bytes_of(int rank) const { return bytes_[static_cast<std::size_t>(rank)]; }
  std::ptrdiff_t count_of(int rank) const { return bytes_of(rank) / item_; }
  /// Where a rank's piece begins, from the beginning of the chunk.
  std::int64_t start_of(int rank) const { return starts_[static_cast<std::size_t>(rank)]; }

 private:
  std::ptrdiff_t begin_, item_;
  std::vector<std::int64_t> bytes_, starts_;
};

std::vector<Chunk> chunks_of(std::ptrdiff_t count, int size, std::ptrdiff_t item) {
  const std::ptrdiff_t most = std::max<std::ptrdiff_t>(chunk_bytes / item / size, 1) * size;
  std::vector<Chunk> chunks;
  for (std::ptrdiff_t at = 0; at < count; at += most) chunks.emplace_back(at, std::min(most, count - at), size, item);
  return chunks;
}

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
Exchange pieces_of(Operation& operation, const Chunk& chunk, const std::vector<std::int64_t>& received,
                   std::byte* blocks) {
  return {.kind = ExchangeKind::all_to_all,
          .from = operation.sent() + chunk.begin_bytes(),
          .to = blocks,
          .from_bytes = chunk.bytes(),
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
  const std::vector<Chunk> chunks = chunks_of(operation.from.count(), size, item_size(operation.note.dtype));
  std::byte* const blocks = operation.scratch(size * chunks.front().bytes_of(0));
  for (const Chunk& chunk : chunks) {
    const std::vector<std::int64_t> received = equal_bytes(size, chunk.bytes_of(rank));
    Transfer pieces = operation.exchange(pieces_of(operation, chunk, received, blocks));
    co_await pieces;
    std::byte* const results = operation.received() + chunk.begin_bytes();
    combine_blocks(operation, blocks, chunk.count_of(rank), results + chunk.start_of(rank));
    Transfer sums = operation.exchange({.kind = ExchangeKind::all_gather,
                                        .from = results + chunk.start_of(rank),
                                        .to = results,
                                        .to_bytes = chunk.bytes()});
    co_await sums;
  }
  operation.deliver();
}

namespace {

/// Of two ranks the root combines everything: half of it would have to come back to it from the other.
Protocol reduce_of_two(Operation& operation) {
  const int rank = operation.rank();
  const bool is_root = rank == operation.note.root;
  const std::ptrdiff_t item = item_size(operation.note.dtype), count = operation.from.count();
  const std::ptrdiff_t most = chunk_bytes / item;
  std::byte* const block = is_root ? operation.scratch(std::min(count, most) * item) : nullptr;
  for (std::ptrdiff_t at = 0; at < count; at += most) {
    const std::ptrdiff_t here = std::min(most, count - at);
    const std::int64_t bytes = here * item;
    const std::int64_t sent[] = {is_root || rank == 0 ? 0 : bytes, is_root || rank == 1 ? 0 : bytes};
    const std::int64_t received[] = {is_root && rank == 1 ? bytes : 0, is_root && rank == 0 ? bytes : 0};
    const std::byte* const own = operation.sent() + at * item;
    Transfer part = operation.exchange(
        {.kind = ExchangeKind::all_to_all, .from = own, .to = block, .from_bytes = sent, .to_bytes = received});
    co_await part;
    if (!is_root) continue;
    combine_ranks(operation, [&](int of) { return of == rank ? own : block; }, here, operation.received() + at * item);
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
  const std::vector<Chunk> chunks = chunks_of(operation.from.count(), size, item_size(operation.note.dtype));
  std::byte* const blocks = operation.scratch(size * chunks.front().bytes_of(0));
  std::byte* const sum = operation.scratch(chunks.front().bytes_of(0));
  for (const Chunk& chunk : chunks) {
    const std::vector<std::int64_t> received = equal_bytes(size, chunk.bytes_of(rank));
    Transfer pieces = operation.exchange(pieces_of(operation, chunk, received, blocks));
    co_await pieces;
    combine_blocks(operation, blocks, chunk.count_of(rank), sum);
    Transfer sums = operation.exchange({.kind = ExchangeKind::gather,
                                        .peer = operation.note.root,
                                        .from = sum,
                                        .to = is_root ? operation.received() + chunk.begin_bytes() : nullptr,
                                        .to_bytes = chunk.bytes()});
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
  if (agreement.is_all_shown()) {
    std::ptrdiff_t first_row = 0;
    for (int rank = 0; rank < operation.rank(); ++rank) first_row += part_extent(operation.from.rows(), size, rank);
    const std::ptrdiff_t before = first_row * operation.from.row_bytes();
    combine_ranks(
        operation, [&](int rank) { return agreement.shown_by(rank) + before; }, operation.to.count(),
        operation.received());
    operation.deliver();
    co_return;
  }
  const std::vector<std::int64_t> sent = part_bytes(size, operation.from.rows(), operation.from.row_bytes());
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
const std::byte* packed(const Chunk& chunk, const std::byte* blocks, std::ptrdiff_t block_count,
                        std::ptrdiff_t block_bytes, int size, std::byte* room) {
  if (block_count == 1) return blocks + chunk.begin_bytes();
  std::byte* at = room;
  for (int other = 0; other < size; ++other) {
    for (std::ptrdiff_t block = 0; block < block_count; ++block) {
      const std::byte* const piece = blocks + block * block_bytes + chunk.begin_bytes() + chunk.start_of(other);
      std::memcpy(at, piece, static_cast<std::size_t>(chunk.bytes_of(other)));
      at += chunk.bytes_of(other);
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
  const std::vector<Chunk> chunks = chunks_of(count, size, item);
  const std::int64_t largest = chunks.empty() ? 0 : chunks.front().bytes_of(0);
  std::byte* const room = operation.scratch(std::ssize(own) > 1 ? std::ssize(own) * size * largest : 0);
  std::byte* const blocks = operation.scratch(static_cast<std::ptrdiff_t>(block_count) * largest);
  for (const Chunk& chunk : chunks) {
    std::vector<std::int64_t> sent, received;
    for (int other = 0; other < size; ++other) {
      sent.push_back(std::ssize(own) * chunk.bytes_of(other));
      received.push_back(std::ssize(shards.subtrees_of[static_cast<std::size_t>(other)]) * chunk.bytes_of(rank));
    }
    Transfer pieces = operation.exchange({.kind = ExchangeKind::all_to_all,
                                          .from = packed(chunk, sums, std::ssize(own), count * item, size, room),
                                          .to = blocks,
                                          .from_bytes = sent.data(),
                                          .to_bytes = received.data()});
    co_await pieces;
    std::vector<Partial> partials;
    for (const auto& subtrees_of_rank : shards.subtrees_of) {
      for (const auto& [begin, end] : subtrees_of_rank)
        partials.push_back({begin, end, blocks + std::ssize(partials) * chunk.bytes_of(rank)});
    }
    // Of 16-bit numbers the results are half as wide as what they are made of.
    const std::ptrdiff_t narrow = item_size(operation.note.dtype);
    std::byte* const results = operation.received() + chunk.begin_bytes() / item * narrow;
    std::byte* const own_results = results + chunk.start_of(rank) / item * narrow;
    combine({.op = operation.note.op,
             .dtype = operation.note.dtype,
             .partials = partials,
             .begin = 0,
             .end = shards.count,
             .count = chunk.count_of(rank),
             .is_wide = true},
            own_results);
    std::vector<std::int64_t> result_bytes(static_cast<std::size_t>(size));
    for (int other = 0; other < size; ++other)
      result_bytes[static_cast<std::size_t>(other)] = chunk.bytes_of(other) / item * narrow;
    Transfer all = operation.exchange(
        {.kind = ExchangeKind::all_gather, .from = own_results, .to = results, .to_bytes = result_bytes.data()});
    co_await all;
  }
  operation.deliver();
}

}  // namespace tessera::collective
