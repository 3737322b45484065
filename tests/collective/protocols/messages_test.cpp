#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::numbers;
using ranks::world;

TEST_CASE("messages go round a ring, of any size and layout") {
  if (world().size() == 1) return;
  const int next = (world().rank() + 1) % world().size(),
            previous = (world().rank() + world().size() - 1) % world().size();
  for (const std::ptrdiff_t columns : {0, 1, 500, 1001, 300'000}) {
    CAPTURE(columns);
    const auto mine = ranks::laid_out(numbers<float>(Dim{2, columns}, world().rank()), 2);
    Array<float, 2> come = ranks::laid_out(Array<float, 2>(Dim{2, columns}), 1);
    Scheduler scheduler;
    {
      Async on{scheduler};  // a send may wait for its receive
      world().send(mine, next);
      world().receive_into(come, previous);
    }
    scheduler.wait_all();
    CHECK(array_equal(come, numbers<float>(Dim{2, columns}, previous)));
  }
}

TEST_CASE("messages of one tag arrive in their order, and those of others do not wait for them") {
  if (world().size() == 1) return;
  if (world().rank() == 0) {
    for (int i = 0; i < 20; ++i) world().send(full<int>(Dim{i + 1}, i), 1, 3);
    world().send(full<int>(Dim{2}, 77), 1, 4);
  } else if (world().rank() == 1) {
    CHECK(array_equal(world().receive<Array<int, 1>>(0, 4), full<int>(Dim{2}, 77)));
    for (int i = 0; i < 20; ++i) CHECK(array_equal(world().receive<Array<int, 1>>(0, 3), full<int>(Dim{i + 1}, i)));
  }
}

TEST_CASE("a tag that users cannot have is refused before anything is sent") {
  const int next = (world().rank() + 1) % world().size();
  Array<float, 1> x = ones<float>(Dim{2});
  for (const int tag : {-1, 16'001}) {
    const std::string problem = "the tag " + std::to_string(tag) + " is not in 0 .. 16000";
    CHECK_THROWS_WITH_AS(world().send(x, next, tag), doctest::Contains(problem.c_str()), IndexError);
    CHECK_THROWS_WITH_AS(world().receive_into(x, next, tag), doctest::Contains(problem.c_str()), IndexError);
    CHECK_THROWS_WITH_AS((world().receive<Array<float, 1>>(next, tag)), doctest::Contains(problem.c_str()), IndexError);
  }
}

TEST_CASE("a message of any extents makes a new array") {
  if (world().size() == 1) return;
  for (const std::ptrdiff_t rows : {0, 1, 100'000}) {
    if (world().rank() == 1) world().send(numbers<double>(Dim{rows, 3}, 1), 0);
    if (world().rank() == 0) CHECK(array_equal(world().receive<Array<double, 2>>(1), numbers<double>(Dim{rows, 3}, 1)));
  }
}

TEST_CASE("a message of which nothing is known makes a dynamic array") {
  if (world().size() == 1) return;
  const auto all_come = [](const auto&... x) {
    if (world().rank() == 1) (world().send(x, 0, 5), ...);
    if (world().rank() != 0) return;
    const auto check = [](const auto& expected) {
      const DArray come = world().receive<DArray>(1, 5);
      CHECK(come.dtype() == DArray(expected).dtype());
      CHECK(come.shape() == DArray(expected).shape());
      CHECK(array_equal(come, DArray(expected)));
    };
    (check(x), ...);
  };
  all_come(numbers<double>(Dim{5, 3}, 1), numbers<bool>(Dim{100'000}, 1), full<std::int8_t>(Dim{}, 3),
           numbers<bfloat16>(Dim{2, 0, 4}, 1), numbers<float>(Dim{1, 2, 1, 2, 1, 2, 1, 2, 3}, 1),
           DArray(numbers<int>(Dim{2000, 2}, 1)));
  CHECK_THROWS_AS(world().receive<DArray>(world().rank()), IndexError);
}
