// Fault injection: the N-th call of a pool's allocator fails, for every N.
#include <doctest/doctest.h>

#include "fault_pattern.hpp"
#include "ledger.hpp"
import tessera;

using namespace tessera;
using memory::Pool;

TEST_CASE("when the N-th call of the allocator fails, the pool tries again without its warm blocks") {
  int calls = 1;
  for (int failing = 0; failing < calls; ++failing) {
    CAPTURE(failing);
    Ledger ledger{.first_failure = failing, .last_failure = failing + 1};
    {
      Pool pool{LedgerAllocator<Place>(ledger)};
      const Attempt outcome = run_pattern<OutOfMemory>(pool);
      CHECK(outcome.refused == 0);  // the second attempt had it
      CHECK(pool.stats().in_use == 0);
      CHECK(pool.stats().reserved == ledger.bytes);
      CHECK(pool.stats().system_calls == ledger.calls);
    }
    CHECK(ledger.blocks.empty());
    calls = ledger.calls;
  }
  CHECK(calls > 5);
}

TEST_CASE("when the allocator fails from the N-th call on for a while, allocations are refused and nothing is lost") {
  int total = 0;
  for (const int width : {2, 7, 30}) {  // the pool asks up to six times
    int calls = 1;
    int refused = 0;
    for (int failing = 0; failing < calls; ++failing) {
      CAPTURE(failing);
      Ledger ledger{.first_failure = failing, .last_failure = failing + width};
      {
        Pool pool{LedgerAllocator<Place>(ledger)};
        const Attempt outcome = run_pattern<OutOfMemory>(pool);
        refused += outcome.refused;
        CHECK(outcome.succeeded + outcome.refused == 60);
        CHECK(pool.stats().in_use == 0);
        CHECK(pool.stats().live == 0);
        CHECK(pool.stats().reserved == ledger.bytes);
      }
      CHECK(ledger.blocks.empty());
      calls = ledger.calls;
    }
    total += refused;
  }
  CHECK(total > 20);
}
