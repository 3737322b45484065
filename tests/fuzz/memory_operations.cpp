// A fuzz target: each input is a sequence of operations on a pool, of which every block must be apart from all others.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
import tessera;

using namespace tessera;

namespace {

struct Block {
  std::ptrdiff_t bytes;
  unsigned char tag;
};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// A pool, and what its user knows of it.
struct Game {
  explicit Game(memory::StrategyKind strategy)
      : pool(memory::CpuSystemAllocator{},
             {.strategy = strategy,
              .layout = {.granule = 4096, .smallest_chunk = 1 << 17, .largest_chunk = 1 << 20, .huge = 1 << 19}}) {}

  memory::Pool pool;
  std::map<std::uintptr_t, Block> live;
  std::ptrdiff_t in_use = 0;

  void allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, unsigned char tag) {
    void* pointer = nullptr;
    try {
      pointer = pool.allocate(bytes, alignment);
    } catch (const OutOfMemory&) {
      return;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    require(address % static_cast<std::uintptr_t>(alignment) == 0, "a block is not aligned");
    const auto above = live.lower_bound(address);
    require(above == live.end() || address + static_cast<std::uintptr_t>(bytes) <= above->first, "blocks overlap");
    require(above == live.begin() ||
                std::prev(above)->first + static_cast<std::uintptr_t>(std::prev(above)->second.bytes) <= address,
            "blocks overlap");
    if (bytes > 0) {
      static_cast<unsigned char*>(pointer)[0] = tag;
      static_cast<unsigned char*>(pointer)[bytes - 1] = tag;
    }
    live[address] = {bytes, tag};
    in_use += bytes;
  }

  void free(std::size_t which) {
    if (live.empty()) return;
    const auto block = std::next(live.begin(), static_cast<std::ptrdiff_t>(which % live.size()));
    auto* bytes = reinterpret_cast<unsigned char*>(block->first);
    const std::ptrdiff_t size = block->second.bytes;
    if (size > 0) require(bytes[0] == block->second.tag && bytes[size - 1] == block->second.tag, "a block was damaged");
    pool.deallocate(bytes);
    in_use -= size;
    live.erase(block);
  }

  void misuse(std::size_t which, std::ptrdiff_t offset) {
    const std::uintptr_t address =
        live.empty() ? which
                     : std::next(live.begin(), static_cast<std::ptrdiff_t>(which % live.size()))->first +
                           static_cast<std::uintptr_t>(offset);
    if (address == 0 || live.contains(address)) return;
    try {
      pool.deallocate(reinterpret_cast<void*>(address));
    } catch (const PlaceError&) {
      return;
    }
    require(false, "a pointer was freed that is no block");
  }

  void check() const {
    const memory::Stats stats = pool.stats();
    require(stats.in_use == in_use, "the bytes in use are wrong");
    require(stats.live == std::ssize(live), "the number of live blocks is wrong");
    require(stats.allocated >= in_use && stats.allocated + stats.cached <= stats.reserved, "the figures contradict");
  }

  void play(const std::uint8_t* step) {
    const auto value = static_cast<std::size_t>(step[1]) | static_cast<std::size_t>(step[2]) << 8;
    switch (step[0] % 8) {
      case 0:
      case 1: return allocate(static_cast<std::ptrdiff_t>(value), 64, step[2]);
      case 2:
        return allocate(static_cast<std::ptrdiff_t>(value) << step[0] / 32, std::ptrdiff_t{64} << value % 12, step[1]);
      case 3:
      case 4:
      case 5: return free(value);
      case 6: return misuse(value, step[2] - 100);
      default: break;
    }
    if (step[1] % 4 == 0) pool.trim();
    if (step[1] % 4 == 1) pool.set_limit(static_cast<std::ptrdiff_t>(step[2]) << 14);
    if (step[1] % 4 == 2) pool.set_limit(PTRDIFF_MAX);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Game game(data[0] % 2 == 0 ? memory::StrategyKind::segregated_fit : memory::StrategyKind::buddy);
  for (std::size_t at = 1; at + 3 <= size; at += 3) {
    game.play(data + at);
    game.check();
  }
  while (!game.live.empty()) game.free(0);
  game.pool.set_limit(PTRDIFF_MAX);
  game.pool.trim();
  require(game.pool.stats().reserved == 0, "memory is still reserved when all is freed");
  return 0;
}
