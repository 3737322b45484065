// Tests of what a pool tries before it says that there is no memory.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

namespace {

/// A pool in which 10 MB are all there is.
struct FullPool {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
  void* held;

  FullPool() {
    pool.set_limit(10 << 20);
    held = pool.allocate(9 << 20);
  }
};

}  // namespace

TEST_CASE("callbacks are asked for memory, with the bytes that are missing, and may free") {
  FullPool full;
  std::vector<std::ptrdiff_t> asked;
  const int idle = full.pool.add_pressure_callback([&](std::ptrdiff_t bytes) { return asked.push_back(bytes), false; });
  const int helpful = full.pool.add_pressure_callback([&](std::ptrdiff_t) {
    if (full.held == nullptr) return false;
    full.pool.deallocate(full.held);
    full.held = nullptr;
    return true;
  });
  void* block = full.pool.allocate(8 << 20);
  CHECK(asked == std::vector<std::ptrdiff_t>{8 << 20});
  CHECK_THROWS_AS(full.pool.allocate(8 << 20), OutOfMemory);
  CHECK(asked.size() == 2);
  full.pool.remove_pressure_callback(idle);
  full.pool.remove_pressure_callback(helpful);
  CHECK_THROWS_AS(full.pool.allocate(8 << 20), OutOfMemory);
  CHECK(asked.size() == 2);
  full.pool.deallocate(block);
}

TEST_CASE("a callback that allocates in vain does not ask the callbacks again") {
  FullPool full;
  int calls = 0;
  full.pool.add_pressure_callback([&](std::ptrdiff_t bytes) {
    ++calls;
    CHECK_THROWS_AS(full.pool.allocate(bytes), OutOfMemory);
    return false;
  });
  CHECK_THROWS_AS(full.pool.allocate(8 << 20), OutOfMemory);
  CHECK(calls == 1);
  full.pool.deallocate(full.held);
}

TEST_CASE("an allocation waits for frees that are announced, and for no longer than its patience") {
  FullPool full;
  full.pool.set_patience(std::chrono::seconds(20));
  full.pool.announce_free();
  std::thread worker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    full.pool.deallocate(full.held);
    full.pool.finish_free();
  });
  void* block = full.pool.allocate(8 << 20);
  worker.join();
  CHECK(block != nullptr);

  full.pool.set_patience(std::chrono::milliseconds(10));
  full.pool.announce_free();
  CHECK_THROWS_AS(full.pool.allocate(8 << 20), OutOfMemory);
  full.pool.finish_free();
  full.pool.deallocate(block);
}

TEST_CASE("a free that is announced and brings nothing ends the wait when it is over") {
  FullPool full;
  full.pool.set_patience(std::chrono::hours(1));
  full.pool.announce_free();
  std::thread worker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    full.pool.finish_free();
  });
  CHECK_THROWS_AS(full.pool.allocate(8 << 20), OutOfMemory);
  worker.join();
  full.pool.deallocate(full.held);
}

// --8<-- [start:pressure]
TEST_CASE("a cache of one's own gives way to allocations") {
  std::vector<memory::Allocation> cache;
  const std::ptrdiff_t before = memory::stats(CpuPlace{}).allocated;
  cache.emplace_back(CpuPlace{}, 40'000'000);
  const memory::PressureCallback clear(CpuPlace{}, [&](std::ptrdiff_t) {
    const bool had_any = !cache.empty();
    cache.clear();
    return had_any;
  });
  memory::set_limit(CpuPlace{}, before + 60'000'000);
  const memory::Allocation large(CpuPlace{}, 50'000'000);
  CHECK(cache.empty());
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
}
// --8<-- [end:pressure]

TEST_CASE("work that is under way is announced by name of its place") {
  const std::ptrdiff_t before = memory::stats(CpuPlace{}).allocated;
  auto held = std::make_unique<memory::Allocation>(CpuPlace{}, 40'000'000);
  memory::set_limit(CpuPlace{}, before + 60'000'000);
  memory::set_patience(CpuPlace{}, std::chrono::seconds(20));
  auto pending = std::make_unique<memory::PendingFree>(CpuPlace{});
  std::thread worker([&] {
    held.reset();
    pending.reset();
  });
  {
    const memory::Allocation large(CpuPlace{}, 50'000'000);
  }
  worker.join();
  memory::set_patience(CpuPlace{}, std::chrono::milliseconds(100));
  memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
}
