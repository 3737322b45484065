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
  std::uintptr_t next = 1 << 20;

  Place place() const { return {}; }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
    const auto size = static_cast<std::uintptr_t>(bytes), multiple = static_cast<std::uintptr_t>(alignment);
    const std::uintptr_t begin = (next + multiple - 1) / multiple * multiple;
    next = begin + size;
    return reinterpret_cast<void*>(begin);
  }
  void deallocate(void*, std::ptrdiff_t) noexcept {}
};
static_assert(memory::Allocator<HollowAllocator>);
// --8<-- [end:allocator]

constexpr memory::StrategyKind both_strategies[] = {memory::StrategyKind::segregated_fit, memory::StrategyKind::buddy};

constexpr auto segregated_fit = memory::StrategyKind::segregated_fit;

struct TestPool {
  memory::StrategyKind strategy = memory::default_strategy();
  memory::Layout layout{.granule = 4096};
  Ledger ledger{};
  Pool pool{LedgerAllocator<Place>(ledger), {.strategy = strategy, .layout = layout}};
};

}  // namespace

// --8<-- [start:options]
TEST_CASE("a pool is told its strategy, the sizes of its chunks, and whether threads keep blocks") {
  const memory::PoolOptions options{.strategy = memory::StrategyKind::buddy,
                                    .layout = {.granule = 4096, .smallest_chunk = 1 << 20},
                                    .thread_caches = false};
  Pool pool(memory::CpuSystemAllocator{}, options);
  void* block = pool.allocate(100'000);
  CHECK(pool.stats().allocated == 102'400);   // 25 granules
  CHECK(pool.stats().reserved == 1'048'576);  // a chunk
  pool.deallocate(block);
}
// --8<-- [end:options]

// --8<-- [start:histogram]
TEST_CASE("the histogram of a pool says how many allocations of which size there were") {
  Pool pool(memory::CpuSystemAllocator{});
  for (const std::ptrdiff_t bytes : {10, 64, 65, 128, 1000}) pool.deallocate(pool.allocate(bytes));
  const memory::SizeHistogram sizes = pool.stats().histogram;
  CHECK(sizes[0] == 2);  // at most 64 bytes
  CHECK(sizes[1] == 2);  // at most 128
  CHECK(sizes[4] == 1);  // at most 1024
}
// --8<-- [end:histogram]

TEST_CASE("a block is at least as large as asked for, and wastes at most an eighth beside rounding to 64 bytes") {
  for (const auto strategy : both_strategies) {
    Pool pool(HollowAllocator{}, {.strategy = strategy});
    const auto check = [&](std::ptrdiff_t bytes) {
      void* pointer = pool.allocate(bytes);
      const std::ptrdiff_t block = pool.stats().allocated;
      pool.deallocate(pointer);
      const std::ptrdiff_t rounded = std::max<std::ptrdiff_t>(bytes + 63, 64) / 64 * 64;
      const bool good = block >= rounded && block % 64 == 0 && block - rounded <= rounded / 8;
      if (!good) FAIL_CHECK(bytes, " bytes got a block of ", block);
    };
    for (std::ptrdiff_t bytes = 0; bytes <= 40'000; ++bytes) check(bytes);
    for (int exponent = 14; exponent < 42; ++exponent) {
      const std::ptrdiff_t power = std::ptrdiff_t{1} << exponent;
      for (int eighth = 0; eighth < 8; ++eighth) {
        for (const std::ptrdiff_t nudge : {-65, -64, -1, 0, 1, 64, 65}) check(power + power / 8 * eighth + nudge);
      }
    }
  }
}

TEST_CASE("an alignment beyond 64 bytes is kept, and one that is no power of two is refused") {
  TestPool test;
  for (const std::ptrdiff_t bytes : {100, 100'000, 10'000'000}) {
    for (std::ptrdiff_t alignment = 64; alignment <= 1 << 20; alignment *= 2) {
      void* pointer = test.pool.allocate(bytes, alignment);
      if (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(alignment) != 0)
        FAIL_CHECK(bytes, " bytes aligned to ", alignment, " are at ", pointer);
      test.pool.deallocate(pointer);
    }
  }
  for (const std::ptrdiff_t alignment : {-64, 0, 48, 100})
    CHECK_THROWS_WITH_AS(test.pool.allocate(8, alignment), doctest::Contains("is no power of two"), ShapeError);
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
  CHECK(test.ledger.calls == 1);  // a chunk, of which both are parts
  CHECK(test.pool.stats().system_calls == 1);
  CHECK(test.pool.stats().allocations == 4);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
}

TEST_CASE("the pool's figures follow what is allocated and freed") {
  TestPool test{segregated_fit};
  void* a = test.pool.allocate(100);
  void* b = test.pool.allocate(100'000);
  memory::Stats stats = test.pool.stats();
  CHECK(stats.in_use == 100'100);
  CHECK(stats.allocated == 128 + 102'400);
  CHECK(stats.live == 2);
  CHECK(stats.histogram[1] == 1);             // 65 to 128 bytes
  CHECK(stats.histogram[11] == 1);            // 65,537 to 131,072 bytes
  CHECK(stats.reserved == 65'536 + 102'400);  // a chunk for slabs, and one for the array
  CHECK(stats.reserved == test.ledger.bytes);
  test.pool.deallocate(b);
  stats = test.pool.stats();
  CHECK(stats.in_use == 100);
  CHECK(stats.peak == 100'100);
  CHECK(stats.live == 1);
  CHECK(stats.allocated == 128);
  CHECK(stats.cached == 4096 - 128);          // the slab of small blocks
  CHECK(stats.reserved == 65'536 + 102'400);  // the freed block stays warm
  CHECK(stats.largest_free == 102'400);
  CHECK(stats.external_fragmentation() == doctest::Approx(1 - 102'400.0 / (102'400 + 65'536 - 4096)));
  CHECK(stats.internal_fragmentation() == doctest::Approx(1 - 100.0 / 128));
  CHECK(stats.overhead() == doctest::Approx(1 - 100'100.0 / (65'536 + 102'400)));
  CHECK(stats.limit == std::numeric_limits<std::ptrdiff_t>::max());
  test.pool.deallocate(a);
  test.pool.trim();
  stats = test.pool.stats();
  CHECK(stats.reserved == 0);
  CHECK(stats.peak_reserved == 65'536 + 102'400);
  CHECK(test.ledger.blocks.empty());
}

TEST_CASE("a class of small blocks begins with a few KiB, and its slabs grow with what is in use") {
  TestPool test{segregated_fit};
  std::vector<void*> blocks;
  for (std::ptrdiff_t bytes = 64; bytes <= 2048; bytes += 64) blocks.push_back(test.pool.allocate(bytes));
  CHECK(test.pool.stats().reserved <= 128 << 10);  // for 24 classes
  for (int i = 0; i < 1000; ++i) blocks.push_back(test.pool.allocate(1000));
  std::ptrdiff_t largest = 0;
  test.pool.visit([&](const memory::Piece& piece) {
    if (piece.state == memory::Piece::State::live) largest = std::max(largest, piece.bytes);
  });
  CHECK(largest == 64 << 10);
  for (void* block : blocks) test.pool.deallocate(block);
  test.pool.trim();
  CHECK(test.ledger.blocks.empty());
}

TEST_CASE("small blocks go before a large one makes the pool grow") {
  TestPool test{segregated_fit};
  void* large = test.pool.allocate(400'000);
  test.pool.deallocate(large);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(test.pool.allocate(30'000));
  const std::ptrdiff_t reserved = test.pool.stats().reserved;
  for (void* block : blocks) test.pool.deallocate(block);
  test.pool.deallocate(test.pool.allocate(400'000));
  CHECK(test.pool.stats().reserved == reserved);
}

TEST_CASE("chunks grow with what is reserved, and huge blocks go past them") {
  TestPool test{segregated_fit};
  std::vector<void*> blocks;
  for (int i = 0; i < 640; ++i) blocks.push_back(test.pool.allocate(100'000));
  std::ptrdiff_t largest = 0;
  for (const auto& [pointer, bytes] : test.ledger.blocks) largest = std::max(largest, bytes);
  CHECK(largest >= 2 << 20);
  CHECK(test.pool.stats().reserved <= 640 * 102'400 * 17 / 16 + (1 << 20));  // at most a sixteenth at a time
  const std::ptrdiff_t before = test.pool.stats().reserved;
  void* huge = test.pool.allocate(20'000'000);
  CHECK(test.pool.stats().reserved - before <= 20'000'000 + 4096);
  test.pool.deallocate(huge);
  const int calls = test.ledger.calls;
  CHECK(test.pool.allocate(19'000'000) == huge);  // kept, and large enough
  CHECK(test.ledger.calls == calls);
  test.pool.deallocate(huge);
  for (void* block : blocks) test.pool.deallocate(block);
  test.pool.trim();
  CHECK(test.ledger.blocks.empty());
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
  TestPool test{segregated_fit};
  test.pool.set_limit(1 << 20);
  void* a = test.pool.allocate(300'000);  // a block of 303,104 bytes
  CHECK_THROWS_WITH_AS(
      test.pool.allocate(800'000),
      "memory::alloc(cpu): 800000 bytes were requested; in use 300000, reserved 303104, peak 300000, limit 1048576, "
      "largest free block 0, fragmentation 0 %; raise the limit with memory::set_limit, or free arrays",
      OutOfMemory);
  CHECK(test.pool.stats().in_use == 300'000);
  void* b = test.pool.allocate(700'000);
  CHECK(test.ledger.bytes <= 1 << 20);
  test.pool.set_limit(test.pool.stats().allocated);
  CHECK_THROWS_AS(test.pool.allocate(0), OutOfMemory);
  test.pool.deallocate(a);
  test.pool.deallocate(b);
}

TEST_CASE("when enough is free but in pieces, the message says so") {
  TestPool test{.layout = {.granule = 4096, .smallest_chunk = 1 << 20}};
  test.pool.set_limit(4 << 20);
  std::vector<void*> blocks;
  for (int i = 0; i < 60; ++i) blocks.push_back(test.pool.allocate(65'536));
  for (std::size_t i = 0; i < blocks.size(); i += 2) test.pool.deallocate(blocks[i]);
  CHECK_THROWS_WITH_AS(test.pool.allocate(1'500'000), doctest::Contains("enough is free, but in pieces"), OutOfMemory);
  for (std::size_t i = 1; i < blocks.size(); i += 2) test.pool.deallocate(blocks[i]);
  test.pool.deallocate(test.pool.allocate(1'500'000));  // merged again
}

TEST_CASE("warm memory makes way for a request that the limit would refuse") {
  TestPool test;
  test.pool.set_limit(20'000'000);
  test.pool.deallocate(test.pool.allocate(19'000'000));
  void* b = test.pool.allocate(10'000'000);
  CHECK(test.pool.stats().reserved < 10'100'000);
  CHECK(test.ledger.bytes == test.pool.stats().reserved);
  test.pool.deallocate(b);
}

TEST_CASE("a limit below what is in use leaves live blocks alone and refuses new ones") {
  TestPool test{segregated_fit};
  void* a = test.pool.allocate(10'000'000);
  void* b = test.pool.allocate(9'000'000);
  test.pool.deallocate(b);
  test.pool.set_limit(1'000'000);
  CHECK(test.pool.stats().reserved == 10'002'432);  // the warm block went
  CHECK(test.pool.stats().in_use == 10'000'000);
  CHECK_THROWS_AS(test.pool.allocate(64), OutOfMemory);
  test.pool.deallocate(a);
  CHECK(test.pool.stats().reserved == 0);  // above the limit nothing is kept warm
  void* c = test.pool.allocate(900'000);
  CHECK(test.pool.stats().reserved <= 1'000'000);
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
    for (const std::ptrdiff_t bytes : {1, 100, 10'000, 10'000'000, 100}) blocks.push_back(pool.allocate(bytes));
    const std::size_t reserved = ledger.blocks.size();
    for (void* block : blocks) pool.deallocate(block);
    CHECK(ledger.blocks.size() == reserved);
  }
  CHECK(ledger.blocks.empty());
  CHECK(ledger.bytes == 0);
}
