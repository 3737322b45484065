// Failures of assignments to views: what they poison, and what clears them.
#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

import tessera;

using namespace tessera;

namespace {

constexpr AsyncOptions disjoint{.disjoint_views = true};

struct Failing {
  static float map(float x) {
    if (x > 2) throw std::runtime_error("element above 2");
    return x;
  }
};

template <class A>
std::vector<float> elements(const A& array) {
  return {array.begin(), array.end()};
}

}  // namespace

TEST_CASE("a failure poisons the view that was to be written and what overlaps it, until the view is rewritten") {
  for (const SchedulerOptions& options : {SchedulerOptions{.executor = Inline{}}, SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    Array<float, 1> a = zeros<float>(Dim{12}), source = full(Dim{4}, 3.0f);
    Array<float, 1> first = a(range(0, 4)), second = a(range(4, 8)), third = a(range(8, 12));
    {
      const Async on{scheduler, disjoint};
      first(ellipsis) = 1;
      second(ellipsis) = F<Failing>(source);
      third(ellipsis) = 3;
      third(range(0, 2)) = second(range(2, 4)) + 1;  // skipped
    }
    CHECK(elements(first) == std::vector<float>(4, 1));
    CHECK_THROWS_AS(elements(second), OperationFailed);
    CHECK_THROWS_AS(elements(third), OperationFailed);
    CHECK_THROWS_AS(elements(a), OperationFailed);
    CHECK(elements(a(range(10, 12))) == std::vector<float>(2, 3));
    CHECK_THROWS_AS(a(range(3, 5)) = 1, OperationFailed);  // a part of the failed one: the rest of that stays wrong
    {
      const Async on{scheduler, disjoint};
      second(ellipsis) = 2;
    }
    CHECK(elements(second) == std::vector<float>(4, 2));
    CHECK_THROWS_AS(elements(third), OperationFailed);
    third(ellipsis) = 4;  // outside of a scope
    CHECK(elements(a) == std::vector<float>{1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4});
  }
}

TEST_CASE("a rewrite of all of the array clears all failures, and one of a block those of its tiles") {
  Scheduler scheduler({.workers = 2});
  Array<float, 2> a = zeros<float>(Dim{4, 4});
  Array<float, 1> source = full(Dim{2}, 3.0f);
  const Async on{scheduler, disjoint};
  for (const int column : {0, 2}) a(range(0, 2), range(column, column + 2)) = F<Failing>(source);
  a(range(2, 4), range(0, 2)) = F<Failing>(source);
  a(range(0, 2), all) = 7;
  CHECK(elements(a(0, all)) == std::vector<float>(4, 7));
  CHECK_THROWS_AS(elements(a(2, all)), OperationFailed);
  a(ellipsis) = 5;
  CHECK(elements(a) == std::vector<float>(16, 5));
  CHECK(a.buffer()->count_view_vars() == 1);
}

TEST_CASE("a failure before the first write of a part is kept, and so is one when the Var is asked for") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> a = zeros<float>(Dim{8}), source = full(Dim{8}, 3.0f);
  {
    const Async on{scheduler, disjoint};
    a(ellipsis) = F<Failing>(source);
    a(range(0, 4)) = 1;
  }
  CHECK_THROWS_AS(elements(a(range(0, 4))), OperationFailed);
  scheduler.wait_all();
  CHECK(a.var().is_poisoned());
  CHECK(a.buffer()->count_view_vars() == 0);
  CHECK_THROWS_AS(elements(a), OperationFailed);
  a(ellipsis) = 1;
  CHECK(elements(a) == std::vector<float>(8, 1));
}
