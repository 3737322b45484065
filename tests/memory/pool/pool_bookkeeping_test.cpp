// Fault injection: the N-th allocation of a pool's own bookkeeping fails, for every N.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "fault_pattern.hpp"
import tessera;

// ThreadSanitizer's library defines these operators itself and cannot be linked with others.
#if !__has_feature(thread_sanitizer)

using namespace tessera;
using memory::Pool;

namespace {

thread_local int news_until_failure = -1;  // negative: none fails

bool fails_now() { return news_until_failure >= 0 && news_until_failure-- == 0; }

}  // namespace

// Replaced for the whole program: the memory room's tests run on them.
void* operator new(std::size_t bytes) {
  void* pointer = fails_now() ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto aligned = static_cast<std::size_t>(alignment);
  void* pointer = fails_now() ? nullptr : std::aligned_alloc(aligned, (bytes + aligned - 1) / aligned * aligned);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }

namespace {

/// An allocator without bookkeeping of its own, so that every `new` is the pool's.
struct PlainAllocator {
  std::ptrdiff_t* outstanding;

  Place place() const { return {}; }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
    void* pointer = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                       static_cast<std::size_t>((bytes + alignment - 1) / alignment * alignment));
    if (pointer != nullptr) *outstanding += bytes;
    return pointer;
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    *outstanding -= bytes;
    std::free(pointer);
  }
};

}  // namespace

TEST_CASE("when the N-th allocation of the pool's own bookkeeping fails, nothing is lost either") {
  bool failed = true;
  int refused = 0;
  for (int failing = 0; failed; ++failing) {
    CAPTURE(failing);
    std::ptrdiff_t outstanding = 0;
    {
      Pool pool(PlainAllocator{&outstanding});
      news_until_failure = failing + 1;  // the first is run_pattern's own vector
      const Attempt outcome = run_pattern<std::bad_alloc>(pool);
      failed = news_until_failure < 0;
      news_until_failure = -1;
      refused += outcome.refused;
      CHECK(outcome.refused <= 1);
      CHECK(outcome.succeeded + outcome.refused == 60);
      CHECK(pool.stats().in_use == 0);
      CHECK(pool.stats().live == 0);
      CHECK(pool.stats().reserved == outstanding);
    }
    CHECK(outstanding == 0);
  }
  CHECK(refused > 60);
}

#endif
