// Tests of pools in debug mode and of traces.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

namespace {

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("tessera_trace_" + std::to_string(getpid()))).string();
  ~TemporaryFile() { std::remove(path.c_str()); }
};

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const PlaceError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

// --8<-- [start:debug]
TEST_CASE("a pool in debug mode finds writes beyond a block, and says where the block was allocated") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  auto* block = static_cast<float*>(pool.allocate(10 * sizeof(float)));
  CHECK(block[3] != block[3]);  // NaN: nobody has written it
  const float kept = block[10];
  block[10] = 1.0f;
  CHECK(contains(message_of([&] { pool.deallocate(block); }),
                 "was written to beyond its end: 40 bytes from watch_test.cpp:"));
  block[10] = kept;
  CHECK(contains(pool.leaks(), "memory: leaked 40 bytes from watch_test.cpp:"));
  pool.deallocate(block);
  CHECK(pool.leaks().empty());
  CHECK(contains(message_of([&] { pool.deallocate(block); }), "was freed before"));
}
// --8<-- [end:debug]

TEST_CASE("debug mode can begin and end while blocks are live") {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
  void* before = pool.allocate(100);
  pool.set_debug(true);
  void* within = pool.allocate(200);
  CHECK(pool.stats().live == 2);
  pool.deallocate(before);
  CHECK_THROWS_AS(pool.deallocate(before), PlaceError);
  pool.set_debug(false);
  void* after = pool.allocate(300);
  pool.deallocate(within);
  CHECK_THROWS_AS(pool.deallocate(within), PlaceError);
  CHECK_THROWS_AS(pool.deallocate(&ledger), PlaceError);
  pool.deallocate(after);
  CHECK_THROWS_AS(pool.deallocate(after), PlaceError);
}

TEST_CASE("aligned, empty and large blocks are guarded too") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  for (const std::ptrdiff_t bytes :
       {std::ptrdiff_t{0}, std::ptrdiff_t{1}, std::ptrdiff_t{50'000}, std::ptrdiff_t{9} << 20}) {
    for (const std::ptrdiff_t alignment : {64, 4096}) {
      auto* block = static_cast<char*>(pool.allocate(bytes, alignment));
      CHECK(reinterpret_cast<std::uintptr_t>(block) % static_cast<std::uintptr_t>(alignment) == 0);
      block[bytes] = 1;
      CHECK(contains(message_of([&] { pool.deallocate(block); }), "beyond its end"));
      block[bytes] = static_cast<char>(0xfd);
      pool.deallocate(block);
    }
  }
}

TEST_CASE("of two threads that free one block at the same moment, debug mode accuses one") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  for (const std::ptrdiff_t bytes : {std::ptrdiff_t{100}, std::ptrdiff_t{100'000}}) {
    for (int round = 0; round < 300; ++round) {
      void* block = pool.allocate(bytes);
      std::atomic<int> ready{0};
      std::string said[2];
      const auto free_it = [&](int thread) {
        ++ready;
        while (ready < 2) {
        }
        said[thread] = message_of([&] { pool.deallocate(block); });
      };
      std::thread other([&] { free_it(1); });
      free_it(0);
      other.join();
      const bool one = (said[0] == "nothing was thrown") != (said[1] == "nothing was thrown");
      if (!one) FAIL_CHECK("round ", round, ": ", said[0], "; ", said[1]);
      const std::string& accused = said[0] == "nothing was thrown" ? said[1] : said[0];
      if (!contains(accused, "was freed before")) FAIL_CHECK("round ", round, ": ", accused);
    }
  }
  CHECK(pool.leaks().empty());
}

TEST_CASE("writes to freed memory are found when it is used again, when debug mode ends, and by the report") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  auto* block = static_cast<volatile char*>(pool.allocate(100));
  pool.deallocate(const_cast<char*>(block));
  block[7] = 1;
  const std::string damage = "was written to after it was freed, at byte 7: 100 bytes from watch_test.cpp:";
  CHECK(contains(pool.leaks(), damage));
  const std::string found = message_of([&] {
    for (int i = 0; i < 5000; ++i) pool.deallocate(pool.allocate(100));
  });
  CHECK(contains(found, damage));
  CHECK(pool.leaks().empty());

  auto* second = static_cast<volatile char*>(pool.allocate(100));
  pool.deallocate(const_cast<char*>(second));
  second[7] = 1;
  CHECK(contains(message_of([&] { pool.set_debug(false); }), damage));
  CHECK(pool.stats().in_use == 0);
}

TEST_CASE("debug mode holds back a bounded number of bytes, whatever the sizes") {
  Ledger ledger;
  Pool pool{LedgerAllocator<Place>(ledger)};
  pool.set_debug(true);
  const std::ptrdiff_t most = std::ptrdiff_t{2} << 20;
  for (const std::ptrdiff_t bytes : {100, 3'000'000, 1000, 900'000, 50'000, 30'000'000, 1}) {
    for (int i = 0; i < 1500; ++i) {
      pool.deallocate(pool.allocate(bytes));
      if (bytes > 100'000 && i == 20) break;
    }
    if (pool.stats().in_use > most) FAIL_CHECK("after blocks of ", bytes, " bytes ", pool.stats().in_use, " are held");
  }
  pool.set_debug(false);
  CHECK(pool.stats().in_use == 0);
  CHECK(pool.stats().live == 0);
}

TEST_CASE("memory that debug mode uses again is as new") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  auto* first = static_cast<float*>(pool.allocate(100 * sizeof(float)));
  std::fill(first, first + 100, 1.0f);
  pool.deallocate(first);
  std::ptrdiff_t frees = 1;
  for (float* block = nullptr; block != first && frees < 10'000; ++frees) {
    block = static_cast<float*>(pool.allocate(100 * sizeof(float)));
    if (std::count_if(block, block + 100, [](float value) { return value == value; }) != 0)
      FAIL_CHECK("the block after ", frees, " others is not all NaN");
    if (block == first) {
      CHECK(contains(pool.leaks(), "memory: leaked 400 bytes from watch_test.cpp:" + std::to_string(__LINE__ - 4)));
      const float kept = block[100];
      block[100] = 0;
      CHECK(contains(message_of([&] { pool.deallocate(block); }), "was written to beyond its end"));
      block[100] = kept;
    }
    pool.deallocate(block);
  }
  CHECK(frees > 1000);  // it was held back for long
  CHECK(frees < 10'000);
  CHECK(pool.leaks().empty());
}

TEST_CASE("blocks of debug mode are found among thousands of others, in any order") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  std::vector<char*> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(static_cast<char*>(pool.allocate(i % 90)));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t at = i * 2003 % blocks.size();
    pool.deallocate(blocks[at]);
    if (i % 100 == 0) CHECK_THROWS_AS(pool.deallocate(blocks[at]), PlaceError);
    if (i % 100 == 50) {
      std::string leaks = pool.leaks();
      const auto lines = std::count(leaks.begin(), leaks.end(), '\n');
      if (lines != 4999 - static_cast<int>(i)) FAIL_CHECK(lines, " blocks are said to be live of ", 4999 - i);
    }
  }
  CHECK(pool.leaks().empty());
}

