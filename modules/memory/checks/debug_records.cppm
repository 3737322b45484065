module;
#include <cstddef>
#include <cstdint>
module tessera.memory:debug_records;
import tessera.standard;
import tessera.core;
import tessera.device;

// The blocks that debug mode knows, by their addresses: a table without links, so that a look touches one line of the cache.
namespace tessera::memory {

/// A block that was allocated in debug mode, until its memory goes back.
struct alignas(64) DebugRecord {
  enum class State : std::uint8_t {
    none,     // an empty entry of the table
    live,     //
    leaving,  // some thread is freeing it
    kept      // freed, its memory held back
  };
  char* block = nullptr;
  std::ptrdiff_t before = 0;  // bytes from the beginning of what the upstream gave to the block
  std::ptrdiff_t bytes = 0;
  std::uint64_t number = 0;  // of the allocation
  std::source_location where;
  State state = State::none;
};

class DebugRecords {
 public:
  /// Throws std::bad_alloc; nothing has changed then.
  inline void insert(const DebugRecord& record) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    place(record);
    ++count_;
  }

  /// Null if there is none. Valid until the next insert or erase.
  inline DebugRecord* find(const void* block) noexcept {
    if (count_ == 0) return nullptr;
    for (std::size_t at = home(block);; at = next(at)) {
      if (entries_[at].block == block) return &entries_[at];
      if (entries_[at].block == nullptr) return nullptr;
    }
  }

  /// Records behind the gap move up, so that none is ever looked for across it.
  inline void erase(DebugRecord& record) noexcept {
    auto gap = static_cast<std::size_t>(&record - entries_.data());
    for (std::size_t at = next(gap); entries_[at].block != nullptr; at = next(at)) {
      const std::size_t wanted = home(entries_[at].block);
      if (((at - wanted) & mask()) < ((at - gap) & mask())) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap] = {};
    --count_;
  }

  template <class Function>
  void for_each(const Function& function) const {
    for (const DebugRecord& record : entries_) {
      if (record.block != nullptr) function(record);
    }
  }

  inline std::size_t count() const noexcept { return count_; }

 private:
  inline std::size_t mask() const noexcept { return entries_.size() - 1; }
  inline std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }
  inline std::size_t home(const void* block) const noexcept {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(block));
    return static_cast<std::size_t>((address * 0x9e3779b97f4a7c15u) >> 20) & mask();
  }

  inline void place(const DebugRecord& record) noexcept {
    std::size_t at = home(record.block);
    while (entries_[at].block != nullptr) at = next(at);
    entries_[at] = record;
  }

  void grow() {
    std::vector<DebugRecord> former(std::max<std::size_t>(2 * entries_.size(), 64));
    former.swap(entries_);
    for (const DebugRecord& record : former) {
      if (record.block != nullptr) place(record);
    }
  }

  std::vector<DebugRecord> entries_;  // a power of two, at most half of them taken
  std::size_t count_ = 0;
};

}  // namespace tessera::memory
