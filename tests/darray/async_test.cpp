// Tests of dynamic arrays on a scheduler: assignments and reductions become ops, and elements wait for them.
#include <doctest/doctest.h>

#include <cstddef>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("assignments and reductions in an Async scope are ops in the order of the program") {
  Scheduler scheduler({.workers = 2});
  DArray x = make_darray({1000}, 1.f), y = make_darray({1000}, 2);
  DArray total, same;
  {
    Async on{scheduler};
    for (int k = 0; k < 50; ++k) x = x * 0.5f + 1.f;
    for (int k = 0; k < 10; ++k) y = y + y;
    total = sum(x);
    same = cast(y, DType::float64) * 0.5 + mean(x, 0);
    x({range(0, 10)}) = 7.f;
  }
  CHECK(double(total) == doctest::Approx(2000.0));
  CHECK(int(y[{999}]) == 2048);
  CHECK(double(same[{5}]) == doctest::Approx(1026.0));
  CHECK(float(x[{9}]) == 7.f);
  CHECK(float(x[{10}]) == doctest::Approx(2.f));
  scheduler.wait_all();
}

TEST_CASE("dynamic and static names of one storage see each other's ops") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = zeros<float>(500);
  DArray d = a;
  {
    Async on{scheduler};
    for (int k = 0; k < 20; ++k) {
      a += 1.f;
      d({all}) = d * 2.f;
    }
  }
  CHECK(float(d[{250}]) == a(250));
  CHECK(float(d[{0}]) == 2097150.f);
}

TEST_CASE("an op that fails poisons what it should have written, and waiting says so") {
  Scheduler scheduler({.workers = 1});
  DArray x = make_darray({4}, 1.f);
  {
    Async on{scheduler};
    CHECK_THROWS_AS(x = x + make_darray({3}, 1.f), ShapeError);
    x = x + 1.f;
  }
  CHECK(float(x[{0}]) == 2.f);
}

TEST_CASE("programs of dynamic arrays are recorded and replayed") {
  for (const SchedulerOptions& options : {SchedulerOptions{.workers = 2}, SchedulerOptions{.executor = Inline{}}}) {
    Scheduler scheduler(options);
    const DArray w = make_darray({20}, 1.0), g = make_darray({20}, 0.5), total = make_darray({1}, 0.0);
    auto step = scheduler.capture([&] {
      const Async on{scheduler};
      w({all}) = w - 0.5 * g;
      g({all}) = w * 2;
      total({all}) = sum(w * g, {0}, keepdims);
    });
    CHECK(double(w[{3}]) == 1.0);
    double by_hand = 1, gradient = 0.5;
    for (int i = 0; i < 6; ++i) {
      step.replay();
      by_hand -= 0.5 * gradient;
      gradient = by_hand * 2;
    }
    scheduler.wait_all();
    CHECK(double(w[{3}]) == doctest::Approx(by_hand));
    CHECK(double(total[{0}]) == doctest::Approx(20 * by_hand * gradient));
  }
}

TEST_CASE("a name that would get new storage in each replay is refused") {
  Scheduler scheduler({.workers = 1});
  DArray w = make_darray({20}, 1.0);
  CHECK_THROWS_AS(static_cast<void>(scheduler.capture([&] {
                    const Async on{scheduler};
                    w = zeros(DType::float64, make_ddim({4})) + 1;
                  })),
                  SchedulerError);
  CHECK(double(w[{19}]) == 1.0);
}
