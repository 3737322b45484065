// Tests of the pool on an allocator that keeps a ledger.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

static_assert(memory::Allocator<LedgerAllocator<Place>> && !std::is_copy_constructible_v<Pool> &&
              !std::is_move_constructible_v<Pool>);

namespace {

// --8<-- [start:allocator]
/// Gives out addresses with nothing behind them, so that a pool can be asked for any size.
struct HollowAllocator {
  std::ptrdiff_t* last_size;
  std::uintptr_t next = 64;

  Place place() const { return {}; }
  void* allocate(std::ptrdiff_t bytes) {
    *last_size = bytes;
    return reinterpret_cast<void*>(next += 64);
  }
  void deallocate(void*, std::ptrdiff_t) noexcept {}
};
static_assert(memory::Allocator<HollowAllocator>);
// --8<-- [end:allocator]

struct TestPool {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
};

}  // namespace

TEST_CASE("a block is at least as large as asked for, and wastes at most an eighth beside rounding to 64 bytes") {
  std::ptrdiff_t block = 0;
  Pool pool(HollowAllocator{&block});
  const auto check = [&](std::ptrdiff_t bytes) {
    pool.deallocate(pool.allocate(bytes));
    pool.trim();  // so that each size goes to the allocator
    const std::ptrdiff_t rounded = std::max<std::ptrdiff_t>(bytes + 63, 64) / 64 * 64;
    const bool good = block >= rounded && block % 64 == 0 && block - rounded <= rounded / 8;
    if (!good) FAIL_CHECK(bytes, " bytes got a block of ", block);
  };
  for (std::ptrdiff_t bytes = 0; bytes <= 20'000; ++bytes) check(bytes);
  for (int exponent = 14; exponent < 61; ++exponent) {
    const std::ptrdiff_t power = std::ptrdiff_t{1} << exponent;
    for (int eighth = 0; eighth < 8; ++eighth) {
      for (const std::ptrdiff_t nudge : {-65, -64, -1, 0, 1, 64, 65}) check(power + power / 8 * eighth + nudge);
    }
  }
  check((std::ptrdiff_t{1} << 61) - 1);  // the largest request that is passed on
}

TEST_CASE("blocks of small sizes do not waste memory of others: sizes of one class share their blocks") {
  TestPool test;
  void* first = test.pool.allocate(1000);
  test.pool.deallocate(first);
  CHECK(test.pool.allocate(1024) == first);  // both are blocks of 1024 bytes
  CHECK(test.ledger.calls == 1);
  test.pool.deallocate(first);
}

TEST_CASE("a warm block is reused, the most recently freed one first") {
  TestPool test;
  void* a = test.pool.allocate(300);
  void* b = test.pool.allocate(300);
  CHECK(a != b);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
  CHECK(test.pool.allocate(300) == b);
  CHECK(test.pool.allocate(300) == a);
  CHECK(test.ledger.calls == 2);
  CHECK(test.pool.stats().system_calls == 2);
  CHECK(test.pool.stats().allocations == 4);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
}

TEST_CASE("the pool's figures follow what is allocated and freed") {
  TestPool test;
  void* a = test.pool.allocate(100);
  void* b = test.pool.allocate(1000);
  memory::Stats stats = test.pool.stats();
  CHECK(stats.in_use == 1100);
  CHECK(stats.live == 2);
  CHECK(stats.reserved == 128 + 1024);
  CHECK(stats.reserved == test.ledger.bytes);
  test.pool.deallocate(b);
  stats = test.pool.stats();
  CHECK(stats.in_use == 100);
  CHECK(stats.peak == 1100);
  CHECK(stats.live == 1);
  CHECK(stats.reserved == 128 + 1024);  // the freed block stays warm
  test.pool.trim();
  stats = test.pool.stats();
  CHECK(stats.reserved == 128);
  CHECK(stats.peak_reserved == 128 + 1024);
  CHECK(stats.limit == std::numeric_limits<std::ptrdiff_t>::max());
  test.pool.deallocate(a);
}

TEST_CASE("zero bytes are a block of their own") {
  TestPool test;
  void* a = test.pool.allocate(0);
  void* b = test.pool.allocate(0);
  CHECK(a != nullptr);
  CHECK(a != b);
  CHECK(test.pool.stats().in_use == 0);
  CHECK(test.pool.stats().live == 2);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
  CHECK(test.pool.stats().live == 0);
}

TEST_CASE("freeing null does nothing") {
  TestPool test;
  test.pool.deallocate(nullptr);
  test.pool.deallocate(nullptr, 64);
  CHECK(test.pool.stats().live == 0);
}

TEST_CASE("freeing what is not the start of a live block throws with the address and changes nothing") {
  TestPool test;
  auto* block = static_cast<char*>(test.pool.allocate(256));
  int foreign = 0;
  const auto check_refused = [&](void* pointer) {
    std::string message;
    try {
      test.pool.deallocate(pointer);
    } catch (const PlaceError& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.starts_with("memory::free(cpu): 0x"));
    CHECK(
        message.ends_with(" is not the start of a live allocation; it was freed before, belongs to another place, or "
                          "points inside a block"));
  };
  check_refused(&foreign);
  check_refused(block + 1);
  check_refused(block + 64);
  check_refused(block + 256);
  CHECK(test.pool.stats().live == 1);
  CHECK(test.pool.stats().in_use == 256);
  test.pool.deallocate(block);
  check_refused(block);
  CHECK(test.pool.stats().in_use == 0);
  CHECK(test.pool.allocate(256) == block);
  void* other = test.pool.allocate(256);  // the block was cached once, not twice
  CHECK(other != block);
  test.pool.deallocate(block);
  test.pool.deallocate(other);
}

TEST_CASE("a negative size is refused, and an enormous one is out of memory") {
  TestPool test;
  CHECK_THROWS_WITH_AS(test.pool.allocate(-1), "memory::alloc: -1 bytes cannot be allocated", ShapeError);
  CHECK_THROWS_AS(test.pool.allocate(std::numeric_limits<std::ptrdiff_t>::min()), ShapeError);
  CHECK_THROWS_AS(test.pool.allocate(std::numeric_limits<std::ptrdiff_t>::max()), OutOfMemory);
  CHECK_THROWS_AS(test.pool.allocate(std::ptrdiff_t{1} << 61), OutOfMemory);
  CHECK(test.ledger.calls == 0);
  CHECK(test.pool.stats().allocations == 0);
}

TEST_CASE("a limit is kept, and OutOfMemory says all figures and what to do") {
  TestPool test;
  test.pool.set_limit(4096);
  void* a = test.pool.allocate(3000);  // a block of 3072 bytes
  CHECK_THROWS_WITH_AS(
      test.pool.allocate(2000),
      "memory::alloc(cpu): 2000 bytes were requested; in use 3000, reserved 3072, peak 3000, limit 4096; "
      "raise the limit with memory::set_limit, or free arrays",
      OutOfMemory);
  CHECK(test.pool.stats().in_use == 3000);
  CHECK(test.ledger.calls == 1);
  void* b = test.pool.allocate(1024);  // exactly up to the limit
  CHECK(test.pool.stats().reserved == 4096);
  CHECK_THROWS_AS(test.pool.allocate(0), OutOfMemory);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
}

TEST_CASE("warm blocks make way for a request that the limit would refuse") {
  TestPool test;
  test.pool.set_limit(4096);
  test.pool.deallocate(test.pool.allocate(4096));
  void* b = test.pool.allocate(2000);
  CHECK(test.pool.stats().reserved == 2048);
  CHECK(test.ledger.bytes == 2048);
  test.pool.deallocate(b);
}

TEST_CASE("a limit below what is in use leaves live blocks alone and refuses new ones") {
  TestPool test;
  void* a = test.pool.allocate(1024);
  void* b = test.pool.allocate(512);
  test.pool.deallocate(b);
  test.pool.set_limit(1000);
  CHECK(test.pool.stats().reserved == 1024);  // the warm block went
  CHECK(test.pool.stats().in_use == 1024);
  CHECK_THROWS_AS(test.pool.allocate(64), OutOfMemory);
  test.pool.deallocate(a);
  CHECK(test.pool.stats().reserved == 0);  // above the limit nothing is kept warm
  void* c = test.pool.allocate(900);
  CHECK(test.pool.stats().reserved == 960);
  test.pool.deallocate(c);
}

TEST_CASE("a negative limit is refused, and a limit of zero allows nothing") {
  TestPool test;
  CHECK_THROWS_WITH_AS(test.pool.set_limit(-5), "memory::set_limit: -5 bytes are no limit", ShapeError);
  test.pool.set_limit(0);
  CHECK_THROWS_AS(test.pool.allocate(1), OutOfMemory);
  test.pool.set_limit(std::numeric_limits<std::ptrdiff_t>::max());
  test.pool.deallocate(test.pool.allocate(1));
}

TEST_CASE("a pool gives its warm blocks back when it ends") {
  Ledger ledger;
  {
    Pool pool{LedgerAllocator<Place>(ledger)};
    std::vector<void*> blocks;
    for (const std::ptrdiff_t bytes : {1, 100, 10'000, 100'000, 100}) blocks.push_back(pool.allocate(bytes));
    CHECK(ledger.blocks.size() == 5);
    for (void* block : blocks) pool.deallocate(block);
    CHECK(ledger.blocks.size() == 5);
  }
  CHECK(ledger.blocks.empty());
  CHECK(ledger.bytes == 0);
}
