module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <source_location>
#include <unordered_map>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// Blocks that were freed while streams may use them: in the order in which they were freed, and those of one stream by
// their size.
namespace tessera::memory {

namespace {

struct FreedBlock {
  void* pointer = nullptr;
  std::ptrdiff_t bytes = 0;
  std::vector<device::StreamMark> marks{};  // not known to be reached when it was freed
};

using Blocks = std::list<FreedBlock>;

/// The streams have done the work, as far as is known.
bool is_known_free(const FreedBlock& block) {
  return std::ranges::all_of(block.marks, [](const device::StreamMark& mark) { return mark.is_known_reached(); });
}

/// Nobody works with memory of a GPU whose work has failed: then it is free too.
bool is_free(const FreedBlock& block) noexcept {
  try {
    return std::ranges::all_of(block.marks, [](const device::StreamMark& mark) { return mark.is_reached(); });
  } catch (...) {
    return true;
  }
}

/// Returns whether the work was done; if not it has failed, and nobody works with the memory either.
template <class Wait>
bool wait_to_the_end(const Wait& wait) noexcept {
  try {
    wait();
    return true;
  } catch (...) {
    return false;
  }
}

void wait_for(const FreedBlock& block) noexcept {
  for (const device::StreamMark& mark : block.marks) wait_to_the_end([&] { mark.wait(); });
}

/// The one stream that uses the block; null if there are several.
const device::Stream* only_stream(const FreedBlock& block) {
  return block.marks.size() == 1 ? block.marks.front().stream() : nullptr;
}

/// A stream and a size.
struct Want {
  const device::Stream* stream;
  std::ptrdiff_t bytes;
  friend bool operator==(const Want&, const Want&) = default;
};
struct WantHash {
  std::size_t operator()(const Want& want) const {
    return std::hash<const void*>{}(want.stream) ^ (static_cast<std::size_t>(want.bytes) * 0x9e3779b97f4a7c15u);
  }
};

/// The freed blocks of one place.
class FreedBlocks {
 public:
  explicit FreedBlocks(Place place) : pool_(pool(place)) {
    pool_.add_pressure_callback([this](std::ptrdiff_t) { return wait_for_all(); });
  }

  /// A block of that size which only earlier work of the stream uses, up to the mark; the one that was freed last. Null
  /// if there is none.
  void* take(const device::Stream& stream, std::ptrdiff_t bytes, device::StreamMark& mark) {
    const std::lock_guard lock(mutex_);
    const auto found = by_want_.find({&stream, bytes});
    if (found == by_want_.end()) return nullptr;
    const Blocks::iterator block = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) by_want_.erase(found);
    void* const pointer = block->pointer;
    mark = block->marks.front();
    count(*block, -1);
    in_order_.erase(block);
    return pointer;
  }

  void put(FreedBlock block) {
    Blocks fresh;
    fresh.push_back(std::move(block));
    const std::lock_guard lock(mutex_);
    if (const device::Stream* stream = only_stream(fresh.back()))
      by_want_[{stream, fresh.back().bytes}].push_back(fresh.begin());
    count(fresh.back(), 1);
    in_order_.splice(in_order_.end(), fresh);
  }

  /// Asks about the oldest block only; what is known then goes to the pool.
  void collect() noexcept {
    Blocks free;
    {
      const std::lock_guard lock(mutex_);
      if (in_order_.empty() || !is_free(in_order_.front())) return;
      take_free(free);
    }
    give_back(free);
  }

  /// For an allocation without memory: waits for all of them. Returns whether there were any.
  bool wait_for_all() noexcept {
    Blocks free;
    {
      const std::lock_guard lock(mutex_);
      free.swap(in_order_);
      by_want_.clear();
      bytes_ = 0;
      blocks_ = 0;
    }
    for (const FreedBlock& block : free) wait_for(block);
    give_back(free);
    return !free.empty();
  }

  PendingFigures figures() const {
    return {.bytes = bytes_.load(std::memory_order_relaxed), .blocks = blocks_.load(std::memory_order_relaxed)};
  }

