module;
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.darray;

// Sending and receiving: a first part with a note and as many elements as fit, and the others.
namespace tessera::collective {

namespace {

/// What goes in front of a message: its elements, as far as they fit.
constexpr std::int64_t first_part_bytes = 4096;
constexpr std::int64_t inline_bytes = first_part_bytes - static_cast<std::int64_t>(note_bytes);

/// The tag by which the engine finds the first part of a message; its others have the next one.
int first_tag(const Note& note) { return static_cast<int>(2 * note.own); }

}  // namespace

Protocol send_steps(Operation& operation) {
  const std::int64_t bytes = operation.from.bytes(), first = std::min(bytes, inline_bytes), rest = bytes - first;
  std::byte* const part = operation.scratch(first_part_bytes);
  std::memcpy(part, &operation.note, note_bytes);
  if (first != 0) std::memcpy(part + note_bytes, operation.sent(), static_cast<std::size_t>(first));
  const std::int64_t part_bytes = static_cast<std::int64_t>(note_bytes) + first;
  const Exchange message{.kind = ExchangeKind::send,
                         .peer = operation.note.root,
                         .tag = first_tag(operation.note),
                         .from = part,
                         .from_bytes = &part_bytes};
  std::optional<Exchange> more;
  if (rest != 0) {
    more = {.kind = ExchangeKind::send,
            .peer = operation.note.root,
            .tag = first_tag(operation.note) + 1,
            .from = operation.sent() + first,
            .from_bytes = &rest};
  }
  Transfer transfer = operation.message(message, more);
  co_await transfer;
}

namespace {

Exchange part_of_receive(const Operation& operation, void* to, const std::int64_t& bytes, bool is_rest) {
  return {.kind = ExchangeKind::receive,
          .peer = operation.note.root,
          .tag = first_tag(operation.note) + (is_rest ? 1 : 0),
          .to = to,
          .to_bytes = &bytes};
}

bool is_expected(const Note& expected, const Note& come) {
  return come.rank == expected.rank && come.dtype == expected.dtype &&
         std::ranges::equal(come.extents, expected.extents);
}

/// Throws ShapeError or DTypeError if what has come is not what was expected.
void require_expected(const Note& expected, const Note& come) {
  if (is_expected(expected, come)) return;
  const auto elements = [](const Note& note) {
    return std::string(name(note.dtype)) + " " +
           to_string(DDim(std::vector<std::ptrdiff_t>(note.extents, note.extents + note.rank)));
  };
  const std::string problem = "rank " + std::to_string(expected.root) + " has sent " + elements(come) + " with tag " +
                              std::to_string(expected.own);
  const std::string error = to_string(Failure{
      .operation = "receive",
      .problem =
          come.rank == expected.rank && come.dtype == expected.dtype
              ? problem + ", and the array has the shape " +
                    to_string(DDim(std::vector<std::ptrdiff_t>(expected.extents, expected.extents + expected.rank)))
              : problem + ", and " + std::string(name(expected.dtype)) + " of " + std::to_string(expected.rank) +
                    (expected.rank == 1 ? " axis" : " axes") + " was called for"});
  if (come.dtype != expected.dtype) throw DTypeError(error);
  throw ShapeError(error);
}

}  // namespace

Protocol receive_steps(Operation& operation) {
  const std::int64_t bytes = operation.to.bytes(), first = std::min(bytes, inline_bytes), rest = bytes - first;
  std::byte* const part = operation.scratch(first_part_bytes);
  const auto note_that_came = [part] {
    Note come;
    std::memcpy(&come, part, note_bytes);
    return come;
  };
  std::optional<Exchange> more;
  if (rest != 0) more = part_of_receive(operation, operation.received() + first, rest, true);
  Transfer transfer = operation.message(part_of_receive(operation, part, first_part_bytes, false), more);
  transfer.want_rest_if([&] { return is_expected(operation.note, note_that_came()); });
  co_await transfer;
  require_expected(operation.note, note_that_came());
  if (first != 0) std::memcpy(operation.received(), part + note_bytes, static_cast<std::size_t>(first));
  if (bytes != 0) operation.deliver();
}

Protocol receive_any_steps(Operation& operation) {
  std::byte* const part = operation.scratch(first_part_bytes);
  Transfer transfer = operation.message(part_of_receive(operation, part, first_part_bytes, false), {});
  co_await transfer;
  Note come;
  std::memcpy(&come, part, note_bytes);
  Note expected = operation.note;
  if (come.rank == expected.rank) std::ranges::copy(come.extents, expected.extents);
  if (expected.rank != any_rank) require_expected(expected, come);
  operation.make_result(std::span<const std::int64_t>(come.extents).first(come.rank), come.dtype);
  const std::int64_t bytes = operation.to.bytes(), first = std::min(bytes, inline_bytes), rest = bytes - first;
  if (first != 0) std::memcpy(operation.received(), part + note_bytes, static_cast<std::size_t>(first));
  if (rest != 0) {
    Transfer others = operation.next_message(part_of_receive(operation, operation.received() + first, rest, true));
    co_await others;
  }
  if (bytes != 0) operation.deliver();
}

}  // namespace tessera::collective
