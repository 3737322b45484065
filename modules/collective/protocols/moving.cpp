module;
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.darray;

// The steps of collectives without a reduction.
namespace tessera::collective {

namespace {

/// Bytes of the rows that each rank has said it has. Throws ShapeError if the result has not as many.
std::vector<std::int64_t> said_counts(const Operation& operation, const Agreement& agreement,
                                      const ArrayMemory& result) {
  std::vector<std::int64_t> counts;
  std::int64_t rows = 0;
  for (int rank = 0; rank < operation.size(); ++rank) {
    const std::int64_t own = agreement.note_of(rank).own;
    rows += own;
    counts.push_back(own * operation.from.row_bytes());
  }
  if (!result.is_none() && rows != result.rows()) {
    throw ShapeError(
        to_string(Failure{.operation = name_of(operation.note.kind),
                          .problem = "the ranks have " + std::to_string(rows) + " rows together, and the result has " +
                                     std::to_string(result.rows())}));
  }
  return counts;
}

/// None may be nowhere, which std::memcpy does not take.
void copy_bytes(std::byte* to, const std::byte* from, std::int64_t count) {
  if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count));
}

/// Shows what is sent, if anything is; `bytes` is what the largest rank shows, as far as this one knows.
Agreement agreement_showing(Operation& operation, bool sends, std::int64_t bytes) {
  if (bytes > shown_bytes || operation.hopes_for_gpus()) return Agreement(operation.turn());
  return {operation.turn(), sends ? operation.sent() : nullptr, sends ? bytes : 0};
}

void copy_shown(Operation& operation, const std::byte* shown, std::int64_t bytes) {
  copy_bytes(operation.received(), shown, bytes);
  operation.deliver();
}

/// What all ranks show, one after the other.
void gather_shown(Operation& operation, const Agreement& agreement) {
  std::byte* to = operation.received();
  for (int rank = 0; rank < operation.size(); ++rank) {
    copy_bytes(to, agreement.shown_by(rank), agreement.bytes_shown_by(rank));
    to += agreement.bytes_shown_by(rank);
  }
  operation.deliver();
}

}  // namespace

Protocol barrier_steps(Operation& operation) {
  Agreement agreement(operation.turn());
  co_await agreement;
}

Protocol notes_steps(Operation& operation) {
  Agreement agreement(operation.turn());
  co_await agreement;
  operation.said = agreement.said();
}

Protocol shape_steps(Operation& operation) {
  operation.facts.resize(static_cast<std::size_t>(max_rank));
  const bool is_root = operation.rank() == operation.note.root;
  const std::int64_t bytes = max_rank * static_cast<std::int64_t>(sizeof(std::int64_t));
  if (is_root) std::ranges::copy(operation.from.shape(), operation.facts.begin());
  Agreement agreement(operation.turn(), operation.facts.data(), is_root ? bytes : 0);
  co_await agreement;
  if (agreement.is_all_shown()) {
    std::memcpy(operation.facts.data(), agreement.shown_by(operation.note.root), static_cast<std::size_t>(bytes));
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::broadcast,
                                          .peer = operation.note.root,
                                          .from = is_root ? operation.facts.data() : nullptr,
                                          .to = is_root ? nullptr : operation.facts.data(),
                                          .to_bytes = &bytes});
  co_await transfer;
}

Protocol broadcast_steps(Operation& operation) {
  const bool is_root = operation.rank() == operation.note.root;
  const std::int64_t bytes = operation.to.bytes();
  Agreement agreement = agreement_showing(operation, is_root, bytes);
  co_await agreement;
  if (agreement.is_on_gpus()) {
    Protocol steps = broadcast_on_gpus(operation, agreement);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    if (!is_root) copy_shown(operation, agreement.shown_by(operation.note.root), bytes);
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::broadcast,
                                          .peer = operation.note.root,
                                          .from = is_root ? operation.sent() : nullptr,
                                          .to = is_root ? nullptr : operation.received(),
                                          .to_bytes = &bytes});
  co_await transfer;
  if (!is_root) operation.deliver();
}

