// Tests of the allocators that stand in front of others.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Allocator;

namespace {

using Ledgered = LedgerAllocator<Place>;

static_assert(Allocator<memory::LimitAllocator<Ledgered>> && Allocator<memory::StatisticsAllocator<Ledgered>> &&
              Allocator<memory::LoggingAllocator<Ledgered>> && Allocator<memory::FailureCallbackAllocator<Ledgered>> &&
              Allocator<memory::LockedAllocator<Ledgered>> && Allocator<memory::BorrowedAllocator<Ledgered>> &&
              Allocator<memory::DebugAllocator<Ledgered>>);
static_assert(Allocator<memory::LockedAllocator<memory::LimitAllocator<memory::StatisticsAllocator<Ledgered>>>>);

template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a limit refuses what goes beyond it, and freed bytes count again") {
  Ledger ledger;
  memory::LimitAllocator limited(Ledgered(ledger), 1000);
  void* a = limited.allocate(600);
  CHECK(limited.allocate(401) == nullptr);
  void* b = limited.allocate(400);
  CHECK(b != nullptr);
  CHECK(limited.in_use() == 1000);
  limited.deallocate(a, 600);
  CHECK(limited.in_use() == 400);
  CHECK_THROWS_AS(limited.allocate(-1), ShapeError);
  limited.deallocate(b, 400);
  limited.deallocate(nullptr, 5);
  CHECK(limited.in_use() == 0);
  CHECK(ledger.blocks.empty());
}

TEST_CASE("statistics follow what goes through, refusals too") {
  Ledger ledger{.first_failure = 2, .last_failure = 3};
  memory::StatisticsAllocator counted{Ledgered(ledger)};
  void* a = counted.allocate(100);
  void* b = counted.allocate(1000);
  CHECK(counted.allocate(10) == nullptr);
  counted.deallocate(a, 100);
  CHECK(counted.stats().in_use == 1000);
  CHECK(counted.stats().peak == 1100);
  CHECK(counted.stats().live == 1);
  CHECK(counted.stats().allocations == 2);
  CHECK(counted.stats().histogram[1] == 1);
  CHECK(counted.stats().histogram[4] == 1);
  CHECK(counted.refused() == 1);
  counted.deallocate(b, 1000);
}

TEST_CASE("the log has a line for each call") {
  Ledger ledger{.first_failure = 1, .last_failure = 2};
  std::ostringstream out;
  memory::LoggingAllocator logged(Ledgered(ledger), out);
  void* a = logged.allocate(100, 128);
  CHECK(logged.allocate(5) == nullptr);
  logged.deallocate(a, 100);
  std::ostringstream expected;
  expected << "allocate 100 aligned 128 at " << a << "\nallocate 5 aligned 64 refused\ndeallocate 100 at " << a << "\n";
  CHECK(out.str() == expected.str());
}

TEST_CASE("a failure callback can make room, and is asked until it gives up") {
  Ledger ledger{.first_failure = 0, .last_failure = 3};
  std::vector<std::ptrdiff_t> asked;
  memory::FailureCallbackAllocator stubborn(Ledgered(ledger), [&](std::ptrdiff_t bytes) {
    asked.push_back(bytes);
    return asked.size() != 2;
  });
  CHECK(stubborn.allocate(100) == nullptr);
  CHECK(asked == std::vector<std::ptrdiff_t>{100, 100});
  void* a = stubborn.allocate(7);
  CHECK(a != nullptr);
  CHECK(asked.size() == 3);
  stubborn.deallocate(a, 7);
}

// --8<-- [start:compose]
TEST_CASE("adaptors compose: two threads, a limit, statistics, and a strategy below") {
  Ledger ledger;
  memory::StatisticsAllocator inner(memory::BuddyAllocator{Ledgered(ledger)});
  memory::LockedAllocator shared(memory::LimitAllocator(memory::BorrowedAllocator(inner), 1 << 20));
  const auto work = [&] {
    for (int i = 0; i < 2000; ++i) {
      void* block = shared.allocate(100 + i);
      std::memset(block, i, static_cast<std::size_t>(100 + i));
      shared.deallocate(block, 100 + i);
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(inner.stats().allocations == 4000);
  CHECK(inner.stats().live == 0);
}
// --8<-- [end:compose]

TEST_CASE("a pool stands behind an adaptor and in front of one") {
  Ledger ledger;
  memory::Pool pool(memory::LimitAllocator(Ledgered(ledger), 4 << 20));
  CHECK_THROWS_AS(pool.allocate(5 << 20), OutOfMemory);
  memory::StatisticsAllocator counted{memory::BorrowedAllocator(pool)};
  void* block = counted.allocate(1000);
  CHECK(pool.stats().in_use == 1000);
  counted.deallocate(block, 1000);
  CHECK(pool.stats().in_use == 0);
}

TEST_CASE("debug memory is NaN when it is new") {
  memory::DebugAllocator debug{memory::CpuSystemAllocator{}};
  auto* floats = static_cast<float*>(debug.allocate(4 * sizeof(float)));
  auto* doubles = static_cast<double*>(debug.allocate(4 * sizeof(double)));
  for (int i = 0; i < 4; ++i) {
    CHECK(floats[i] != floats[i]);
    CHECK(doubles[i] != doubles[i]);
  }
  debug.deallocate(floats);
  debug.deallocate(doubles);
}

TEST_CASE("debug memory finds each misuse, and says where the block is from") {
  memory::DebugAllocator debug{memory::CpuSystemAllocator{}};
  auto* block = static_cast<char*>(debug.allocate(100));
  const std::string from = "100 bytes from adaptors_test.cpp:" + std::to_string(__LINE__ - 1);
  CHECK(message_of<PlaceError>([&] { debug.deallocate(block + 10); }).ends_with("points inside a block of " + from));
  int foreign = 0;
  CHECK(message_of<PlaceError>([&] { debug.deallocate(&foreign); }).find("is not the start of a live") !=
        std::string::npos);
  CHECK(debug.leaks() == "memory: leaked " + from + " on cpu\n");
  block[100] = 1;
  CHECK(message_of<PlaceError>([&] { debug.deallocate(block); }).ends_with("was written to beyond its end: " + from));
  block[100] = static_cast<char>(0xfd);
  block[-1] = 1;
  CHECK(message_of<PlaceError>([&] {
          debug.deallocate(block);
        }).ends_with("was written to before its beginning: " + from));
  block[-1] = static_cast<char>(0xfd);
  debug.deallocate(block);
  CHECK(message_of<PlaceError>([&] { debug.deallocate(block); }).ends_with("was freed before: " + from));
  CHECK(debug.leaks().empty());
  block[42] = 7;
  CHECK(message_of<PlaceError>([&] {
          debug.flush();
        }).ends_with("was written to after it was freed, at byte 42: " + from));
}

TEST_CASE("debug memory that was freed is not handed out again at once") {
  Ledger ledger;
  {
    memory::DebugAllocator debug{Ledgered(ledger)};
    void* first = debug.allocate(64);
    debug.deallocate(first);
    CHECK(ledger.blocks.size() == 1);  // kept
    for (int i = 0; i < 2000; ++i) debug.deallocate(debug.allocate(64));
    CHECK(ledger.blocks.size() == 1024);
  }
  CHECK(ledger.blocks.empty());
}
