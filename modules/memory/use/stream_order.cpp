module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <source_location>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// Blocks that were freed while streams may use them: by the stream for which each waits first, and those of one stream by
// their size too.
namespace tessera::memory {

namespace {

struct FreedBlock {
  void* pointer = nullptr;
  std::ptrdiff_t bytes = 0;
  device::StreamMarks marks{};  // for which it waits, one after the other
  bool is_wanted = false;       // another request of the stream may have it before
};

/// By the number of the work for which each waits first.
using Blocks = std::multimap<std::uint64_t, FreedBlock>;

/// The blocks that wait for one stream first.
struct Group {
  const device::Stream* stream = nullptr;
  Blocks blocks{};
};

/// Nobody works with memory of a GPU whose work has failed: then it is free too.
bool is_passed(const device::StreamMark& mark) noexcept {
  try {
    return mark.is_reached();
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
    if (found == by_want_.end() || found->second.empty()) return nullptr;
    const Blocks::iterator block = found->second.back();
    found->second.pop_back();
    drop_if_empty(found);
    void* const pointer = block->second.pointer;
    mark = block->second.marks.front();
    count(block->second, -1);
    Blocks::node_type node = known_group(mark).blocks.extract(block);
    if (spare_.size() < most_spare) spare_.insert(std::move(node));
    return pointer;
  }

  /// Throws std::bad_alloc; then the block is the caller's.
  void put(FreedBlock block) {
    Blocks fresh;
    const device::StreamMark first = block.marks.front();
    const Want want{.stream = first.stream(), .bytes = block.bytes};
    block.is_wanted = block.marks.size() == 1;
    const std::lock_guard lock(mutex_);
    const Blocks::iterator made = insert(fresh, first.sequence(), std::move(block));
    for (const device::StreamMark& mark : made->second.marks) require_group(mark);
    if (made->second.is_wanted) by_want_[want].push_back(made);
    count(made->second, 1);
    known_group(first).blocks.merge(fresh);  // iterators stay as they are
  }

  /// Asks some streams how far they are, each about the first work for which a block waits; what is free then goes to the pool. The next
  /// call asks others, so that none of them, however long its work takes, holds back what waits for another.
  void collect() noexcept {
    Blocks free;
    {
      const std::lock_guard lock(mutex_);
      int asked = 0;
      for (std::size_t looked = 0; looked < groups_.size() && asked < most_asked; ++looked) {
        Group& group = groups_[next_++ % groups_.size()];
        if (group.blocks.empty()) continue;
        ++asked;
        take_free(group, free);
      }
    }
    give_back(free);
  }

  /// For an allocation without memory: waits for all of them. Returns whether there were any.
  bool wait_for_all() noexcept {
    Blocks free;
    {
      const std::lock_guard lock(mutex_);
      for (Group& group : groups_) free.merge(group.blocks);
      by_want_.clear();
      bytes_ = 0;
      blocks_ = 0;
    }
    for (const auto& [number, block] : free) wait_for(block);
    give_back(free);
    return !free.empty();
  }

  PendingFigures figures() const {
    return {.bytes = bytes_.load(std::memory_order_relaxed), .blocks = blocks_.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr int most_asked = 4;           // each costs a call of the driver
  static constexpr std::size_t most_spare = 64;  // nodes that are kept, so that memory that comes and goes needs none
  static constexpr std::size_t most_unwanted = 64;  // sizes that are remembered though no block has them
  using Wants = std::unordered_map<Want, std::vector<Blocks::iterator>, WantHash>;

  /// Throws std::bad_alloc where no node is spare.
  Blocks::iterator insert(Blocks& blocks, std::uint64_t number, FreedBlock block) {
    if (spare_.empty()) return blocks.emplace(number, std::move(block));
    Blocks::node_type node = spare_.extract(spare_.begin());
    node.key() = number;
    node.mapped() = std::move(block);
    return blocks.insert(std::move(node));
  }

  void drop_if_empty(Wants::iterator want) {
    if (want->second.empty() && by_want_.size() > most_unwanted) by_want_.erase(want);
  }

  void count(const FreedBlock& block, int more) {
    bytes_ += more * block.bytes;
    blocks_ += more;
  }

  void require_group(const device::StreamMark& mark) {
    if (std::ranges::find(groups_, mark.stream(), &Group::stream) == groups_.end())
      groups_.push_back({.stream = mark.stream()});
  }
  /// put() has made it.
  Group& known_group(const device::StreamMark& mark) {
    return *std::ranges::find(groups_, mark.stream(), &Group::stream);
  }

  void drop_want(Blocks::iterator block) {
    const auto found = by_want_.find({block->second.marks.front().stream(), block->second.bytes});
    if (found == by_want_.end()) return;
    std::erase(found->second, block);
    drop_if_empty(found);
  }

  /// Moves the blocks of a group, which has some, that are free; those that wait for another stream too go to that one's group.
  void take_free(Group& group, Blocks& free) {
    if (!is_passed(group.blocks.begin()->second.marks.front())) return;
    do {
      const Blocks::iterator first = group.blocks.begin();
      FreedBlock& block = first->second;
      if (block.is_wanted) drop_want(first);
      device::StreamMarks left;
      for (const device::StreamMark& mark : std::span(block.marks).subspan(1)) {
        if (!mark.is_known_reached()) left.push_back(mark);
      }
      block.marks = std::move(left);
      Blocks::node_type node = group.blocks.extract(first);
      if (block.marks.empty()) {
        count(block, -1);
        free.insert(std::move(node));
      } else {
        node.key() = block.marks.front().sequence();
        known_group(block.marks.front()).blocks.insert(std::move(node));
      }
    } while (!group.blocks.empty() && group.blocks.begin()->second.marks.front().is_known_reached());
  }

  void give_back(const Blocks& free) noexcept {
    for (const auto& [number, block] : free) pool_.deallocate(block.pointer, block.bytes);
  }

  Pool& pool_;
  std::mutex mutex_;
  std::deque<Group> groups_;  // one for each stream that ever used a freed block
  std::size_t next_ = 0;      // of them is asked first
  Wants by_want_;             // those that one stream uses
  Blocks spare_;              // nodes without a block
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
    device::StreamMarks marks = uses.unreached();
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
