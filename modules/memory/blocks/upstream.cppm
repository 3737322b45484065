module;
#include <cstddef>
export module tessera.memory:upstream;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;

// Allocators by their three functions, so that the code in front of them exists once for all.
namespace tessera::memory {

/// An allocator of any type. `allocate` returns null when there is no more, also where the allocator behind throws OutOfMemory.
export class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual Place place() const = 0;
  virtual void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) = 0;
  virtual void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept = 0;
};

template <Allocator A>
class UpstreamOf final : public Upstream {
 public:
  explicit UpstreamOf(A allocator) : allocator_(std::move(allocator)) {}
  Place place() const override { return allocator_.place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) override {
    try {
      return allocator_.allocate(bytes, alignment);
    } catch (const OutOfMemory&) {
      return nullptr;
    }
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept override { allocator_.deallocate(pointer, bytes); }

 private:
  A allocator_;
};

/// The allocator behind an interface that is the same for all of them.
export template <Allocator A>
std::unique_ptr<Upstream> make_upstream(A allocator) {
  return std::make_unique<UpstreamOf<A>>(std::move(allocator));
}

}  // namespace tessera::memory
