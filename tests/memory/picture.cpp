// Tests of the pictures of a pool's chunks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
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
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count_of(svg, "<title>") == 4);
  CHECK(count_of(svg, "97.7 KiB") == 0);  // blocks are whole granules
  CHECK(count_of(svg, ", live, 100000 bytes asked for") == 1);
  CHECK(count_of(svg, ", free</title>") == 2);
  CHECK(count_of(svg, "http") == 1);  // nothing is loaded from elsewhere
  pool.deallocate(a);
  pool.deallocate(c);
}
