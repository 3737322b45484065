// A property test of the pool: 20,000 random operations beside a slow model that knows what must hold after each.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

namespace {

constexpr std::ptrdiff_t no_limit = std::numeric_limits<std::ptrdiff_t>::max();

struct Model {
  explicit Model(memory::StrategyKind strategy)
      : pool(LedgerAllocator<Place>(ledger), {.strategy = strategy, .layout = {.granule = 4096, .huge = 1 << 20}}) {}

  struct Block {
    std::ptrdiff_t bytes;
    unsigned char tag;
  };

  std::mt19937 random{7};
  Ledger ledger;
  Pool pool;
  std::map<std::uintptr_t, Block> live;  // by address
  std::ptrdiff_t in_use = 0, peak = 0, limit = no_limit, allocations = 0, refusals = 0;

  std::ptrdiff_t number_below(std::ptrdiff_t end) {
    return std::uniform_int_distribution<std::ptrdiff_t>(0, end - 1)(random);
  }

  std::map<std::uintptr_t, Block>::iterator any_block() {
    return std::next(live.begin(), number_below(std::ssize(live)));
  }

  void allocate() {
    const int scale = static_cast<int>(number_below(22));
    const std::ptrdiff_t bytes = number_below((std::ptrdiff_t{1} << scale) + 1);
    void* pointer = nullptr;
    try {
      pointer = pool.allocate(bytes);
    } catch (const OutOfMemory&) {
      ++refusals;
      // Refused only where no chunk could be added: a chunk holds at most twice what is asked for, or a slab.
      if (limit - pool.stats().reserved >= std::max<std::ptrdiff_t>(2 * bytes + 8192, 512 << 10) &&
          limit - pool.stats().allocated >= 2 * bytes + 8192)
        FAIL_CHECK(bytes, " bytes were refused though they fit");
      return;
    }
    ++allocations;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address % 64 != 0) FAIL_CHECK("a block of ", bytes, " bytes is at ", pointer);
    check_apart(address, bytes);
    const auto tag = static_cast<unsigned char>(number_below(256));
    std::memset(pointer, tag, static_cast<std::size_t>(bytes));
    live[address] = {bytes, tag};
    in_use += bytes;
    peak = std::max(peak, in_use);
  }

  /// The new block overlaps neither neighbour.
  void check_apart(std::uintptr_t address, std::ptrdiff_t bytes) const {
    const auto above = live.lower_bound(address);
    if (above != live.end() &&
        address + static_cast<std::uintptr_t>(std::max<std::ptrdiff_t>(bytes, 1)) > above->first) {
      FAIL_CHECK("a new block reaches into the one above it");
    }
    if (above == live.begin()) return;
    const auto below = std::prev(above);
    if (below->first + static_cast<std::uintptr_t>(std::max<std::ptrdiff_t>(below->second.bytes, 1)) > address) {
      FAIL_CHECK("a new block lies in the one below it");
    }
  }

  void free() {
    if (live.empty()) return;
    const auto block = any_block();
    auto* bytes = reinterpret_cast<unsigned char*>(block->first);
    const auto length = static_cast<std::size_t>(block->second.bytes);
    // Every byte equals the one in front of it, and the first is the tag.
    const bool intact =
        length == 0 || (bytes[0] == block->second.tag && std::memcmp(bytes, bytes + 1, length - 1) == 0);
    if (!intact) FAIL_CHECK("a block of ", block->second.bytes, " bytes was written by somebody else");
    pool.deallocate(bytes);
    in_use -= block->second.bytes;
    live.erase(block);
  }

  void misuse() {
    if (live.empty()) return;
    const auto block = any_block();
    CHECK_THROWS_AS(pool.deallocate(reinterpret_cast<char*>(block->first) + 1 + number_below(63)), PlaceError);
  }

  void change_limit() {
    limit = number_below(3) == 0 ? no_limit : number_below(20'000'000);
    pool.set_limit(limit);
  }

  void step() {
    const std::ptrdiff_t choice = number_below(1000);
    if (choice < 490) return allocate();
    if (choice < 970) return free();
    if (choice < 985) return misuse();
    if (choice < 995) return change_limit();
    pool.trim();
    const memory::Stats trimmed = pool.stats();
    if (trimmed.allocated > trimmed.reserved || trimmed.in_use > trimmed.allocated)
      FAIL_CHECK("trim left ", trimmed.reserved, " bytes for ", trimmed.allocated);
  }

  void check_figures(std::ptrdiff_t reserved_before) const {
    const memory::Stats stats = pool.stats();
    const bool conserved = stats.in_use == in_use && stats.peak == peak && stats.live == std::ssize(live) &&
                           stats.allocations == allocations && stats.limit == limit && stats.reserved == ledger.bytes &&
                           stats.peak_reserved >= stats.reserved && stats.system_calls == ledger.calls &&
                           stats.allocated >= in_use && stats.allocated + stats.cached <= stats.reserved;
    const bool within_limit = stats.reserved <= std::max(limit, reserved_before);
    if (conserved && within_limit) return;
    FAIL_CHECK("in use ", stats.in_use, " (", in_use, "), peak ", stats.peak, " (", peak, "), live ", stats.live, " (",
               live.size(), "), allocations ", stats.allocations, " (", allocations, "), reserved ", stats.reserved,
               " (", ledger.bytes, "), limit ", limit);
  }
};

}  // namespace

TEST_CASE("a pool keeps its promises through 20,000 random operations") {
  for (const auto strategy : {memory::StrategyKind::segregated_fit, memory::StrategyKind::buddy}) {
    Model model(strategy);
    for (int operation = 0; operation < 20'000; ++operation) {
      CAPTURE(operation);
      const std::ptrdiff_t reserved_before = model.pool.stats().reserved;
      model.step();
      model.check_figures(reserved_before);
    }
    CHECK(model.allocations > 5000);
    CHECK(model.refusals > 100);  // the limits were reached
    while (!model.live.empty()) model.free();
    model.pool.trim();
    CHECK(model.ledger.blocks.empty());
    CHECK(model.pool.stats().reserved == 0);
  }
}