TEST_CASE("the report of what is live is in the order of the allocations") {
  Pool pool{memory::CpuSystemAllocator{}};
  pool.set_debug(true);
  std::vector<void*> blocks;
  for (const std::ptrdiff_t bytes : {300, 10, 2'000'000}) blocks.push_back(pool.allocate(bytes));
  const std::string leaks = pool.leaks();
  CHECK(leaks.find("leaked 300 bytes from watch_test.cpp") < leaks.find("leaked 10 bytes from watch_test.cpp"));
  CHECK(leaks.find("leaked 10 bytes") < leaks.find("leaked 2000000 bytes"));
  for (void* block : blocks) pool.deallocate(block);
}

// --8<-- [start:trace]
TEST_CASE("a trace is a list of allocations and frees") {
  const TemporaryFile file;
  memory::start_trace(CpuPlace{}, file.path);
  void* a = memory::alloc(CpuPlace{}, 1000);
  void* b = memory::alloc(CpuPlace{}, 200);
  memory::free(CpuPlace{}, a);
  memory::stop_trace(CpuPlace{});
  memory::free(CpuPlace{}, b);  // after the end
  const std::vector<memory::TraceEvent> events = memory::read_trace(file.path);
  CHECK(events == std::vector<memory::TraceEvent>{{.allocation = 0, .bytes = 1000},
                                                  {.allocation = 1, .bytes = 200},
                                                  {.allocation = 0, .bytes = -1}});  // a was freed
}
// --8<-- [end:trace]

// --8<-- [start:trace_writer]
TEST_CASE("allocations of another allocator can be written as a trace, too") {
  const TemporaryFile file;
  memory::TraceWriter writer(file.path);
  void* block = std::malloc(300);
  writer.allocated(block, 300);
  writer.freed(block);
  std::free(block);
  writer.finish();
  CHECK(memory::read_trace(file.path).size() == 2);
}
// --8<-- [end:trace_writer]

TEST_CASE("a trace holds each allocation and free, and nothing else") {
  const TemporaryFile file;
  Pool pool{memory::CpuSystemAllocator{}};
  void* early = pool.allocate(64);
  pool.start_trace(file.path);
  void* a = pool.allocate(100);
  void* b = pool.allocate(1'000'000);
  pool.deallocate(early);
  pool.deallocate(a);
  void* c = pool.allocate(0);
  pool.deallocate(b);
  pool.stop_trace();
  pool.deallocate(c);
  using Event = memory::TraceEvent;
  const std::vector<Event> expected = {{0, 100}, {1, 1'000'000}, {0, -1}, {2, 0}, {1, -1}};
  CHECK(memory::read_trace(file.path) == expected);
  CHECK(std::filesystem::file_size(file.path) <= 5 + 2 + 3 + 1 + 1 + 1);
}

TEST_CASE("a file that is no trace is refused, with the position") {
  const TemporaryFile file;
  const auto message = [&](const std::string& bytes) {
    std::ofstream(file.path, std::ios::binary) << bytes;
    try {
      memory::read_trace(file.path);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("it was read");
  };
  CHECK(message("TSRM\1\10\1") == "it was read");
  CHECK(contains(message("TSRM\2"), "no trace of version 1"));
  CHECK(contains(message(""), "no trace"));
  CHECK(contains(message("TSRM\1\1"), "a free of what was never allocated ends at byte 6"));
  CHECK(contains(message("TSRM\1\10\1\1"), "a second free ends at byte 8"));
  CHECK(contains(message("TSRM\1\200"), "it ends within a number, at byte 6"));
  CHECK(contains(message("TSRM\1" + std::string(10, '\xff')), "more than 63 bits"));
  CHECK_THROWS_AS(memory::read_trace("/nowhere/at/all"), FormatError);
  Pool pool{memory::CpuSystemAllocator{}};
  CHECK_THROWS_AS(pool.start_trace("/nowhere/at/all"), FormatError);
}
