// Tests of the two ways of cutting chunks into blocks, beside a slow model that knows what must hold after each operation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Piece;

namespace {

using Ledgered = LedgerAllocator<Place>;
constexpr memory::Layout small_layout{
    .granule = 64, .smallest_chunk = 64 << 10, .largest_chunk = 256 << 10, .huge = 128 << 10};

/// Pieces of each chunk, by its address.
using Chunks = std::map<const void*, std::vector<Piece>>;

template <class Allocator>
Chunks pieces_of(const Allocator& allocator) {
  Chunks chunks;
  allocator.strategy().visit([&](const Piece& piece) { chunks[piece.chunk].push_back(piece); });
  return chunks;
}

/// What is live according to those who allocated it.
struct Mirror {
  std::map<std::uintptr_t, std::ptrdiff_t> live;

  bool overlaps(std::uintptr_t address, std::ptrdiff_t bytes) const {
    const auto end = address + static_cast<std::uintptr_t>(std::max<std::ptrdiff_t>(bytes, 1));
    const auto above = live.lower_bound(address);
    if (above != live.end() && end > above->first) return true;
    if (above == live.begin()) return false;
    const auto& [below, size] = *std::prev(above);
    return below + static_cast<std::uintptr_t>(std::max<std::ptrdiff_t>(size, 1)) > address;
  }
};

/// Pieces fill their chunk without gaps, the live ones are the mirror's, and no block is more than a granule too large.
template <class Allocator>
std::string contradiction(const Allocator& allocator, const Mirror& mirror, const Ledger& ledger) {
  std::ptrdiff_t live = 0, reserved = 0, allocated = 0;
  for (const auto& [chunk, pieces] : pieces_of(allocator)) {
    std::ptrdiff_t position = 0;
    for (const Piece& piece : pieces) {
      if (piece.offset != position) return "a piece begins at " + std::to_string(piece.offset);
      position += piece.bytes;
      if (piece.state != Piece::State::live) continue;
      const auto found =
          mirror.live.find(reinterpret_cast<std::uintptr_t>(chunk) + static_cast<std::uintptr_t>(piece.offset));
      if (found == mirror.live.end() || found->second != piece.requested) return "a live piece is not the mirror's";
      const std::ptrdiff_t rounded = (std::max<std::ptrdiff_t>(piece.requested, 1) + 63) / 64 * 64;
      const bool huge = pieces.size() == 1 && piece.bytes >= small_layout.huge;
      if (piece.bytes - rounded > (huge ? 4096 + rounded / 8 : 0))  // a huge block may be one that was kept
        return std::to_string(piece.requested) + " bytes got a block of " + std::to_string(piece.bytes);
      ++live;
      allocated += piece.bytes;
    }
    if (position != pieces.front().chunk_bytes) return "the pieces end at " + std::to_string(position);
    reserved += position;
  }
  const memory::Holdings held = allocator.holdings();
  if (live != std::ssize(mirror.live) || held.live != live) return "live " + std::to_string(live);
  if (held.reserved != reserved || ledger.bytes != reserved) return "reserved " + std::to_string(held.reserved);
  if (held.allocated != allocated) return "allocated " + std::to_string(held.allocated);
  return {};
}

template <class Allocator>
class Play {
 public:
  explicit Play(unsigned seed) : random_(seed) {}

  void step() {
    const unsigned choice = random_() % 100;
    if (choice < 52) return allocate();
    if (choice < 97) return free();
    if (choice < 99) return misuse();
    allocator_.trim();
  }

