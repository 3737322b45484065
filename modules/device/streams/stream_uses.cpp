module;
#include <algorithm>
#include <mutex>
#include <new>
#include <vector>
module tessera.device;
import tessera.core;

// Ordering of work by the memory that it uses.
namespace tessera::device {

StreamMark StreamUses::last_write() const {
  const std::lock_guard lock(mutex_);
  return write_;
}

void StreamUses::order_read(Stream& stream) const {
  {
    const std::lock_guard lock(mutex_);
    reads_.reserve(reads_.size() + 1);  // for note_read
  }
  stream.wait(last_write());
}

void StreamUses::order_write(Stream& stream) const {
  for (const StreamMark& mark : marks()) stream.wait(mark);
}

void StreamUses::note_read(const StreamMark& mark) try {
  const std::lock_guard lock(mutex_);
  for (StreamMark& read : reads_) {
    if (read.stream() != mark.stream()) continue;
    if (read.sequence() < mark.sequence()) read = mark;
    return;
  }
  reads_.push_back(mark);
} catch (const std::bad_alloc&) {
  mark.wait();
}

void StreamUses::note_write(const StreamMark& mark) {
  const std::lock_guard lock(mutex_);
  write_ = mark;
  reads_.clear();
}

std::vector<StreamMark> StreamUses::marks() const {
  const std::lock_guard lock(mutex_);
  std::vector<StreamMark> all = reads_;
  if (write_.stream() != nullptr) all.push_back(write_);
  return all;
}

void StreamUses::wait_for_reading() const { last_write().wait(); }

void StreamUses::wait_for_writing() const {
  for (const StreamMark& mark : marks()) mark.wait();
}

bool StreamUses::is_idle() const {
  return std::ranges::all_of(marks(), [](const StreamMark& mark) { return mark.is_reached(); });
}

}  // namespace tessera::device
