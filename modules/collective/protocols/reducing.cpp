module;
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;

// The steps of reductions whose order is that of the ranks.
namespace tessera::collective {

namespace {

/// Combines one block of each rank.
template <class BlockOf>
void combine_ranks(const Operation& operation, const BlockOf& block_of, std::ptrdiff_t count, void* to) {
  std::vector<Partial> partials;
  partials.reserve(static_cast<std::size_t>(operation.size()));
  for (int rank = 0; rank < operation.size(); ++rank) partials.push_back({rank, rank + 1, block_of(rank)});
  combine_all(operation, partials, count, to);
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

/// Combines what all ranks have shown where the result is: on the root of a reduce, or everywhere.
void combine_shown(Operation& operation, const Agreement& agreement) {
  if (operation.to.is_none()) return;
  combine_ranks(
      operation, [&](int rank) { return agreement.shown_by(rank); }, operation.from.count(), operation.received());
  operation.deliver();
}

/// The same of what has not been shown.
Protocol combine_few(Operation& operation) {
  const bool has_result = !operation.to.is_none(), is_to_root = operation.note.kind == CallKind::reduce;
  const std::vector<std::int64_t> bytes = equal_bytes(operation.size(), operation.from.bytes());
  std::byte* const blocks = has_result ? operation.scratch(operation.size() * operation.from.bytes()) : nullptr;
  Transfer transfer = operation.exchange({.kind = is_to_root ? ExchangeKind::gather : ExchangeKind::all_gather,
                                          .peer = operation.note.root,
                                          .from = operation.sent(),
                                          .to = blocks,
                                          .to_bytes = bytes.data()});
  co_await transfer;
  if (!has_result) co_return;
  combine_blocks(operation, blocks, operation.from.count(), operation.received());
  operation.deliver();
}

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
  if (are_few(operation)) {
    Protocol steps = combine_few(operation);
    co_await steps;
    co_return;
  }
  const int size = operation.size(), rank = operation.rank();
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

Protocol reduce_steps(Operation& operation) {
  Agreement agreement = agreement_on_few(operation);
  co_await agreement;
  if (agreement.is_on_gpus()) {
    Protocol steps = reduce_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    combine_shown(operation, agreement);
    co_return;
  }
  if (are_few(operation)) {
    Protocol steps = combine_few(operation);
    co_await steps;
    co_return;
  }
  const int size = operation.size(), rank = operation.rank();
  const bool is_root = rank == operation.note.root;
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

}  // namespace tessera::collective