  void allocate() {
    const auto bytes = static_cast<std::ptrdiff_t>(random_() % (1u << random_() % 19));
    const std::ptrdiff_t alignment = random_() % 4 != 0 ? 64 : std::ptrdiff_t{64} << random_() % 11;
    void* pointer = allocator_.allocate(bytes, alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (pointer == nullptr) FAIL("no memory");
    if (address % static_cast<std::uintptr_t>(alignment) != 0) FAIL_CHECK(pointer, " is not aligned to ", alignment);
    if (mirror_.overlaps(address, bytes)) FAIL_CHECK("a block of ", bytes, " bytes overlaps another");
    mirror_.live[address] = bytes;
  }

  void free() {
    if (mirror_.live.empty()) return;
    const auto block = std::next(mirror_.live.begin(), static_cast<std::ptrdiff_t>(random_() % mirror_.live.size()));
    allocator_.deallocate(reinterpret_cast<void*>(block->first));
    mirror_.live.erase(block);
  }

  void misuse() {
    if (mirror_.live.empty()) return;
    const auto& [address, bytes] = *mirror_.live.begin();
    CHECK_THROWS_AS(allocator_.deallocate(reinterpret_cast<void*>(address + 1)), PlaceError);
    if (bytes > 64) CHECK_THROWS_AS(allocator_.deallocate(reinterpret_cast<void*>(address + 64)), PlaceError);
    CHECK_THROWS_AS(allocator_.deallocate(&random_), PlaceError);
  }

  void check() const {
    if (const std::string wrong = contradiction(allocator_, mirror_, ledger_); !wrong.empty()) FAIL_CHECK(wrong);
  }

  /// Everything is freed: each chunk is one free block, or one huge one that is kept.
  void end() {
    while (!mirror_.live.empty()) free();
    for (const auto& [chunk, pieces] : pieces_of(allocator_)) {
      if (pieces.size() != 1) FAIL_CHECK("a chunk of free memory has ", pieces.size(), " pieces");
      if (pieces.front().state == Piece::State::live) FAIL_CHECK("a piece is live that nobody has");
    }
    allocator_.trim();
    CHECK(allocator_.holdings().reserved == 0);
    CHECK(ledger_.blocks.empty());
  }

 private:
  std::mt19937 random_;
  Ledger ledger_;
  Allocator allocator_{Ledgered(ledger_), small_layout};
  Mirror mirror_;
};

using Buddy = memory::BuddyAllocator<Ledgered>;
using SegregatedFit = memory::SegregatedFitAllocator<Ledgered>;
static_assert(memory::Allocator<Buddy> && memory::Allocator<SegregatedFit> && !std::is_copy_constructible_v<Buddy>);

}  // namespace

TEST_CASE_TEMPLATE("a strategy keeps its promises through random operations", Strategy, Buddy, SegregatedFit) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Play<Strategy> play(seed);
    for (int operation = 0; operation < 3000; ++operation) {
      play.step();
      if (operation % 8 == 0) play.check();
    }
    play.check();
    play.end();
  }
}

TEST_CASE_TEMPLATE("when the N-th call of the upstream fails, the allocation is refused and nothing else changes",
                   Strategy, Buddy, SegregatedFit) {
  for (int failing = 0; failing < 40; ++failing) {
    CAPTURE(failing);
    Ledger ledger{.first_failure = failing, .last_failure = failing + 3};  // a strategy asks at most three times
    Strategy strategy{Ledgered(ledger), small_layout};
    std::vector<void*> blocks;
    int refused = 0;
    for (std::ptrdiff_t bytes = 1000; bytes < 200'000; bytes += 7000) {
      const memory::Holdings before = strategy.holdings();
      void* pointer = strategy.allocate(bytes);
      if (pointer != nullptr) {
        blocks.push_back(pointer);
        continue;
      }
      ++refused;
      CHECK(strategy.holdings().allocated == before.allocated);
      CHECK(strategy.holdings().live == before.live);
    }
    CHECK(strategy.holdings().reserved == ledger.bytes);
    CHECK(refused == (ledger.calls > failing ? doctest::Approx(1).epsilon(0.6) : doctest::Approx(0)));
    for (void* block : blocks) strategy.deallocate(block);
    strategy.trim();
    CHECK(ledger.blocks.empty());
  }
}

