// The executors on which the tests of recordings run.
#pragma once

#include <string>
#include <utility>
#include <vector>

/// Options and what to call them; `Options`, `Inline` and `Permuting` are tessera's, which a header cannot name before the import.
template <class Options, class Inline, class Permuting>
std::vector<std::pair<std::string, Options>> executors_of() {
  std::vector<std::pair<std::string, Options>> all;
  all.emplace_back("inline", Options{.executor = Inline{}});
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    all.emplace_back("permuting, seed " + std::to_string(seed), Options{.executor = Permuting{.seed = seed}});
  }
  for (const int workers : {1, 2, 4}) {
    all.emplace_back("pool of " + std::to_string(workers), Options{.workers = workers});
  }
  return all;
}
