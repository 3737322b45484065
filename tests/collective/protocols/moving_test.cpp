#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::numbers;
using ranks::world;

namespace {

/// Rows of a rank when each has others: 0, 1, 2 and so on.
Dim<2> shape_of(int rank, std::ptrdiff_t columns) { return {rank % 4, columns}; }

std::ptrdiff_t part_begin(std::ptrdiff_t rows, int rank) {
  std::ptrdiff_t begin = 0;
  for (int before = 0; before < rank; ++before)
    begin += rows / world().size() + (before < rows % world().size() ? 1 : 0);
  return begin;
}

template <class T>
Array<T, 2> rows_of_all(std::ptrdiff_t columns) {
  Array<T, 2> rows(Dim{0, columns});
  for (int rank = 0; rank < world().size(); ++rank) rows = concat<0>(rows, numbers<T>(shape_of(rank, columns), rank));
  return rows;
}

}  // namespace

TEST_CASE("broadcast gives all ranks what one has, in any layout") {
  for (int root = 0; root < world().size(); ++root) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      CAPTURE(layout);
      Array<std::int16_t, 2> x = ranks::laid_out(numbers<std::int16_t>(Dim{5, 3000}, world().rank()), layout);
      world().broadcast(x, root);
      CHECK(array_equal(x, numbers<std::int16_t>(Dim{5, 3000}, root)));
    }
  }
  DArray dynamic(numbers<bool>(Dim{3}, world().rank()));
  world().broadcast(dynamic);
  CHECK(array_equal(get<Array<bool, 1>>(dynamic), numbers<bool>(Dim{3}, 0)));
}

TEST_CASE("all_gather and gather put rows of any number one after the other") {
  for (const std::ptrdiff_t columns : {1, 3, 5000}) {
    CAPTURE(columns);
    const Array<double, 2> expected = rows_of_all<double>(columns);
    const auto mine = numbers<double>(shape_of(world().rank(), columns), world().rank());
    CHECK(array_equal(world().all_gather(mine), expected));
    Array<double, 2> result = ranks::laid_out(copy(expected), 1);
    result(ellipsis) = -1.0;
    world().all_gather_into(result, ranks::laid_out(mine, 2));
    CHECK(array_equal(result, expected));
    for (int root = 0; root < world().size(); ++root) {
      const auto gathered = world().gather(mine, root);
      if (root == world().rank()) {
        CHECK(array_equal(gathered, expected));
      } else {
        CHECK(gathered.size() == 0);
      }
    }
  }
  const auto of_scalars = world().all_gather(Array<int, 0>(world().rank() * 2));
  CHECK(array_equal(of_scalars, evaluate(arange<int>(0, world().size()) * 2)));
}

TEST_CASE("a group of one gathers an array into itself") {
  const Group alone = world().split(world().rank());
  for (const std::ptrdiff_t columns : {0, 3, 100'000}) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      CAPTURE(columns);
      CAPTURE(layout);
      const auto expected = numbers<double>(Dim{2, columns}, world().rank());
      Array<double, 2> x = ranks::laid_out(expected, layout);
      alone.all_gather_into(x, x);
      CHECK(array_equal(x, expected));
    }
  }
}

TEST_CASE("who has all rows gathers them into themselves, and the others beside") {
  for (const std::ptrdiff_t columns : {3, 20'000, 100'000}) {  // few, and many by both ways of the engine
    for (int owner = 0; owner < world().size(); ++owner) {
      CAPTURE(columns);
      const auto expected = numbers<double>(Dim{2, columns}, owner);
      Array<double, 2> x = world().rank() == owner ? copy(expected) : zeros<double>(Dim{2, columns});
      world().all_gather_into(x, x(range(0, world().rank() == owner ? 2 : 0), all));
      CHECK(array_equal(x, expected));
    }
  }
}

TEST_CASE("scatter divides the rows of one rank, the first parts one larger") {
  for (int root = 0; root < world().size(); ++root) {
    for (const std::ptrdiff_t rows : {0, 1, 7, 1000}) {
      const auto whole = numbers<float>(Dim{rows, 33}, root, 8);
      const Array<float, 2> x = root == world().rank() ? ranks::laid_out(whole, 2) : Array<float, 2>();
      const auto part = world().scatter(x, root);
      const auto begin = part_begin(rows, world().rank()), end = part_begin(rows, world().rank() + 1);
      REQUIRE(part.shape() == Dim{end - begin, 33});
      CHECK(array_equal(part, whole(range(begin, end), all)));
    }
  }
}

TEST_CASE("all_to_all gives part r of each rank's rows to rank r") {
  for (const std::ptrdiff_t rows : {0, 3, 10, 500}) {
    for (const std::ptrdiff_t columns : {1, 300}) {
      const auto begin = part_begin(rows, world().rank()), end = part_begin(rows, world().rank() + 1);
      Array<float, 2> expected(Dim{0, columns});
      for (int rank = 0; rank < world().size(); ++rank)
        expected = concat<0>(expected, numbers<float>(Dim{rows, columns}, rank)(range(begin, end), all));
      const auto mine = ranks::laid_out(numbers<float>(Dim{rows, columns}, world().rank()), 3);
      CHECK(array_equal(world().all_to_all(mine), expected));
    }
  }
}

TEST_CASE("what cannot be divided, and results that do not fit, are refused") {
  CHECK_THROWS_WITH_AS(world().all_to_all(Array<float, 0>(1.f)), doctest::Contains("a scalar has no axis"), ShapeError);
  CHECK_THROWS_WITH_AS(world().broadcast(Array<float, 1>(Dim{2}), -1),
                       doctest::Contains("there is no rank -1 in group world"), IndexError);
  CHECK_THROWS_WITH_AS(world().send(ones<float>(Dim{2}), world().rank()), doctest::Contains("is this rank itself"),
                       IndexError);
}