// --8<-- [start:strategy]
TEST_CASE("a strategy can be chosen while a program runs, and says what it holds") {
  const auto chosen = [](memory::StrategyKind kind) {
    auto upstream = memory::make_upstream(memory::CpuSystemAllocator{});  // any Allocator
    return kind == memory::StrategyKind::buddy ? memory::make_buddy(std::move(upstream))
                                               : memory::make_segregated_fit(std::move(upstream));
  };
  for (const auto kind : {memory::StrategyKind::buddy, memory::StrategyKind::segregated_fit}) {
    const std::unique_ptr<memory::Strategy> strategy = chosen(kind);
    const auto alignment = memory::block_alignment;
    CHECK(strategy->allocate(1000, alignment, memory::Growth::forbidden) == nullptr);  // it has no chunk yet
    void* first = strategy->allocate(1000, alignment);
    void* second = strategy->allocate(500, alignment, memory::Growth::forbidden);  // from the same chunk

    const memory::Holdings holdings = strategy->holdings();
    CHECK(holdings.chunks == 1);
    CHECK(holdings.live == 2);
    std::ptrdiff_t gaps = 0;
    strategy->visit([&](const memory::Piece& piece) {
      if (piece.state == memory::Piece::State::free) gaps += piece.bytes;
    });
    CHECK(gaps == holdings.reserved - holdings.allocated);

    strategy->deallocate(first);
    strategy->deallocate(second);
    strategy->trim();
    CHECK(strategy->holdings().reserved == 0);
  }
}
// --8<-- [end:strategy]

// --8<-- [start:buddy]
TEST_CASE("a buddy system gives the tail of a rounded block back") {
  Ledger ledger;
  memory::BuddyAllocator buddy(Ledgered(ledger), memory::Layout{.granule = 64, .smallest_chunk = 64 << 10});
  void* a = buddy.allocate(5 * 64);  // a block of eight granules, three of which are free again
  CHECK(buddy.holdings().allocated == 5 * 64);
  void* b = buddy.allocate(64);
  void* c = buddy.allocate(2 * 64);
  CHECK(static_cast<char*>(b) - static_cast<char*>(a) == 5 * 64);
  CHECK(static_cast<char*>(c) - static_cast<char*>(a) == 6 * 64);
  for (void* block : {a, b, c}) buddy.deallocate(block);
  CHECK(buddy.holdings().largest_free == 64 << 10);  // merged to one block
}
// --8<-- [end:buddy]

TEST_CASE("segregated fit takes a block that fits and leaves larger ones whole") {
  Ledger ledger;
  memory::SegregatedFitAllocator fit(Ledgered(ledger), memory::Layout{.granule = 64, .smallest_chunk = 64 << 10});
  void* a = fit.allocate(1024);
  void* wall = fit.allocate(64);
  void* b = fit.allocate(8192);
  void* wall2 = fit.allocate(64);
  fit.deallocate(a);
  fit.deallocate(b);
  CHECK(fit.allocate(900) == a);
  CHECK(fit.allocate(8000) == b);
  for (void* block : {a, b, wall, wall2}) fit.deallocate(block);
  CHECK(fit.holdings().largest_free == 64 << 10);
}

TEST_CASE_TEMPLATE("what cannot be is refused", Strategy, Buddy, SegregatedFit) {
  Ledger ledger;
  Strategy strategy{Ledgered(ledger), small_layout};
  CHECK_THROWS_AS(strategy.allocate(-1), ShapeError);
  CHECK_THROWS_AS(strategy.allocate(64, 48), ShapeError);
  CHECK_THROWS_AS(strategy.allocate(64, 0), ShapeError);
  CHECK(strategy.allocate(PTRDIFF_MAX) == nullptr);
  CHECK_NOTHROW(strategy.deallocate(nullptr));
  void* block = strategy.allocate(64);
  strategy.deallocate(block);
  CHECK_THROWS_AS(strategy.deallocate(block), PlaceError);
}

TEST_CASE_TEMPLATE("idle huge blocks make way before more is reserved", Strategy, Buddy, SegregatedFit) {
  Ledger ledger;
  Strategy strategy{Ledgered(ledger), small_layout};
  void* first = strategy.allocate(1'000'000);
  strategy.deallocate(first);
  CHECK(strategy.holdings().cached >= 1'000'000);
  void* larger = strategy.allocate(1'500'000);  // the first cannot serve it, and is not kept beside it
  CHECK(strategy.holdings().reserved < 1'600'000);
  strategy.deallocate(larger);
  CHECK(strategy.allocate(1'400'000) == larger);
  strategy.deallocate(larger);
}
