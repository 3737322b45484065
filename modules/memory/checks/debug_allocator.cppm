module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.memory:debug_allocator;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :strategy;
import :upstream;

// Finds misuse of memory: writes beyond a block's ends, use of memory that was freed or never written, blocks that are freed twice
// or not at all.
namespace tessera::memory {

/// Bytes before and after each block that must stay as they are.
inline constexpr std::ptrdiff_t guard_bytes = 64;

/// Blocks with their guards, of one upstream. Thread-safe.
class DebugHeap {
 public:
  explicit DebugHeap(Place place);
  DebugHeap(const DebugHeap&) = delete;
  DebugHeap& operator=(const DebugHeap&) = delete;
  ~DebugHeap();

  /// Bytes to ask the upstream for, and the block within what it gave.
  static std::ptrdiff_t with_guards(std::ptrdiff_t bytes, std::ptrdiff_t alignment);
  /// A block that has been kept for long enough and is as large as asked for; null if there is none.
  void* reuse(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where);
  void* admit(void* base, std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where);

  /// Memory that goes back to the upstream.
  struct Released {
    void* base = nullptr;
    std::ptrdiff_t bytes = 0;  // as asked of the upstream
    bool more = false;         // whether others are to go back too: give_up has them
    std::string damage;        // what was wrong with it; empty if nothing was
  };
  /// Checks a block that is freed and keeps it for a while; returns what goes back now: one that has been kept for long enough,
  /// if any. Nothing at all for a pointer that it does not know. Throws PlaceError with what is wrong: freed before, written
  /// beyond its ends; the block is live as before then.
  std::optional<Released> dismiss(void* pointer);
  /// The next of the blocks that are kept, all of them checked; a null base when none is left.
  Released give_up();
  /// Throws PlaceError for a pointer that dismiss does not know: interior or foreign.
  [[noreturn]] void refuse(const void* pointer) const;
  /// Whether a block of a record begins there, with the guard before it.
  bool is_before_a_block(const void* pointer) const;

  /// Throws PlaceError if the block was damaged. To be called when its memory has been given back.
  void report(const Released& released) const;

  /// Whether it holds no block, neither live nor kept.
  bool empty() const noexcept;
  /// A line for each block that is live (bytes, place, where it was allocated) and for each kept one that was written to, in the
  /// order of their allocations. Empty if there is none.
  std::string leaks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Fills new and freed memory with NaNs, guards both ends of each block, keeps freed blocks back for a while to find writes to
/// them. `deallocate(pointer)` throws PlaceError for a pointer that was freed before, lies inside a block or is foreign, and for a
/// block whose ends were overwritten, with the place that allocated it.
export template <Allocator Upstream>
class DebugAllocator {
 public:
  explicit DebugAllocator(Upstream upstream)
      : upstream_(std::move(upstream)), heap_(std::make_unique<DebugHeap>(upstream_.place())) {}
  DebugAllocator(DebugAllocator&&) = default;
  DebugAllocator& operator=(DebugAllocator&&) = delete;
  ~DebugAllocator() {
    if (heap_) flush();
  }

  Place place() const { return upstream_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment,
                 std::source_location where = std::source_location::current()) {
    check_request(bytes, alignment);
    if (void* block = heap_->reuse(bytes, alignment, where)) return block;
    void* base = upstream_.allocate(DebugHeap::with_guards(bytes, alignment), alignment);
    return base == nullptr ? nullptr : heap_->admit(base, bytes, alignment, where);
  }
  void deallocate(void* pointer) {
    if (pointer == nullptr) return;
    std::optional<DebugHeap::Released> released = heap_->dismiss(pointer);
    if (!released) heap_->refuse(pointer);
    while (released->base != nullptr) {
      const bool more = released->more;
      give_back(*released);
      if (!more) return;
      released = heap_->give_up();
    }
  }
  /// As deallocate; ends the program with the message where that throws.
  void deallocate(void* pointer, std::ptrdiff_t) noexcept { deallocate(pointer); }

  /// A line for each live block, and for each freed one that is kept and was written to; empty if there is none.
  std::string leaks() const { return heap_->leaks(); }

  /// Gives back the freed blocks that are kept. Throws PlaceError if one was written to.
  void flush() {
    while (true) {
      const DebugHeap::Released released = heap_->give_up();
      if (released.base == nullptr) return;
      give_back(released);
    }
  }

 private:
  void give_back(const DebugHeap::Released& released) {
    upstream_.deallocate(released.base, released.bytes);
    heap_->report(released);
  }

  Upstream upstream_;
  std::unique_ptr<DebugHeap> heap_;
};

}  // namespace tessera::memory
