module;
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <source_location>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// Memory with which streams work: reused in their order, or when they have done their work.
namespace tessera::memory {

namespace {

/// Blocks of one place that were freed while streams might use them.
class FreedBlocks {
 public:
  explicit FreedBlocks(Place place) : place_(place), pool_(pool(place)) {}

  /// A block of that size which only earlier work of the stream uses; null if there is none.
  void* take(std::ptrdiff_t bytes, const Stream& stream) {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const Block& block) {
      return block.bytes == bytes && std::ranges::all_of(block.marks, [&](const StreamMark& mark) {
               return mark.stream() == nullptr || mark.stream() == &stream;
             });
    };
    const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), fits);  // the one that was freed last
    if (found == blocks_.rend()) return nullptr;
    void* const pointer = found->pointer;
    blocks_.erase(std::next(found).base());
    return pointer;
  }

  void put(void* pointer, std::ptrdiff_t bytes, std::vector<StreamMark> marks) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back({pointer, bytes, std::move(marks)});
  }

  /// Gives the oldest blocks back to the pool, up to the first that is still in use.
  void collect() {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.begin();
    while (block != blocks_.end() && is_free(*block)) give_back(*block++);
    blocks_.erase(blocks_.begin(), block);
  }

  /// Waits for the oldest block and gives it back. Returns whether there was one.
  bool wait_for_one() {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return false;
    for (const StreamMark& mark : blocks_.front().marks) mark.wait();
    give_back(blocks_.front());
    blocks_.erase(blocks_.begin());
    return true;
  }

 private:
  struct Block {
    void* pointer;
    std::ptrdiff_t bytes;
    std::vector<StreamMark> marks;
  };

  static bool is_free(const Block& block) {
    return std::ranges::all_of(block.marks, [](const StreamMark& mark) { return mark.is_reached(); });
  }
  void give_back(const Block& block) { pool_.deallocate(block.pointer, block.bytes); }

  Place place_;
  Pool& pool_;
  std::mutex mutex_;
  std::vector<Block> blocks_;  // in the order in which they were freed
};

/// Made on first use and never destroyed, as the pools are.
FreedBlocks& freed_blocks(Place place) {
  static std::mutex mutex;
  static auto& places = *new std::vector<std::pair<Place, std::unique_ptr<FreedBlocks>>>;
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find(places, place, [](const auto& entry) { return entry.first; });
  if (found != places.end()) return *found->second;
  return *places.emplace_back(place, std::make_unique<FreedBlocks>(place)).second;
}

}  // namespace

void Allocation::allocate_for_streams(std::source_location where) {
  uses_ = std::make_unique<StreamUses>();
  FreedBlocks& freed = freed_blocks(place_);
  if (place_.kind() == PlaceKind::gpu && bytes_ > 0) {
    pointer_ = freed.take(bytes_, Stream::current(GpuPlace{place_.ordinal()}));
    if (pointer_ != nullptr) return;
  }
  freed.collect();
  while (true) {
    try {
      pointer_ = pool_->allocate(bytes_, block_alignment, where);
      return;
    } catch (const OutOfMemory&) {
      if (!freed.wait_for_one()) throw;
    }
  }
}

void Allocation::free_after_uses() noexcept {
  try {
    if (pointer_ == nullptr || uses_->is_idle()) return pool_->deallocate(pointer_, bytes_);
    freed_blocks(place_).put(pointer_, bytes_, uses_->marks());
  } catch (
      ...) {  // work has failed, so that nothing can be waited for; or there is no memory for the note: then wait here
    try {
      uses_->wait_for_writing();
    } catch (const DeviceError&) {  // nobody works with memory of a GPU whose work has failed
    }
    pool_->deallocate(pointer_, bytes_);
  }
}

}  // namespace tessera::memory
