// Views of one array in parallel: what shares memory keeps its order, and nothing else does.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

import tessera;

using namespace tessera;

namespace {

constexpr AsyncOptions disjoint{.disjoint_views = true};

/// An assignment with it waits until another one is being computed too, or until some time.
struct Meet {
  static inline std::atomic<int> here{0};
  static inline std::atomic<bool> have_met{false};
  static inline std::chrono::steady_clock::time_point until;

  static float map(float x) {
    here.fetch_add(1);
    while (!have_met && here.load() < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    if (here.load() >= 2) have_met = true;
    here.fetch_sub(1);
    return x;
  }
};

/// Whether assignments to the two views are computed at the same time; if that is expected, they may take long for it.
template <class View>
bool run_together(View first, View second, const AsyncOptions& options, bool expected) {
  Scheduler scheduler({.workers = 2});
  Meet::have_met = false;
  Meet::until = std::chrono::steady_clock::now() + std::chrono::milliseconds(expected ? 10000 : 50);
  Array<float, 1> one = ones<float>(Dim{1});
  {
    const Async on{scheduler, options};
    first(ellipsis) = F<Meet>(one) + 2;
    second(ellipsis) = F<Meet>(one) + 3;
  }
  scheduler.wait_all();
  return Meet::have_met;
}

template <class A>
std::vector<float> elements(const A& array) {
  return {array.begin(), array.end()};
}

}  // namespace

TEST_CASE("without the option assignments to views of one array keep their order") {
  const Array<float, 2> a = zeros<float>(Dim{4, 6});
  CHECK(!run_together(a(0, range(0, 1)), a(1, range(0, 1)), {}, false));
}

TEST_CASE("with it they run at the same time if the views share no element") {
  const Array<float, 1> line = zeros<float>(Dim{12});
  const auto together = [&](auto first, auto second, bool expected) {
    return run_together(line(first), line(second), disjoint, expected);
  };
  CHECK(together(range(0, 6), range(6, 12), true));
  CHECK(together(range(5, none, -1), range(11, 5, -1), true));
  CHECK(together(range(0, 12, 2), range(1, 12, 2), true));
  CHECK(together(range(10, none, -2), range(1, 12, 2), true));
  CHECK(!together(range(0, 7), range(6, 12), false));
  CHECK(!together(range(0, 12, 2), range(0, 12, 3), false));
  CHECK(!together(range(6, none, -1), range(6, 12), false));
}

TEST_CASE("blocks of rows or columns and tiles of a matrix run at the same time") {
  const Array<float, 2> a = zeros<float>(Dim{4, 6});
  const auto together = [&](auto rows, auto columns, auto other_rows, auto other_columns, bool expected) {
    return run_together(a(rows, columns), a(other_rows, other_columns), disjoint, expected);
  };
  CHECK(together(all, range(0, 3), all, range(3, 6), true));
  CHECK(together(range(0, 2), range(0, 3), range(0, 2), range(3, 6), true));
  CHECK(together(range(0, 3), range(0, 3), range(1, 4), range(3, 6), true));
  CHECK(together(range(3, none, -1), range(2, none, -1), all, range(3, 6, 2), true));
  CHECK(!together(range(0, 3), range(0, 4), range(1, 4), range(3, 6), false));
}

// ------------------------------------------------------------------------------------------------------- the array as a whole

TEST_CASE("an array whose Var is asked for is one thing from then on") {
  for (const SchedulerOptions& options :
       {SchedulerOptions{.executor = Permuting{.seed = 3}}, SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    Array<float, 1> a = zeros<float>(Dim{8});
    {
      const Async on{scheduler, disjoint};
      a(range(0, 4)) = 1;
      a(range(4, 8)) = 2;
      CHECK(a.buffer()->count_view_vars() == 3);
      scheduler.submit(writes(a.var()), [a] {
        for (std::ptrdiff_t i = 0; i < 8; ++i) a.data()[i] *= 10;
      });
      CHECK(a.buffer()->count_view_vars() == 0);
      a(range(2, 6)) += 5;
      CHECK(a.buffer()->count_view_vars() == 0);
    }
    CHECK(elements(a) == std::vector<float>{10, 10, 15, 15, 25, 25, 20, 20});
  }
}

TEST_CASE("a recorded step names arrays as a whole, so its replays wait for what is pending on their views") {
  for (const SchedulerOptions& options :
       {SchedulerOptions{.executor = Permuting{.seed = 5}}, SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    Array<float, 1> a = zeros<float>(Dim{8}), b = ones<float>(Dim{4});
    const Async on{scheduler, disjoint};
    a(range(0, 4)) = b;
    const auto step = scheduler.capture([&] {
      const Async inside{scheduler, disjoint};
      a(range(0, 4)) += 1;
      a(range(4, 8)) = a(range(0, 4)) * 2;
    });
    for (int i = 0; i < 3; ++i) {
      a(range(2, 6)) += b;
      step.replay();
    }
    CHECK(elements(a) == std::vector<float>{4, 4, 7, 7, 8, 8, 14, 14});
  }
}

TEST_CASE("the list of views stays short, however many there have been") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> a = zeros<float>(Dim{4000});
  const Async on{scheduler, disjoint};
  std::ptrdiff_t longest = 0;
  for (std::ptrdiff_t i = 0; i + 7 <= 4000; ++i) {
    a(range(i, i + 7)) += 1;
    if (i % 16 == 0) a(range(i, i + 1)).wait();
    longest = std::max(longest, a.buffer()->count_view_vars());
  }
  CHECK(longest > 16);
  CHECK(longest <= 160);
  CHECK(elements(a(range(3, 9))) == std::vector<float>{4, 5, 6, 7, 7, 7});
}

TEST_CASE("handles and schedulers may go while ops on views are pending") {
  Array<float, 1> kept = zeros<float>(Dim{8});
  {
    Scheduler scheduler({.workers = 2});
    scheduler.stop();
    {
      const Async on{scheduler, disjoint};
      Array<float, 1> a = zeros<float>(Dim{8});
      a(range(0, 4)) = 1;
      a(range(4, 8)) = a(range(0, 4)) + 1;
      kept(range(0, 4)) = a(range(2, 6));
      kept(range(4, 8)) = 3;
    }
    scheduler.start();
  }
  CHECK(elements(kept) == std::vector<float>{1, 1, 2, 2, 3, 3, 3, 3});
  Scheduler another({.workers = 1});
  {
    const Async on{another, disjoint};
    kept(range(2, 6)) *= 2;
  }
  CHECK(elements(kept) == std::vector<float>{1, 1, 4, 4, 6, 6, 3, 3});
}

TEST_CASE("threads may submit to views of one array at the same time, with and without the option") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = zeros<float>(Dim{64});
  std::vector<std::thread> threads;
  for (std::ptrdiff_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 400; ++i) {
        const Async on{scheduler, {.disjoint_views = i % 7 != thread}};
        a(range(16 * thread, 16 * thread + 16)) += 1;
        if (i % 50 == 49) a(ellipsis) = a * 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(elements(a) == std::vector<float>(64, 400));
}

// --------------------------------------------------------------------------------------------------------------- an example

namespace {

/// Shortest ways between all places, from the lengths of the roads between them. Row k holds still in step k.
void find_shortest_ways(Scheduler& scheduler, const Array<float, 2>& way, std::ptrdiff_t block) {
  const std::ptrdiff_t places = way.shape()[0];
  // --8<-- [start:disjoint]
  const Async on{scheduler, {.disjoint_views = true}};
  for (std::ptrdiff_t k = 0; k < places; ++k) {
    const auto from_k = way(range(k, k + 1), all);
    for (std::ptrdiff_t first = 0; first < places; first += block) {
      auto rows = way(range(first, first + block), all);
      const auto to_k = rows(all, range(k, k + 1));
      rows(ellipsis) = minimum(rows, to_k + from_k);  // beside the other blocks of rows, when row k is ready
    }
  }
  // --8<-- [end:disjoint]
}

}  // namespace

TEST_CASE("shortest ways are found block by block in one array") {
  constexpr std::ptrdiff_t places = 48;
  const Array<float, 2> roads = zeros<float>(Dim{places, places});
  for (std::ptrdiff_t i = 0; i < places; ++i) {
    for (std::ptrdiff_t j = 0; j < places; ++j) {
      roads.data()[i * places + j] = i == j ? 0.0f : static_cast<float>(1 + (i * 31 + j * 17) % 97);
    }
  }
  std::vector<float> expected = elements(roads);
  const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t j) -> float& {
    return expected[static_cast<std::size_t>(i * places + j)];
  };
  for (std::ptrdiff_t k = 0; k < places; ++k) {
    for (std::ptrdiff_t i = 0; i < places; ++i) {
      for (std::ptrdiff_t j = 0; j < places; ++j) at(i, j) = std::min(at(i, j), at(i, k) + at(k, j));
    }
  }
  for (const SchedulerOptions& options :
       {SchedulerOptions{.executor = Inline{}}, SchedulerOptions{.executor = Permuting{.seed = 9}},
        SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    const Array<float, 2> way = roads.clone();
    find_shortest_ways(scheduler, way, 12);
    CHECK(elements(way) == expected);
  }
}
