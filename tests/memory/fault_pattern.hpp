// Allocations and frees in a fixed pattern, some of which fail: a refused allocation must change nothing.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

struct Attempt {
  int succeeded = 0;
  int refused = 0;
};

/// Meets warm and cold size classes, chunks that grow and huge blocks. `Error` is what a refusal throws, `Pool` the library's.
template <class Error, class Pool>
Attempt run_pattern(Pool& pool) {
  constexpr std::ptrdiff_t sizes[] = {100, 5000, 300'000, 40'000, 3'000'000, 20'000, 1'000'000};
  Attempt outcome;
  std::vector<void*> blocks;
  blocks.reserve(64);
  for (int step = 0; step < 60; ++step) {
    const auto before = pool.stats();
    try {
      blocks.push_back(pool.allocate(sizes[step % 7] * (step + 1) / 8));
      ++outcome.succeeded;
    } catch (const Error&) {
      ++outcome.refused;
      const auto after = pool.stats();
      const bool unchanged = after.in_use == before.in_use && after.live == before.live &&
                             after.allocations == before.allocations && after.peak == before.peak;
      if (!unchanged)
        FAIL_CHECK("step ", step, ": in use ", after.in_use, " instead of ", before.in_use, ", live ", after.live);
    }
    if (step % 3 != 0 || blocks.empty()) continue;
    pool.deallocate(blocks.back());
    blocks.pop_back();
  }
  for (void* block : blocks) pool.deallocate(block);
  return outcome;
}
