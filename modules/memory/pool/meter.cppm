module;
#include <cstddef>
#include <cstdint>
module tessera.memory:meter;
import tessera.standard;
import tessera.device;
import :upstream;

// What a pool has taken from its upstream.
namespace tessera::memory {

/// Counts what is reserved and keeps it within a limit.
class Meter {
 public:
  explicit Meter(std::unique_ptr<Upstream> upstream) : upstream_(std::move(upstream)) {}

  Place place() const { return upstream_->place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment);
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept;

  std::ptrdiff_t limit = PTRDIFF_MAX;
  std::ptrdiff_t reserved = 0, peak_reserved = 0, calls = 0;

 private:
  std::unique_ptr<Upstream> upstream_;
};

}  // namespace tessera::memory
