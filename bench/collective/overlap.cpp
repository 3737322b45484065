// What an all_reduce costs beside work that does not touch its array: milliseconds of the work alone, of the exchange alone, and of both in one Async scope,
// of rank 0, which prints a line of JSON for each share of work. With LATE the last rank has no work and comes so many milliseconds later: the wire is silent
// meanwhile, and the exchange needs no processor.
//
// Usage: mpirun -np N collective_overlap [BYTES [LATE]]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

import tessera;

namespace {

using namespace tessera;
using Clock = std::chrono::steady_clock;

template <class F>
double milliseconds(const Group& world, const F& body) {
  std::vector<double> all;
  for (int round = 0; round < 9; ++round) {
    world.barrier();
    const auto start = Clock::now();
    body();
    auto own = full<double>(Dim{1}, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    world.broadcast(own);
    all.push_back(own[{0}]);
  }
  std::ranges::nth_element(all, all.begin() + 4);
  return all[4];
}

}  // namespace

int main(int argc, char** argv) {
  const std::ptrdiff_t count = (argc > 1 ? std::atoll(argv[1]) : 16 << 20) / static_cast<std::ptrdiff_t>(sizeof(float));
  const std::chrono::duration<double, std::milli> late(argc > 2 ? std::atof(argv[2]) : 0);
  set_num_threads(1);
  const Group world = Group::world();
  Scheduler scheduler({.workers = 1});
  const auto gradient = full<float>(Dim{count}, 1.f), total = full<float>(Dim{count}, 0.f);
  const Array<float, 2> a = full<float>(Dim{256, 256}, 0.01f);
  std::vector<Array<float, 2>> results;
  for (int products : {2, 5, 10, 20, 40, 80}) {
    while (results.size() < static_cast<std::size_t>(products)) results.push_back(full<float>(Dim{256, 256}, 0.f));
    const auto work = [&] {
      for (int i = 0; i < products; ++i) results[static_cast<std::size_t>(i)] = dot(a, a);
    };
    const bool is_late = late.count() > 0 && world.rank() + 1 == world.size();
    const auto in_scope = [&](bool works, bool exchanges) {
      if (is_late && exchanges) std::this_thread::sleep_for(late);
      {
        const Async on{scheduler};
        if (exchanges) world.all_reduce_into(total, gradient);
        if (works && !is_late) work();
      }
      scheduler.wait_all();
    };
    const double alone = milliseconds(world, [&] { in_scope(true, false); });
    const double exchange = milliseconds(world, [&] { in_scope(false, true); });
    const double both = milliseconds(world, [&] { in_scope(true, true); });
    if (world.rank() != 0) continue;
    std::printf(
        R"({"ranks": %d, "bytes": %lld, "late": %.1f, "products": %d, "work": %.4f, "exchange": %.4f, "both": %.4f})"
        "\n",
        world.size(), static_cast<long long>(count * 4), late.count(), products, alone, exchange, both);
    std::fflush(stdout);
  }
  return 0;
}
