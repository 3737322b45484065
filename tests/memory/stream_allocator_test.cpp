// Tests of memory that is ordered on streams, on streams that are numbers.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "ledger.hpp"
import tessera;

using namespace tessera;

namespace {

using Ordered = memory::StreamOrderedAllocator<LedgerAllocator<Place>, int>;
static_assert(memory::StreamAllocator<Ordered> && memory::Allocator<Ordered>);
static_assert(!memory::StreamAllocator<memory::Pool> && !memory::StreamAllocator<LedgerAllocator<Place>>);

struct Streams {
  Ledger ledger{};
  std::vector<int> waited{};
  Ordered memory{LedgerAllocator<Place>(ledger), [this](int stream) { waited.push_back(stream); }};
};

}  // namespace

TEST_CASE("a block freed on a stream serves that stream at once and no other") {
  Streams test;
  void* a = test.memory.allocate(1000, 64, 1);
  test.memory.deallocate(a, 1000, 1);
  CHECK(test.memory.allocate(1000, 64, 2) != a);
  CHECK(test.memory.allocate(2000, 64, 1) != a);
  CHECK(test.memory.allocate(1000, 64, 1) == a);
  CHECK(test.waited.empty());
  CHECK(test.ledger.blocks.size() == 3);
  for (const auto& [pointer, bytes] : std::map(test.ledger.blocks)) test.memory.deallocate(pointer, bytes);
}

TEST_CASE("blocks go back when their stream has finished") {
  Streams test;
  for (const int stream : {1, 2, 1}) test.memory.deallocate(test.memory.allocate(100 + stream), 100 + stream, stream);
  CHECK(test.memory.waiting() == 3);
  test.memory.finished(1);
  CHECK(test.memory.waiting() == 1);
  CHECK(test.ledger.blocks.size() == 1);
}

TEST_CASE("when there is no memory, streams are waited for, one after the other") {
  Streams test;
  for (const int stream : {1, 2}) test.memory.deallocate(test.memory.allocate(100), 100, stream);
  test.ledger.first_failure = test.ledger.calls;
  test.ledger.last_failure = test.ledger.calls + 1;
  void* block = test.memory.allocate(500);
  CHECK(block != nullptr);
  CHECK(test.waited == std::vector<int>{1});
  test.memory.deallocate(block, 500);
  test.ledger.first_failure = test.ledger.calls;
  test.ledger.last_failure = test.ledger.calls + 9;
  CHECK(test.memory.allocate(500) == nullptr);
  CHECK(test.waited == std::vector<int>{1, 2});
  CHECK(test.ledger.blocks.empty());
}

TEST_CASE("an ordered allocator waits for its streams when it ends") {
  Ledger ledger;
  std::vector<int> waited;
  {
    Ordered memory(LedgerAllocator<Place>(ledger), [&](int stream) { waited.push_back(stream); });
    for (const int stream : {5, 6, 5}) memory.deallocate(memory.allocate(10), 10, stream);
  }
  CHECK(waited == std::vector<int>{5, 6});
  CHECK(ledger.blocks.empty());
}
