module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>
module tessera.device;
import :launch_notes;

// Keeping the last launches of a stream in a ring, and naming the first of which nothing is known.
namespace tessera::device {

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

}  // namespace tessera::device
