// Fault injection: the N-th call of the pool's allocator fails, then the N-th allocation of its own bookkeeping, for every N.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "ledger.hpp"
import tessera;

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
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }

namespace {

/// An allocator without bookkeeping of its own, so that every `new` is the pool's.
struct PlainAllocator {
  std::ptrdiff_t* outstanding;

  Place place() const { return {}; }
  void* allocate(std::ptrdiff_t bytes) {
    void* pointer = std::aligned_alloc(64, static_cast<std::size_t>(bytes));
    if (pointer != nullptr) *outstanding += bytes;
    return pointer;
  }
  void deallocate(void* pointer, std::ptrdiff_t bytes) noexcept {
    *outstanding -= bytes;
    std::free(pointer);
  }
};

struct Outcome {
  int succeeded = 0;
  int refused = 0;
};

/// Allocates and frees in a fixed pattern that meets warm and cold classes; a refused allocation must change nothing.
template <class Error>
Outcome run_pattern(Pool& pool) {
  Outcome outcome;
  std::vector<void*> blocks;
  blocks.reserve(64);
  for (int step = 0; step < 60; ++step) {
    const memory::Stats before = pool.stats();
    try {
      blocks.push_back(pool.allocate(100 * (step % 7) + step));
      ++outcome.succeeded;
    } catch (const Error&) {
      ++outcome.refused;
      const memory::Stats after = pool.stats();
      const bool unchanged = after.in_use == before.in_use && after.live == before.live && after.allocations == before.allocations &&
                             after.peak == before.peak;
      if (!unchanged) FAIL_CHECK("step ", step, ": in use ", after.in_use, " instead of ", before.in_use, ", live ", after.live);
    }
    if (step % 3 != 0 || blocks.empty()) continue;
    pool.deallocate(blocks.back());
    blocks.pop_back();
  }
  for (void* block : blocks) pool.deallocate(block);
  return outcome;
}

}  // namespace

TEST_CASE("when the N-th call of the allocator fails, the pool tries again without its warm blocks") {
  int calls = 1;
  for (int failing = 0; failing < calls; ++failing) {
    CAPTURE(failing);
    Ledger ledger{.first_failure = failing, .last_failure = failing + 1};
    {
      Pool pool{LedgerAllocator<Place>(ledger)};
      const Outcome outcome = run_pattern<OutOfMemory>(pool);
      CHECK(outcome.refused == 0);
      CHECK(pool.stats().in_use == 0);
      CHECK(pool.stats().reserved == ledger.bytes);
      CHECK(pool.stats().system_calls == ledger.calls - (ledger.calls > failing ? 1 : 0));  // one allocation asked twice
    }
    CHECK(ledger.blocks.empty());
    calls = ledger.calls;
  }
  CHECK(calls > 20);
}

TEST_CASE("when the allocator fails from the N-th call on for a while, allocations are refused and nothing is lost") {
  for (const int width : {2, 3, 10}) {
    int calls = 1;
    int refused = 0;
    for (int failing = 0; failing < calls; ++failing) {
      CAPTURE(failing);
      Ledger ledger{.first_failure = failing, .last_failure = failing + width};
      {
        Pool pool{LedgerAllocator<Place>(ledger)};
        const Outcome outcome = run_pattern<OutOfMemory>(pool);
        refused += outcome.refused;
        CHECK(outcome.succeeded + outcome.refused == 60);
        CHECK(pool.stats().in_use == 0);
        CHECK(pool.stats().live == 0);
        CHECK(pool.stats().reserved == ledger.bytes);
      }
      CHECK(ledger.blocks.empty());
      calls = ledger.calls;
    }
    CHECK(refused > 20);
  }
}

TEST_CASE("when the N-th allocation of the pool's own bookkeeping fails, nothing is lost either") {
  bool failed = true;
  int refused = 0;
  for (int failing = 0; failed; ++failing) {
    CAPTURE(failing);
    std::ptrdiff_t outstanding = 0;
    {
      Pool pool(PlainAllocator{&outstanding});
      news_until_failure = failing + 1;  // the first is run_pattern's own vector
      const Outcome outcome = run_pattern<std::bad_alloc>(pool);
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