Protocol all_gather_steps(Operation& operation) {
  Agreement agreement = agreement_showing(operation, true, operation.from.bytes());
  co_await agreement;
  const std::vector<std::int64_t> counts = said_counts(operation, agreement, operation.to);
  if (agreement.is_on_gpus()) {
    Protocol steps = all_gather_on_gpus(operation, agreement, counts);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    gather_shown(operation, agreement);
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::all_gather,
                                          .from = operation.sent(),
                                          .to = operation.received(),
                                          .to_bytes = counts.data()});
  co_await transfer;
  operation.deliver();
}

Protocol gather_steps(Operation& operation) {
  Agreement agreement = agreement_showing(operation, true, operation.from.bytes());
  co_await agreement;
  const std::vector<std::int64_t> counts = said_counts(operation, agreement, operation.to);
  const bool is_root = operation.rank() == operation.note.root;
  if (agreement.is_on_gpus()) {
    Protocol steps = gather_on_gpus(operation, agreement, counts);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    if (is_root) gather_shown(operation, agreement);
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::gather,
                                          .peer = operation.note.root,
                                          .from = operation.sent(),
                                          .to = is_root ? operation.received() : nullptr,
                                          .to_bytes = counts.data()});
  co_await transfer;
  if (is_root) operation.deliver();
}

Protocol scatter_steps(Operation& operation) {
  const bool is_root = operation.rank() == operation.note.root;
  Agreement agreement = agreement_showing(operation, is_root, is_root ? operation.from.bytes() : 0);
  co_await agreement;
  const std::int64_t rows = agreement.note_of(operation.note.root).own;
  const Pieces parts{.count = rows, .size = operation.size()};
  const std::ptrdiff_t expected = parts.count_of(operation.rank());
  if (operation.to.rows() != expected) {
    throw ShapeError(
        to_string(Failure{.operation = "scatter",
                          .problem = "of " + std::to_string(rows) + " rows " + std::to_string(expected) +
                                     " come to this rank, and the result has " + std::to_string(operation.to.rows())}));
  }
  const std::vector<std::int64_t> counts = parts.bytes(operation.to.row_bytes());
  if (agreement.is_on_gpus()) {
    Protocol steps = scatter_on_gpus(operation, agreement, counts);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    const std::ptrdiff_t before = parts.begin_of(operation.rank()) * operation.to.row_bytes();
    copy_shown(operation, agreement.shown_by(operation.note.root) + before, operation.to.bytes());
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::scatter,
                                          .peer = operation.note.root,
                                          .from = is_root ? operation.sent() : nullptr,
                                          .to = operation.received(),
                                          .from_bytes = counts.data()});
  co_await transfer;
  operation.deliver();
}

Protocol all_to_all_steps(Operation& operation) {
  Agreement agreement = agreement_showing(operation, true, operation.from.bytes());
  co_await agreement;
  const Pieces parts{.count = operation.from.rows(), .size = operation.size()};
  const std::ptrdiff_t row_bytes = operation.from.row_bytes();
  const std::vector<std::int64_t> sent = parts.bytes(row_bytes);
  const std::vector<std::int64_t> received =
      equal_bytes(operation.size(), parts.count_of(operation.rank()) * row_bytes);
  if (agreement.is_on_gpus()) {
    Protocol steps = all_to_all_on_gpus(operation, agreement, sent, received);
    co_await steps;
    co_return;
  }
  if (agreement.is_all_shown()) {
    const std::int64_t bytes = received.front(), before = parts.begin_of(operation.rank()) * row_bytes;
    for (int rank = 0; rank < operation.size(); ++rank)
      copy_bytes(operation.received() + rank * bytes, agreement.shown_by(rank) + before, bytes);
    operation.deliver();
    co_return;
  }
  Transfer transfer = operation.exchange({.kind = ExchangeKind::all_to_all,
                                          .from = operation.sent(),
                                          .to = operation.received(),
                                          .from_bytes = sent.data(),
                                          .to_bytes = received.data()});
  co_await transfer;
  operation.deliver();
}

}  // namespace tessera::collective
