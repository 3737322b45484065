#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::numbers;
using ranks::world;
using namespace std::chrono_literals;

TEST_CASE("in a scope collectives are ops: they read what ops write, and others read their results") {
  for (const int workers : {1, 2, 3}) {
    Scheduler scheduler({.workers = workers});
    const Dim shape{3, 20'000};
    Array<float, 2> x = numbers<float>(shape, world().rank()), y(shape), z(shape);
    Array<float, 2> sum_of_all = zeros<float>(shape);
    for (int rank = 0; rank < world().size(); ++rank) sum_of_all += numbers<float>(shape, rank);
    {
      Async on{scheduler};
      y = x * 2.f;
      world().all_reduce_into(y, y);
      z = y + 1.f;
      const auto again = world().all_reduce(z);
      x = again - 1.f;
    }
    const auto n = static_cast<float>(world().size());
    CHECK(array_equal(y, evaluate(sum_of_all * 2.f)));
    CHECK(array_equal(x, evaluate((sum_of_all * 2.f + 1.f) * n - 1.f)));
  }
}

TEST_CASE("the order of collectives among the ranks is that of the calls, whatever becomes ready first") {
  // Each rank makes its operands ready in an order of its own.
  for (int round = 0; round < 20; ++round) {
    Scheduler scheduler({.workers = 2});
    std::mt19937 random(static_cast<unsigned>(round * 100 + world().rank()));
    std::vector<Array<int, 1>> x, sums;
    for (int i = 0; i < 12; ++i) {
      x.emplace_back(Dim{1000 + i});
      const auto delay = std::chrono::microseconds(random() % 500);
      scheduler.submit(writes(x.back().var()), [a = x.back(), delay, i] {
        std::this_thread::sleep_for(delay);
        for (std::ptrdiff_t j = 0; j < a.size(); ++j) a.data()[j] = i + world().rank();
      });
    }
    {
      Async on{scheduler};
      for (const auto& operand : x) sums.push_back(world().all_reduce(operand));
    }
    const int n = world().size();
    for (int i = 0; i < 12; ++i)
      CHECK(array_equal(sums[static_cast<std::size_t>(i)], full<int>(Dim{1000 + i}, i * n + n * (n - 1) / 2)));
  }
}

TEST_CASE("a collective that waits for the others holds no worker") {
  if (world().size() == 1) return;
  Scheduler scheduler({.workers = 1});
  Array<int, 1> x = full<int>(Dim{10}, 1);
  std::atomic<bool> other_has_run{false};
  Array<int, 1> sums;
  {
    Async on{scheduler};
    if (world().rank() != 0) sums = world().all_reduce(x);
  }
  Var v;
  scheduler.submit(writes(v), [&] { other_has_run = true; });
  scheduler.wait(v);  // on the one worker, while the all_reduce waits for rank 0
  CHECK(other_has_run);
  // Rank 0 comes when all others have seen that.
  if (world().rank() != 0) world().send(Array<int, 0>(1), 0);
  if (world().rank() == 0) {
    for (int other = 1; other < world().size(); ++other) CHECK(world().receive<Array<int, 0>>(other) == 1);
    sums = world().all_reduce(x);
  }
  CHECK(sums(3) == world().size());
}

TEST_CASE("collectives are begun on every kind of executor") {
  for (const auto& options : {SchedulerOptions{.executor = Inline{}}, SchedulerOptions{.executor = Permuting{7}},
                              SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    Array<double, 1> x = full<double>(Dim{50'000}, 1.5), y = full<double>(Dim{4}, 2.0);
    {
      Async on{scheduler};
      for (int i = 0; i < 5; ++i) {
        world().all_reduce_into(x, x, ReduceOp::max);
        world().broadcast(y, i % world().size());
        y = y + 1.0;
      }
    }
    CHECK(x(49'999) == 1.5);
    CHECK(y(3) == 7.0);
  }
}

TEST_CASE("random programs come to the same with a scheduler and without, and as each rank can compute by itself") {
  // All ranks draw the same program; each can compute what the others have.
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const std::ptrdiff_t columns = random() % 3 == 0 ? 30'000 : static_cast<std::ptrdiff_t>(1 + random() % 50);
    const Dim shape{2 * world().size(), columns};
    const int n = world().size();
    // State of all ranks, as one rank can follow it.
    std::vector<std::vector<Array<double, 2>>> model;
    for (int rank = 0; rank < n; ++rank) {
      model.emplace_back();
      for (unsigned i = 0; i < 3; ++i) model.back().push_back(numbers<double>(shape, rank, i));
    }
    Scheduler scheduler({.workers = 1 + static_cast<int>(seed % 3)});
    std::vector<Array<double, 2>> mine;
    for (unsigned i = 0; i < 3; ++i) mine.push_back(ranks::laid_out(numbers<double>(shape, world().rank(), i), seed));
    {
      Async on{scheduler};
      for (int step = 0; step < 25; ++step) {
        const std::size_t a = random() % 3, b = random() % 3;
        const int root = static_cast<int>(random() % static_cast<unsigned>(n));
        switch (random() % 5) {
          case 0: {
            world().all_reduce_into(mine[a], mine[b], ReduceOp::max);
            Array<double, 2> most = copy(model[0][b]);
            for (int rank = 1; rank < n; ++rank) most = maximum(most, model[static_cast<std::size_t>(rank)][b]);
            for (auto& arrays : model) arrays[a] = copy(most);
            break;
          }
          case 1: {
            world().broadcast(mine[a], root);
            const Array<double, 2> sent = copy(model[static_cast<std::size_t>(root)][a]);
            for (auto& arrays : model) arrays[a] = copy(sent);
            break;
          }
          case 2: {
            mine[a](ellipsis) = world().all_to_all(mine[b]);
            std::vector<Array<double, 2>> come;
            for (int rank = 0; rank < n; ++rank) {
              Array<double, 2> parts(Dim{0, columns});
              for (const auto& arrays : model) parts = concat<0>(parts, arrays[b](range(2 * rank, 2 * rank + 2), all));
              come.push_back(parts);
            }
            for (int rank = 0; rank < n; ++rank)
              model[static_cast<std::size_t>(rank)][a] = come[static_cast<std::size_t>(rank)];
            break;
          }
          case 3: {
            const auto part = world().reduce_scatter(mine[b], ReduceOp::min);
            world().all_gather_into(mine[a], part);
            Array<double, 2> least = copy(model[0][b]);
            for (int rank = 1; rank < n; ++rank) least = minimum(least, model[static_cast<std::size_t>(rank)][b]);
            for (auto& arrays : model) arrays[a] = copy(least);
            break;
          }
          default:
            mine[a](ellipsis) = mine[b] * 0.5 + static_cast<double>(step);
            for (auto& arrays : model) arrays[a] = evaluate(arrays[b] * 0.5 + static_cast<double>(step));
        }
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      CHECK(array_equal(mine[i], model[static_cast<std::size_t>(world().rank())][i]));
    }
  }
}

TEST_CASE("a collective cannot be recorded") {
  Scheduler scheduler;
  Array<float, 1> x = ones<float>(Dim{3});
  CHECK_THROWS_WITH_AS(static_cast<void>(scheduler.capture([&] {
                         Async on{scheduler};
                         world().all_reduce_into(x, x);
                       })),
                       doctest::Contains("a collective cannot be recorded"), SchedulerError);
  CHECK(world().all_reduce(x)(1) == static_cast<float>(world().size()));
}
