module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>
module tessera.device;
import tessera.core;
import :stream_state;

// What was launched last on a stream, for errors that are noticed later.
namespace tessera {

namespace {

std::atomic<std::uint64_t> launches = 0;  // of all streams

}  // namespace

void LaunchNotes::add(std::uint64_t sequence, std::uint64_t ticket, std::string_view expression,
                      const std::source_location& where) {
  if (notes_.empty()) notes_.resize(capacity);
  Note& note = notes_[next_++ % capacity];
  note.sequence = sequence;
  note.ticket = ticket;
  note.where = where;
  note.length = std::min(expression.size(), note.expression.size());
  std::memcpy(note.expression.data(), expression.data(), note.length);
}

LaunchNotes::Found LaunchNotes::first_after(std::uint64_t proven) const {
  const std::size_t count = std::min(next_, capacity);
  for (std::size_t k = next_ - count; k < next_; ++k) {
    const Note& note = notes_[k % capacity];
    if (note.sequence <= proven) continue;
    const bool older_are_lost = count == capacity && k == next_ - count;
    std::string text = "`" + std::string(note.expression.data(), note.length) + "`";
    if (note.where.line() != 0)
      text += " at " + std::string(note.where.file_name()) + ":" + std::to_string(note.where.line());
    if (older_are_lost) text += " or one before it";
    return {.ticket = note.ticket, .text = text};
  }
  return {};
}

void StreamState::note_launch(std::uint64_t sequence, std::string_view expression, const std::source_location& where) {
  const std::uint64_t ticket = launches.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(notes_mutex_);
  notes_.add(sequence, ticket, expression, where);
}

LaunchNotes::Found StreamState::first_unproven_launch() const {
  const std::lock_guard lock(notes_mutex_);
  return notes_.first_after(reached());
}

}  // namespace tessera
