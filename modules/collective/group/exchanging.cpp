module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.darray;

// Checking what a collective is called with, making its result, and having it done.
namespace tessera::collective {

namespace {

/// What the ranks compare of an array; -1 for its first extent where the ranks' may differ.
Note note_of(CallKind kind, const DArray& x, bool rows_may_differ = false) {
  Note note{.kind = kind, .dtype = x.dtype(), .rank = static_cast<std::uint8_t>(x.rank())};
  const DDim shape = x.shape();
  std::ranges::copy(shape.extents(), note.extents);
  note.own = x.rank() == 0 ? 1 : shape.extents()[0];
  if (rows_may_differ && x.rank() != 0) note.extents[0] = -1;
  return note;
}

std::vector<std::ptrdiff_t> extents_of(const DArray& x) {
  const DDim shape = x.shape();
  return {shape.extents().begin(), shape.extents().end()};
}

/// The shape of x with another number of rows; a scalar becomes a vector.
DDim with_rows(const DArray& x, std::ptrdiff_t rows) {
  std::vector<std::ptrdiff_t> extents = extents_of(x);
  if (extents.empty()) extents.push_back(rows);
  extents[0] = rows;
  return DDim(std::span<const std::ptrdiff_t>(extents));
}

/// What ranks get that get no result.
DArray without_elements(const DArray& x) {
  if (x.rank() != 0) return {with_rows(x, 0), x.dtype(), x.place()};
  return core::with_element(x.dtype(), []<class T>() { return DArray(Array<T, 0>()); });
}

void require_storage(const DArray& x, std::string_view operation) {
  if (x.has_storage()) return;
  throw ShapeError(to_string(Failure{.operation = operation, .problem = "the array has no storage"}));
}

void require_axis(const DArray& x, std::string_view operation) {
  if (x.rank() != 0) return;
  throw ShapeError(
      to_string(Failure{.operation = operation, .problem = "a scalar has no axis along which it could be divided"}));
}

void require_result(const DArray& result, DType dtype, const DDim& shape, const char* operation) {
  result.require_writable(operation);
  if (result.dtype() != dtype) {
    throw DTypeError(to_string(Failure{.operation = operation,
                                       .problem = "the result has elements of " + std::string(name(result.dtype())) +
                                                  ", and elements of " + std::string(name(dtype)) + " come"}));
  }
  if (std::ranges::equal(result.shape().extents(), shape.extents())) return;
  throw ShapeError(to_string(Failure{
      .operation = operation,
      .problem = "the result has the shape " + to_string(result.shape()) + ", and " + to_string(shape) + " comes"}));
}

std::shared_ptr<Operation> operation_of(const Share& group, const Note& note, const DArray* read,
                                        const DArray* written) {
  return std::make_shared<Operation>(group, note, read != nullptr ? ArrayMemory(*read) : ArrayMemory(),
                                     written != nullptr ? ArrayMemory(*written) : ArrayMemory());
}

/// Calls `body`; its errors say where the user called.
template <class Body>
auto called_at(const Where& where, const Body& body) {
  try {
    return body();
  } catch (...) {
    core::rethrow_called_at(where);
  }
}

std::vector<std::int64_t> rows_of_all(const Share& group, Note note) {
  note.kind = CallKind::shape_of_gathered;
  const auto operation = operation_of(group, note, nullptr, nullptr);
  perform_now(operation, notes_steps);
  return operation->said;
}

std::ptrdiff_t sum_of(const std::vector<std::int64_t>& rows) {
  std::ptrdiff_t sum = 0;
  for (const std::int64_t count : rows) sum += count;
  return sum;
}

}  // namespace

int checked_rank(const Communicator& group, std::ptrdiff_t rank, std::string_view operation) {
  if (rank >= 0 && rank < group.size()) return static_cast<int>(rank);
  throw IndexError(to_string(Failure{.operation = operation,
                                     .problem = "there is no rank " + std::to_string(rank) + " in group " +
                                                group.name() + ", which has " + std::to_string(group.size())}));
}

void all_reduce_into(const Share& group, const DArray& result, const DArray& x, ReduceOp op, const Where& where) {
  called_at(where, [&] {
    require_storage(x, "all_reduce");
    require_reducible(op, x.dtype(), "all_reduce");
    require_result(result, x.dtype(), x.shape(), "all_reduce_into");
    Note note = note_of(CallKind::all_reduce, x);
    note.op = op;
    note.own = 0;
    perform(operation_of(group, note, &x, &result), all_reduce_steps);
  });
}

DArray all_reduce(const Share& group, const DArray& x, ReduceOp op, const Where& where) {
  DArray result(x.shape(), x.dtype(), x.place());
  all_reduce_into(group, result, x, op, where);
  return result;
}

DArray all_reduce_shards(const Share& group, const DArray& shards, ReduceOp op, const Where& where) {
  return called_at(where, [&] {
    require_storage(shards, "all_reduce");
    require_reducible(op, shards.dtype(), "all_reduce");
    require_axis(shards, "all_reduce with Reproducible");
    const std::vector<std::ptrdiff_t> extents = extents_of(shards);
    DArray result(DDim(std::span(extents).subspan(1)), shards.dtype(), shards.place());
    Note note = note_of(CallKind::reproducible_sum, shards, true);
    note.op = op;
    perform(operation_of(group, note, &shards, &result), reproducible_steps);
    return result;
  });
}

DArray reduce(const Share& group, const DArray& x, ReduceOp op, std::ptrdiff_t root, const Where& where) {
  return called_at(where, [&] {
    require_storage(x, "reduce");
    require_reducible(op, x.dtype(), "reduce");
    Note note = note_of(CallKind::reduce, x);
    note.op = op;
    note.root = checked_rank(*group, root, "reduce");
    note.own = 0;
    const bool is_root = note.root == group->rank();
    const DArray result = is_root ? DArray(x.shape(), x.dtype(), x.place()) : without_elements(x);
    perform(operation_of(group, note, &x, is_root ? &result : nullptr), reduce_steps);
    return result;
  });
}

DArray reduce_scatter(const Share& group, const DArray& x, ReduceOp op, const Where& where) {
  return called_at(where, [&] {
    require_storage(x, "reduce_scatter");
    require_reducible(op, x.dtype(), "reduce_scatter");
    require_axis(x, "reduce_scatter");
    Note note = note_of(CallKind::reduce_scatter, x);
    note.op = op;
    note.own = 0;
    const std::ptrdiff_t rows = part_of_rank(x.shape().extents()[0], group->size(), group->rank()).extent;
    DArray result(with_rows(x, rows), x.dtype(), x.place());
    perform(operation_of(group, note, &x, &result), reduce_scatter_steps);
    return result;
  });
}

void broadcast(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where) {
  called_at(where, [&] {
    require_storage(x, "broadcast");
    Note note = note_of(CallKind::broadcast, x);
    note.root = checked_rank(*group, root, "broadcast");
    note.own = 0;
    if (note.root != group->rank()) x.require_writable("broadcast");
    perform(operation_of(group, note, &x, &x), broadcast_steps);
  });
}

void all_gather_into(const Share& group, const DArray& result, const DArray& x, const Where& where) {
  called_at(where, [&] {
    require_storage(x, "all_gather");
    require_result(result, x.dtype(), with_rows(x, result.rank() == 0 ? 1 : result.shape().extents()[0]),
                   "all_gather_into");
    perform(operation_of(group, note_of(CallKind::all_gather, x, true), &x, &result), all_gather_steps);
  });
}

DArray all_gather(const Share& group, const DArray& x, const Where& where) {
  return called_at(where, [&] {
    require_storage(x, "all_gather");
    const Note note = note_of(CallKind::all_gather, x, true);
    DArray result(with_rows(x, sum_of(rows_of_all(group, note))), x.dtype(), x.place());
    perform(operation_of(group, note, &x, &result), all_gather_steps);
    return result;
  });
}

DArray gather(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where) {
  return called_at(where, [&] {
    require_storage(x, "gather");
    Note note = note_of(CallKind::gather, x, true);
    note.root = checked_rank(*group, root, "gather");
    const bool is_root = note.root == group->rank();
    const std::ptrdiff_t rows = sum_of(rows_of_all(group, note));
    const DArray result(with_rows(x, is_root ? rows : 0), x.dtype(), x.place());
    perform(operation_of(group, note, &x, is_root ? &result : nullptr), gather_steps);
    return result;
  });
}

DArray scatter(const Share& group, const DArray& x, std::ptrdiff_t root, const Where& where) {
  return called_at(where, [&] {
    Note note{.kind = CallKind::shape_of_scattered, .dtype = x.dtype(), .rank = static_cast<std::uint8_t>(x.rank())};
    note.root = checked_rank(*group, root, "scatter");
    const bool is_root = note.root == group->rank();
    require_axis(x, "scatter");
    if (is_root) require_storage(x, "scatter");
    const auto shape = operation_of(group, note, is_root ? &x : nullptr, nullptr);
    perform_now(shape, shape_steps);
    std::vector<std::ptrdiff_t> extents(shape->facts.begin(), shape->facts.begin() + x.rank());
    note.kind = CallKind::scatter;
    std::ranges::copy(extents, note.extents);
    note.own = extents[0];
    extents[0] = part_of_rank(extents[0], group->size(), group->rank()).extent;
    DArray result(DDim(std::span<const std::ptrdiff_t>(extents)), x.dtype(), x.place());
    perform(operation_of(group, note, is_root ? &x : nullptr, &result), scatter_steps);
    return result;
  });
}

DArray all_to_all(const Share& group, const DArray& x, const Where& where) {
  return called_at(where, [&] {
    require_storage(x, "all_to_all");
    require_axis(x, "all_to_all");
    Note note = note_of(CallKind::all_to_all, x);
    note.own = 0;
    const std::ptrdiff_t rows = part_of_rank(x.shape().extents()[0], group->size(), group->rank()).extent;
    DArray result(with_rows(x, rows * group->size()), x.dtype(), x.place());
    perform(operation_of(group, note, &x, &result), all_to_all_steps);
    return result;
  });
}

namespace {

void require_tag(int tag, CallKind kind) {
  if (tag >= 0 && tag <= largest_tag) return;
  throw IndexError(to_string(
      Failure{.operation = name_of(kind),
              .problem = "the tag " + std::to_string(tag) + " is not in 0 .. " + std::to_string(largest_tag)}));
}

Note note_of_message(CallKind kind, const Communicator& group, const DArray& x, std::ptrdiff_t other, int tag) {
  const std::string_view operation = name_of(kind);
  Note note = note_of(kind, x);
  note.own = tag;
  note.root = checked_rank(group, other, operation);
  if (note.root != group.rank()) return note;
  throw IndexError(
      to_string(Failure{.operation = operation, .problem = "rank " + std::to_string(other) + " is this rank itself"}));
}

void send_tagged(const Share& group, const DArray& x, std::ptrdiff_t to, int tag) {
  require_storage(x, "send");
  const auto operation = operation_of(group, note_of_message(CallKind::send, *group, x, to, tag), &x, nullptr);
  perform(operation, send_steps);
}

void receive_tagged(const Share& group, const DArray& result, std::ptrdiff_t from, int tag) {
  require_storage(result, "receive_into");
  result.require_writable("receive_into");
  const auto operation =
      operation_of(group, note_of_message(CallKind::receive, *group, result, from, tag), nullptr, &result);
  perform(operation, receive_steps);
}

DArray receive_any(const Share& group, const Note& note) {
  const auto operation = operation_of(group, note, nullptr, nullptr);
  perform_now(operation, receive_any_steps);
  return operation->result;
}

}  // namespace

void send(const Share& group, const DArray& x, std::ptrdiff_t to, int tag, const Where& where) {
  called_at(where, [&] {
    require_tag(tag, CallKind::send);
    send_tagged(group, x, to, tag);
  });
}

void send(const Share& group, const DArray& x, std::ptrdiff_t to, OwnTag tag, const Where& where) {
  called_at(where, [&] { send_tagged(group, x, to, static_cast<int>(tag)); });
}

void receive_into(const Share& group, const DArray& result, std::ptrdiff_t from, int tag, const Where& where) {
  called_at(where, [&] {
    require_tag(tag, CallKind::receive);
    receive_tagged(group, result, from, tag);
  });
}

void receive_into(const Share& group, const DArray& result, std::ptrdiff_t from, OwnTag tag, const Where& where) {
  called_at(where, [&] { receive_tagged(group, result, from, static_cast<int>(tag)); });
}

DArray receive(const Share& group, DType dtype, int rank, std::ptrdiff_t from, int tag, const Where& where) {
  return called_at(where, [&] {
    require_tag(tag, CallKind::receive);
    const DArray expected(
        DDim(std::span<const std::ptrdiff_t>(std::vector<std::ptrdiff_t>(static_cast<std::size_t>(rank)))), dtype);
    return receive_any(group, note_of_message(CallKind::receive, *group, expected, from, tag));
  });
}

DArray receive(const Share& group, std::ptrdiff_t from, int tag, const Where& where) {
  return called_at(where, [&] {
    require_tag(tag, CallKind::receive);
    Note note = note_of_message(CallKind::receive, *group, DArray(DDim(), DType::uint8), from, tag);
    note.rank = any_rank;
    return receive_any(group, note);
  });
}

void barrier(const Share& group, const Where& where) {
  called_at(where,
            [&] { perform_now(operation_of(group, {.kind = CallKind::barrier}, nullptr, nullptr), barrier_steps); });
}

Share split(const Share& group, int color, const Where& where) {
  return called_at(where, [&] {
    Note note{.kind = CallKind::split};
    note.own = color;
    const auto operation = operation_of(group, note, nullptr, nullptr);
    perform_now(operation, notes_steps);
    std::vector<std::int64_t> colors = operation->said;
    std::ranges::sort(colors);
    const auto repeated = std::ranges::unique(colors);
    colors.erase(repeated.begin(), repeated.end());
    const auto own = std::ranges::find(colors, color) - colors.begin();  // MPI takes no negative one
    Share part = part_of(*group, static_cast<int>(own), group->name() + "/" + std::to_string(color));
    part->set_time_limit(group->time_limit());
    return part;
  });
}

}  // namespace tessera::collective
