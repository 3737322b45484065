module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:stream_allocator;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :strategy;

// Memory whose reuse follows the order of streams, so that it can be freed while a device still works with it.
namespace tessera::memory {

/// Any allocator as a StreamAllocator. A block that is given back on a stream serves the next request of its size on that stream
/// at once; it goes back to the upstream, and so to other streams, when the stream has come so far. Not thread-safe.
export template <Allocator Upstream, std::equality_comparable StreamType>
class StreamOrderedAllocator {
 public:
  using Stream = StreamType;

  /// `wait` returns when the work that a stream has been given so far is done.
  StreamOrderedAllocator(Upstream upstream, std::function<void(const Stream&)> wait)
      : upstream_(std::move(upstream)), wait_(std::move(wait)) {}
  StreamOrderedAllocator(StreamOrderedAllocator&&) = default;
  StreamOrderedAllocator& operator=(StreamOrderedAllocator&&) = delete;
  ~StreamOrderedAllocator() {
    while (!freed_.empty()) wait_for(freed_.front().stream);
  }

  Place place() const { return upstream_.place(); }

  /// Memory that no stream uses. Waits for streams before it returns null.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment = block_alignment) {
    check_request(bytes, alignment);
    while (true) {
      if (void* pointer = upstream_.allocate(bytes, alignment)) return pointer;
      if (freed_.empty()) return nullptr;
      wait_for(freed_.front().stream);
    }
  }
  /// Memory for work that the stream is given after this call.
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, const Stream& stream) {
    check_request(bytes, alignment);
    const auto fits = [&](const Freed& freed) {
      return freed.bytes == bytes && freed.stream == stream && is_aligned(freed.pointer, alignment);
    };
    const auto found = std::find_if(freed_.rbegin(), freed_.rend(), fits);  // the one that was freed last
    if (found == freed_.rend()) return allocate(bytes, alignment);
    void* pointer = found->pointer;
    freed_.erase(std::next(found).base());
    return pointer;
  }

  /// Memory that no stream uses any more.
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept { upstream_.deallocate(pointer, bytes); }
  /// Memory that the stream uses in work that it has been given already.
  void deallocate(void* pointer, std::ptrdiff_t bytes, const Stream& stream) noexcept {
    if (pointer == nullptr) return;
    try {
      freed_.push_back({pointer, bytes, stream});
    } catch (...) {  // no memory for the note: then the block is waited for here
      wait_(stream);
      upstream_.deallocate(pointer, bytes);
    }
  }

  /// The stream has done all that it was given: its freed blocks go to the upstream.
  void finished(const Stream& stream) noexcept {
    std::erase_if(freed_, [&](const Freed& freed) {
      if (!(freed.stream == stream)) return false;
      upstream_.deallocate(freed.pointer, freed.bytes);
      return true;
    });
  }

  /// Number of blocks that wait for their streams.
  std::ptrdiff_t waiting() const { return std::ssize(freed_); }
  Upstream& upstream() { return upstream_; }

 private:
  struct Freed {
    void* pointer;
    std::ptrdiff_t bytes;
    Stream stream;
  };

  static bool is_aligned(const void* pointer, std::ptrdiff_t alignment) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(alignment) == 0;
  }

  void wait_for(Stream stream) {
    wait_(stream);
    finished(stream);
  }

  Upstream upstream_;
  std::function<void(const Stream&)> wait_;
  std::vector<Freed> freed_;
};

}  // namespace tessera::memory
