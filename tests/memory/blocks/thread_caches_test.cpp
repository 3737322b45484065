// Tests of the blocks that threads keep for themselves: they come back when a thread ends, when another trims, and after a fork.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

TEST_CASE("a thread that ends gives its blocks back") {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
  std::thread([&] {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(pool.allocate(1000));
    for (void* block : blocks) pool.deallocate(block);
  }).join();
  const memory::Stats stats = pool.stats();
  CHECK(stats.allocations == 100);
  CHECK(stats.live == 0);
  CHECK(stats.in_use == 0);
  CHECK(stats.peak == 100'000);
  CHECK(stats.histogram[4] == 100);
  pool.trim();
  CHECK(ledger.blocks.empty());
}

TEST_CASE("blocks that another thread keeps are trimmed while it lives") {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
  std::atomic<int> stage{0};
  std::thread keeper([&] {
    for (const std::ptrdiff_t bytes : {64, 1000, 30'000}) pool.deallocate(pool.allocate(bytes));
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    for (const std::ptrdiff_t bytes : {64, 1000, 30'000}) pool.deallocate(pool.allocate(bytes));
  });
  while (stage != 1) std::this_thread::yield();
  CHECK(!ledger.blocks.empty());
  pool.trim();
  CHECK(ledger.blocks.empty());
  stage = 2;
  keeper.join();
  CHECK(pool.stats().allocations == 6);
  pool.trim();
  CHECK(ledger.blocks.empty());
}

TEST_CASE("blocks of two threads lie apart, so that none waits for the other's lines of the caches") {
  Pool pool{memory::CpuSystemAllocator{}};
  const auto pages_of = [&](std::set<std::uintptr_t>& pages) {
    std::vector<void*> blocks;
    for (int i = 0; i < 40; ++i) blocks.push_back(pool.allocate(64));
    for (void* block : blocks) pages.insert(reinterpret_cast<std::uintptr_t>(block) / 4096);
    for (void* block : blocks) pool.deallocate(block);
  };
  std::set<std::uintptr_t> mine, others;
  pages_of(mine);
  std::thread([&] { pages_of(others); }).join();
  for (const std::uintptr_t page : others) CHECK(!mine.contains(page));
}

TEST_CASE("a block may be freed by a thread that never allocated") {
  Pool pool{memory::CpuSystemAllocator{}};
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(pool.allocate(200));
  std::thread([&] {
    for (void* block : blocks) pool.deallocate(block);
  }).join();
  CHECK(pool.stats().live == 0);
  CHECK_THROWS_AS(pool.deallocate(blocks[5]), PlaceError);
}

TEST_CASE("more pools than may have thread caches work all the same") {
  std::vector<std::unique_ptr<Pool>> pools;
  for (int i = 0; i < 40; ++i) pools.push_back(std::make_unique<Pool>(memory::CpuSystemAllocator{}));
  std::vector<void*> blocks;
  for (auto& pool : pools) blocks.push_back(pool->allocate(100));
  for (std::size_t i = 0; i < pools.size(); ++i) {
    CHECK_THROWS_AS(pools[i]->deallocate(blocks[(i + 1) % blocks.size()]), PlaceError);
    pools[i]->deallocate(blocks[i]);
    CHECK(pools[i]->stats().live == 0);
  }
}

TEST_CASE("a pool without thread caches has the same figures") {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger), {.thread_caches = false}};
  void* a = pool.allocate(100);
  CHECK(pool.stats().in_use == 100);
  CHECK(pool.stats().allocated == 128);
  pool.deallocate(a);
  CHECK_THROWS_AS(pool.deallocate(a), PlaceError);
  CHECK(pool.stats().live == 0);
  CHECK(pool.stats().peak == 100);
}

TEST_CASE("threads allocate while one trims them over and over") {
  Pool pool{memory::CpuSystemAllocator{}};
  std::atomic<bool> done{false};
  std::atomic<int> damaged{0};
  const auto work = [&](unsigned char tag) {
    unsigned char* held[32] = {};
    for (int i = 0; i < 20'000; ++i) {
      unsigned char*& block = held[i % 32];
      const std::size_t bytes = 64 + static_cast<std::size_t>(i % 5) * 700;
      if (block != nullptr) damaged += *block != tag;
      pool.deallocate(block);
      block = static_cast<unsigned char*>(pool.allocate(static_cast<std::ptrdiff_t>(bytes)));
      std::memset(block, tag, bytes);
    }
    for (unsigned char* block : held) pool.deallocate(block);
  };
  std::thread first(work, static_cast<unsigned char>(1)), second(work, static_cast<unsigned char>(2));
  std::thread trimmer([&] {
    while (!done) pool.trim();  // without a pause: the others have their turns all the same
  });
  first.join();
  second.join();
  done = true;
  trimmer.join();
  CHECK(damaged == 0);
  CHECK(pool.stats().live == 0);
  CHECK(pool.stats().allocations == 40'000);
}

// ThreadSanitizer's runtime lets no forked child of a program with threads go on.
#if !__has_feature(thread_sanitizer)

namespace {

/// The exit status of a forked child that runs `work`.
int status_of_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a forked child has all memory that other threads kept") {
  Pool pool{memory::CpuSystemAllocator{}};
  std::atomic<int> stage{0};
  std::thread other([&] {
    void* live = pool.allocate(500);
    pool.deallocate(pool.allocate(2000));
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    pool.deallocate(live);
  });
  while (stage != 1) std::this_thread::yield();
  void* mine = pool.allocate(300);
  CHECK(status_of_child([&] {
          pool.deallocate(mine);
          if (pool.stats().in_use != 500) return 1;  // the other thread's block is nobody's now
          void* block = pool.allocate(2000);
          std::memset(block, 1, 2000);
          pool.deallocate(block);
          std::thread([&] { pool.deallocate(pool.allocate(2000)); }).join();
          pool.trim();
          return pool.stats().live == 1 ? 0 : 2;
        }) == 0);
  stage = 2;
  other.join();
  pool.deallocate(mine);
  CHECK(pool.stats().live == 0);
}

TEST_CASE("a process forks while its threads allocate") {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) memory::free(CpuPlace{}, memory::alloc(CpuPlace{}, 5000));
  });
  for (int i = 0; i < 20; ++i) {
    CHECK(status_of_child([] {
            for (const std::ptrdiff_t bytes : {100, 5000, 100'000, 10'000'000})
              memory::free(CpuPlace{}, memory::alloc(CpuPlace{}, bytes));
            memory::trim(CpuPlace{});
            return 0;
          }) == 0);
  }
  done = true;
  other.join();
}

#endif