 private:
  void count(const FreedBlock& block, int more) {
    bytes_ += more * block.bytes;
    blocks_ += more;
  }

  void drop_want(Blocks::iterator block) {
    const auto found = by_want_.find({only_stream(*block), block->bytes});
    if (found == by_want_.end()) return;
    std::erase(found->second, block);
    if (found->second.empty()) by_want_.erase(found);
  }

  /// Moves the blocks that are known to be free, beginning with the oldest.
  void take_free(Blocks& free) {
    while (!in_order_.empty() && is_known_free(in_order_.front())) {
      const Blocks::iterator block = in_order_.begin();
      drop_want(block);
      count(*block, -1);
      free.splice(free.end(), in_order_, block);
    }
  }

  void give_back(const Blocks& free) noexcept {
    for (const FreedBlock& block : free) pool_.deallocate(block.pointer, block.bytes);
  }

  Pool& pool_;
  std::mutex mutex_;
  Blocks in_order_;  // oldest first
  std::unordered_map<Want, std::vector<Blocks::iterator>, WantHash> by_want_;
  std::atomic<std::ptrdiff_t> bytes_ = 0;
  std::atomic<std::ptrdiff_t> blocks_ = 0;
};

/// Of pinned memory, then of the GPUs. Made on first use and never destroyed, as the pools are.
std::deque<std::atomic<FreedBlocks*>>& made_blocks() {
  static auto& all = *new std::deque<std::atomic<FreedBlocks*>>(static_cast<std::size_t>(device_count()) + 1);
  return all;
}

std::size_t number_of(Place place) {
  return place.kind() == PlaceKind::gpu ? static_cast<std::size_t>(place.ordinal()) + 1 : 0;
}

/// Null before memory of the place has been freed in the order of streams.
FreedBlocks* known_blocks(Place place) {
  if (place.kind() == PlaceKind::cpu || number_of(place) >= made_blocks().size()) return nullptr;
  return made_blocks()[number_of(place)].load(std::memory_order_acquire);
}

FreedBlocks& freed_blocks(Place place) {
  require_device(place);
  std::atomic<FreedBlocks*>& slot = made_blocks()[number_of(place)];
  if (FreedBlocks* made = slot.load(std::memory_order_acquire)) return *made;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(new FreedBlocks(place), std::memory_order_release);
  return *slot.load(std::memory_order_relaxed);
}

std::vector<device::StreamMark> unreached(const device::StreamUses& uses) {
  std::vector<device::StreamMark> marks = uses.marks();
  std::erase_if(marks, [](const device::StreamMark& mark) { return mark.is_known_reached(); });
  return marks;
}

}  // namespace

void* alloc(device::Stream& stream, std::ptrdiff_t bytes, device::StreamUses& uses, std::source_location where) {
  FreedBlocks& freed = freed_blocks(stream.place());
  device::StreamMark mark;
  if (void* pointer = freed.take(stream, bytes, mark)) {
    uses.note_write(mark);
    return pointer;
  }
  freed.collect();
  return pool(stream.place()).allocate(bytes, block_alignment, where);
}

void free(Place place, void* pointer, std::ptrdiff_t bytes, const device::StreamUses& uses) noexcept {
  if (pointer == nullptr) return;
  try {
    std::vector<device::StreamMark> marks = unreached(uses);
    if (!marks.empty()) return freed_blocks(place).put({pointer, bytes, std::move(marks)});
  } catch (...) {  // no memory for the note: then the host waits here
    wait_to_the_end([&] { uses.wait_for_writing(); });
  }
  pool(place).deallocate(pointer, bytes);
}

std::ptrdiff_t pending(Place place) { return pending_figures(place).bytes; }

PendingFigures pending_figures(Place place) {
  const FreedBlocks* freed = known_blocks(place);
  return freed != nullptr ? freed->figures() : PendingFigures{};
}

void collect_freed(Place place) {
  if (FreedBlocks* freed = known_blocks(place)) freed->collect();
}

}  // namespace tessera::memory
