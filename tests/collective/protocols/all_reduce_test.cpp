#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>

#include "support.hpp"

import tessera;

using namespace tessera;
using ranks::numbers;
using ranks::world;

#define NUMBERS                                                                                                     \
  std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, \
      float16, bfloat16, float, double, std::complex<float>, std::complex<double>

TEST_CASE_TEMPLATE("all_reduce adds up what the ranks have, of every type of numbers, few and many", T, NUMBERS) {
  for (const std::ptrdiff_t columns : {0, 1, 7, 1000, 40'001}) {
    CAPTURE(columns);
    const auto x = numbers<T>(Dim{2, columns}, world().rank());
    Array<T, 2> expected = zeros<T>(Dim{2, columns});
    for (int rank = 0; rank < world().size(); ++rank) expected += numbers<T>(Dim{2, columns}, rank);
    CHECK(array_equal(world().all_reduce(x), expected));
    CHECK(array_equal(x, numbers<T>(Dim{2, columns}, world().rank())));
  }
}

TEST_CASE("each op combines elements one by one") {
  const Dim shape{3, 5000};
  const auto mine = numbers<float>(shape, world().rank());
  Array<float, 2> product = ones<float>(shape), least = numbers<float>(shape, 0), most = numbers<float>(shape, 0);
  for (int rank = 0; rank < world().size(); ++rank) {
    product *= numbers<float>(shape, rank);
    least = minimum(least, numbers<float>(shape, rank));
    most = maximum(most, numbers<float>(shape, rank));
  }
  CHECK(array_equal(world().all_reduce(mine, ReduceOp::product), product));
  CHECK(array_equal(world().all_reduce(mine, ReduceOp::min), least));
  CHECK(array_equal(world().all_reduce(mine, ReduceOp::max), most));

  Array<bool, 2> all_are = ones<bool>(shape), any_is = zeros<bool>(shape);
  for (int rank = 0; rank < world().size(); ++rank) {
    all_are = all_are & numbers<bool>(shape, rank);
    any_is = any_is | numbers<bool>(shape, rank);
  }
  const auto truths = numbers<bool>(shape, world().rank());
  CHECK(array_equal(world().all_reduce(truths, ReduceOp::all), all_are));
  CHECK(array_equal(world().all_reduce(truths, ReduceOp::any), any_is));
}

TEST_CASE("numbers of 16 bits are added up as float and rounded once") {
  // 2048 + 1 is 2048 in float16 at each step; the sum over four ranks and more is not.
  Array<float16, 1> x(Dim{3});
  x = world().rank() == 0 ? 2048.f : 1.f;
  const float exact = 2048.f + static_cast<float>(world().size() - 1);
  CHECK(array_equal(world().all_reduce(x), full<float16>(Dim{3}, float16(exact))));
}

TEST_CASE("an operand may have any layout, and be an expression, a view, a scalar or the result") {
  const Dim shape{6, 4000};
  Array<double, 2> expected = zeros<double>(shape);
  for (int rank = 0; rank < world().size(); ++rank) expected += numbers<double>(shape, rank);
  const auto mine = numbers<double>(shape, world().rank());
  for (unsigned layout = 0; layout < 4; ++layout) {
    CAPTURE(layout);
    CHECK(array_equal(world().all_reduce(ranks::laid_out(mine, layout)), expected));
    Array<double, 2> result = ranks::laid_out(zeros<double>(shape), layout + 1);
    world().all_reduce_into(result, ranks::laid_out(mine, layout));
    CHECK(array_equal(result, expected));
    Array<double, 2> in_place = ranks::laid_out(mine, layout);
    world().all_reduce_into(in_place, in_place);
    CHECK(array_equal(in_place, expected));
  }
  CHECK(array_equal(world().all_reduce(mine * 2.0), evaluate(expected * 2.0)));
  double memory[3] = {1, 2, 3};
  const auto window = make_view(memory, Dim{3});
  world().all_reduce_into(window, window);
  CHECK(memory[2] == 3.0 * world().size());
  const Array<float, 0> one(2.f);
  CHECK(static_cast<float>(world().all_reduce(one)) == 2.f * static_cast<float>(world().size()));
  CHECK(static_cast<float>(world().all_reduce(sum(ones<float>(Dim{5})))) == 5.f * static_cast<float>(world().size()));
}

TEST_CASE("dynamic arrays are reduced as static ones") {
  const auto mine = numbers<std::int32_t>(Dim{4, 5}, world().rank());
  const DArray result = world().all_reduce(DArray(mine));
  CHECK(array_equal(get<Array<std::int32_t, 2>>(result), world().all_reduce(mine)));
  CHECK(world().all_reduce(DArray(mine) + 1).dtype() == DType::int32);
}

TEST_CASE("a result at a static place has a static place") {
  const Array<float, 1, CpuPlace> x{{1.f, 2.f}};
  const Array<float, 1, CpuPlace> sums = world().all_reduce(x);
  CHECK(sums(1) == 2.f * static_cast<float>(world().size()));
}

TEST_CASE("reduce gives the result to one rank, reduce_scatter a part to each") {
  const Dim shape{7, 900};
  Array<float, 2> expected = zeros<float>(shape);
  for (int rank = 0; rank < world().size(); ++rank) expected += numbers<float>(shape, rank);
  for (const std::ptrdiff_t columns : {900, 3}) {
    for (int root = 0; root < world().size(); ++root) {
      const auto result =
          world().reduce(numbers<float>(shape, world().rank())(all, range(0, columns)), ReduceOp::sum, root);
      if (root == world().rank()) {
        CHECK(array_equal(result, expected(all, range(0, columns))));
      } else {
        CHECK(result.size() == 0);
      }
    }
  }
  const auto of_scalars = world().reduce(Array<int, 0>(3));
  if (world().rank() == 0) CHECK(static_cast<int>(of_scalars) == 3 * world().size());
  const auto part = world().reduce_scatter(numbers<float>(shape, world().rank()));
  std::ptrdiff_t begin = 0;
  for (int rank = 0; rank < world().rank(); ++rank) begin += 7 / world().size() + (rank < 7 % world().size() ? 1 : 0);
  const std::ptrdiff_t rows = 7 / world().size() + (world().rank() < 7 % world().size() ? 1 : 0);
  REQUIRE(part.shape()[0] == rows);
  CHECK(array_equal(part, expected(range(begin, begin + rows), all)));
}

TEST_CASE("an op that does not take the type is refused before anything is sent") {
  CHECK_THROWS_WITH_AS(world().all_reduce(ones<bool>(Dim{2})),
                       doctest::Contains("ReduceOp::sum does not take elements of bool"), DTypeError);
  CHECK_THROWS_WITH_AS(world().all_reduce(ones<std::complex<float>>(Dim{2}), ReduceOp::max),
                       doctest::Contains("complex numbers have no order"), DTypeError);
  CHECK_THROWS_WITH_AS(world().all_reduce(ones<float>(Dim{2}), ReduceOp::any), doctest::Contains("all_reduce_test.cpp"),
                       DTypeError);
  const Array<float, 1> result(Dim{3});
  CHECK_THROWS_WITH_AS(world().all_reduce_into(result, ones<float>(Dim{2})),
                       doctest::Contains("the result has the shape (3,), and (2,) comes"), ShapeError);
  CHECK_THROWS_WITH_AS(world().all_reduce_into(result, ones<double>(Dim{3})),
                       doctest::Contains("elements of float64 come"), DTypeError);
  CHECK_THROWS_WITH_AS(world().reduce(result, ReduceOp::sum, world().size()), doctest::Contains("there is no rank"),
                       IndexError);
  CHECK_THROWS_AS(world().all_reduce(Array<float, 1>()), ShapeError);
  CHECK(array_equal(world().all_reduce(ones<float>(Dim{2})), full<float>(Dim{2}, static_cast<float>(world().size()))));
}
