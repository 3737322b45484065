module;
#include <algorithm>
#include <mutex>
#include <new>
#include <vector>
module tessera.device;
import tessera.core;
import :stream_state;

// Ordering of work by the memory that it uses.
namespace tessera::device {

namespace {

/// The work up to `later` starts after that up to `earlier`, as far as streams know.
bool is_after(const StreamMark& later, const StreamMark& earlier) {
  if (earlier.is_known_reached()) return true;
  if (earlier.stream() == later.stream()) return earlier.sequence() <= later.sequence();
  return later.stream() != nullptr &&
         StreamState::of(*later.stream())
             .waits_for(StreamState::of(*earlier.stream()), earlier.sequence(), later.sequence());
}

/// Keeps the later one of a stream.
void raise(StreamMark& kept, const StreamMark& mark) {
  if (kept.sequence() < mark.sequence()) kept = mark;
}

/// Throws std::bad_alloc.
void note(std::vector<StreamMark>& marks, const StreamMark& mark) {
  for (StreamMark& kept : marks) {
    if (kept.stream() == mark.stream()) return raise(kept, mark);
  }
  marks.push_back(mark);
}

}  // namespace

template <class Visit>
void StreamUses::visit(Which which, const Visit& visit) const {
  const std::lock_guard lock(mutex_);
  if (which == Which::all) {
    for (const StreamMark& mark : reads_) visit(mark);
  }
  for (const StreamMark& mark : other_writes_) visit(mark);
  if (write_.stream() != nullptr) visit(write_);
}

template <class Wanted>
StreamMarks StreamUses::collect(Which which, const Wanted& wanted) const {
  StreamMarks marks;
  visit(which, [&](const StreamMark& mark) {
    if (wanted(mark)) marks.push_back(mark);
  });
  return marks;
}

/// The stream waits without the lock, and only where it must: in the usual case nothing is collected.
void StreamUses::order(Which which, Stream& stream) const {
  const StreamMark now = stream.mark();
  for (const StreamMark& mark : collect(which, [&](const StreamMark& mark) { return !is_after(now, mark); }))
    stream.wait(mark);
}

void StreamUses::order_read(Stream& stream) const {
  {
    const std::lock_guard lock(mutex_);
    reads_.reserve(reads_.size() + 1);  // for note_read
  }
  order(Which::writes, stream);
}

void StreamUses::order_write(Stream& stream) const { order(Which::all, stream); }

void StreamUses::note_read(const StreamMark& mark) try {
  const std::lock_guard lock(mutex_);
  note(reads_, mark);
} catch (const std::bad_alloc&) {
  mark.wait();
}

/// Returns the writing that stands in the way because there is no memory to keep both; otherwise a mark without a stream.
StreamMark StreamUses::try_to_note_write(const StreamMark& mark) try {
  const std::lock_guard lock(mutex_);
  const auto is_before = [&](const StreamMark& earlier) { return is_after(mark, earlier); };
  std::erase_if(reads_, is_before);
  std::erase_if(other_writes_, is_before);
  if (write_.stream() != mark.stream() && !is_before(write_)) note(other_writes_, write_);
  if (write_.stream() != mark.stream() || write_.sequence() < mark.sequence()) write_ = mark;
  return {};
} catch (const std::bad_alloc&) {
  const std::lock_guard lock(mutex_);
  return write_;
}

void StreamUses::note_write(const StreamMark& mark) {
  for (StreamMark other = try_to_note_write(mark); other.stream() != nullptr; other = try_to_note_write(mark))
    other.wait();
}

StreamMarks StreamUses::marks() const {
  return collect(Which::all, [](const StreamMark&) { return true; });
}

StreamMarks StreamUses::unreached() const {
  return collect(Which::all, [](const StreamMark& mark) { return !mark.is_known_reached(); });
}

StreamMarks StreamUses::writes() const {
  return collect(Which::writes, [](const StreamMark&) { return true; });
}

void StreamUses::wait_for_reading() const {
  for (const StreamMark& mark : writes()) mark.wait();
}

void StreamUses::wait_for_writing() const {
  for (const StreamMark& mark : marks()) mark.wait();
}

bool StreamUses::is_idle() const {
  return std::ranges::all_of(marks(), [](const StreamMark& mark) { return mark.is_reached(); });
}

}  // namespace tessera::device
