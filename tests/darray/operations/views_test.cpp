// Tests of views of dynamic arrays with other axes, against the static ones: the same storage, shape and elements.
#include <doctest/doctest.h>

#include <string>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("views with other axes are those of static arrays") {
  std::mt19937 random(31);
  const Array<float, 3> a = random_array<float>(Dim{2, 3, 4}, random);
  const DArray x = a;
  CHECK(is_same(flip(x), flip(a)));
  CHECK(is_same(flip(x, {0, -1}), flip<0, 2>(a)));
  CHECK(is_same(flip(x, 1), flip<1>(a)));
  CHECK(is_same(moveaxis(x, 0, -1), moveaxis(a, 0, -1)));
  CHECK(is_same(moveaxis(x, {0, 1}, {-1, 0}), moveaxis(a, {0, 1}, {-1, 0})));
  CHECK(is_same(swapaxes(x, 0, 2), swapaxes(a, 0, 2)));
  CHECK(is_same(matrix_transpose(x), matrix_transpose(a)));
  CHECK(is_same(expand_dims(x, {0, -1}), expand_dims<0, -1>(a)));
  CHECK(is_same(squeeze(expand_dims(x, {1, 3})), a));
  CHECK(is_same(squeeze(expand_dims(x, {1, 3}), {3, 1}), a));
  CHECK(is_same(sliding_window(x, make_ddim({2, 3}), {1, -1}), sliding_window<1, 2>(a, {2, 3})));
  CHECK(flip(x).buffer() == x.buffer());
  flip(x, 2)({0, 0, 0}) = 7;
  CHECK(a(0, 0, 3) == 7);
  CHECK(is_same(flip(x * 2, 0), evaluate(flip<0>(a * 2))));  // of an expression: of its values
}

TEST_CASE("views of nothing are views of nothing") {
  const DArray x = zeros(DType::int32, make_ddim({0, 3}));
  CHECK(flip(x).shape() == make_ddim({0, 3}));
  CHECK(moveaxis(x, 0, 1).shape() == make_ddim({3, 0}));
  CHECK(expand_dims(x, 0).shape() == make_ddim({1, 0, 3}));
}

TEST_CASE("axes that are not there are said") {
  const DArray x = zeros(DType::float32, make_ddim({2, 3}));
  CHECK_THROWS_AS(flip(x, 2), IndexError);
  CHECK_THROWS_WITH_AS(flip(x, {1, -1}), doctest::Contains("axis 1 is named twice"), IndexError);
  CHECK_THROWS_WITH_AS(moveaxis(x, {0, 1}, {0, 0}), doctest::Contains("two axes are moved to position 0"), IndexError);
  CHECK_THROWS_WITH_AS(moveaxis(x, {0, 1}, 0), doctest::Contains("2 axes are moved to 1 positions"), IndexError);
  CHECK_THROWS_AS(swapaxes(x, 0, 5), IndexError);
  CHECK_THROWS_WITH_AS(matrix_transpose(x({0})), doctest::Contains("(3,)"), ShapeError);
  CHECK_THROWS_WITH_AS(squeeze(x, 1), doctest::Contains("extent 3"), ShapeError);
  CHECK_THROWS_WITH_AS(sliding_window(x, make_ddim({4}), 1), doctest::Contains("a window of 4 elements"), ShapeError);
  CHECK_THROWS_WITH_AS(sliding_window(x, make_ddim({1}), {0, 1}), doctest::Contains("1 extents"), IndexError);
  const DArray most = zeros(DType::float32, make_ddim({1, 1, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_THROWS_WITH_AS(expand_dims(most, 0), doctest::Contains("10 axes"), ShapeError);
}
