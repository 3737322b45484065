// Tests of the pictures of a pool's chunks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
import tessera;

using namespace tessera;

namespace {

std::ptrdiff_t count_of(const std::string& text, const std::string& part) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

memory::PoolOptions options() {
  return {.strategy = memory::StrategyKind::segregated_fit, .layout = {.granule = 4096, .smallest_chunk = 1 << 20}};
}

}  // namespace

TEST_CASE("the text has a row of 100 columns for each chunk, with what is live, free and kept") {
  memory::Pool pool(memory::CpuSystemAllocator{}, options());
  std::vector<void*> blocks;
  for (int i = 0; i < 2; ++i) blocks.push_back(pool.allocate(1 << 18));  // quarters of a chunk of 1 MiB
  pool.deallocate(blocks[0]);
  void* huge = pool.allocate(10'000'000);
  CHECK(memory::MemoryMap(pool).text() ==
        std::string(25, '.') + std::string(25, '#') + std::string(50, '.') + '\n' + std::string(100, '#') + '\n');
  pool.deallocate(huge);
  std::istringstream rows(memory::MemoryMap(pool).text());
  std::string row;
  std::getline(rows, row);
  std::getline(rows, row);
  CHECK(row == std::string(100, 'o'));
  pool.deallocate(blocks[1]);
  pool.trim();
  CHECK(memory::MemoryMap(pool).text() == "");
}

TEST_CASE("the drawing has a rectangle for each piece, and is whole") {
  memory::Pool pool(memory::CpuSystemAllocator{}, options());
  void* a = pool.allocate(100'000);
  void* b = pool.allocate(200'000);
  void* c = pool.allocate(300'000);
  pool.deallocate(b);
  const std::string svg = memory::MemoryMap(pool).svg();
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count_of(svg, "<title>") == 4);
  CHECK(count_of(svg, "97.7 KiB") == 0);  // blocks are whole granules
  CHECK(count_of(svg, ", live, 100000 bytes asked for") == 1);
  CHECK(count_of(svg, ", free</title>") == 2);
  CHECK(count_of(svg, "http") == 1);  // nothing is loaded from elsewhere
  pool.deallocate(a);
  pool.deallocate(c);
}

// --8<-- [start:peak]
TEST_CASE("the map at the peak shows what was live then, also when it is freed") {
  memory::Pool pool(memory::CpuSystemAllocator{}, {.strategy = memory::StrategyKind::segregated_fit});
  void* a = pool.allocate(100'000);
  memory::PeakMap peak(pool);
  pool.deallocate(pool.allocate(300'000));
  pool.deallocate(pool.allocate(200'000));
  peak.end();
  CHECK(peak.in_use() == 400'000);
  CHECK(count_of(peak.map()->svg(), ", live, 300000 bytes asked for") == 1);
  pool.deallocate(a);
}
// --8<-- [end:peak]

TEST_CASE("the map at the peak is never far below it, and seldom taken") {
  memory::Pool pool(memory::CpuSystemAllocator{});
  std::vector<void*> blocks = {pool.allocate(500)};  // in the thread's cache, before anybody looks
  memory::PeakMap peak(pool);
  CHECK(!peak.map());
  CHECK(peak.in_use() == 0);
  int changes = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::ptrdiff_t before = peak.in_use();
    blocks.push_back(pool.allocate(1000));
    changes += peak.in_use() != before;
    const std::ptrdiff_t now = pool.stats().in_use;
    CHECK(now == 500 + 1000 * (i + 1));
    const bool close = peak.in_use() <= now && peak.in_use() + peak.in_use() / 64 >= now;
    if (!close) FAIL_CHECK("the map is of ", peak.in_use(), " bytes while ", now, " are in use");
  }
  CHECK(changes < 350);
  peak.end();
  for (void* block : blocks) pool.deallocate(block);
  const std::ptrdiff_t last = peak.in_use();
  pool.deallocate(pool.allocate(100'000'000));
  CHECK(peak.in_use() == last);
}

TEST_CASE("two threads allocate while somebody follows the growth") {
  memory::Pool pool(memory::CpuSystemAllocator{});
  for (int round = 0; round < 20; ++round) {
    const auto work = [&] {
      for (int i = 1; i < 200; ++i) pool.deallocate(pool.allocate(50 * i * round));
    };
    std::thread other(work);
    {
      memory::PeakMap peak(pool);
      work();
    }
    other.join();
  }
  CHECK(pool.stats().live == 0);
  CHECK(pool.stats().in_use == 0);
}
