// Positions as arrays, picking and writing along an axis, diagonals and triangles.
#include "../../expr/support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class T, int Rank>
bool same(const Array<T, Rank>& a, const Array<T, Rank>& b) {
  return to_string(a.shape()) == to_string(b.shape()) && difference(elements(a), elements(b)) == "";
}

}  // namespace

// --8<-- [start:positions]
TEST_CASE("positions of what is not 0, and grids of positions") {
  const Array<float, 2> x = make_array<float>({{0, 2, 0}, {3, 0, 4}});
  const auto [rows, columns] = nonzero(x);
  CHECK(to_string(rows) == "[0 1 1]");
  CHECK(to_string(columns) == "[1 0 2]");
  CHECK(to_string(x(rows, columns)) == "[2. 3. 4.]");
  CHECK(to_string(argwhere(x > 2)) == "[[1 0]\n [1 2]]");
  CHECK(to_string(flatnonzero(x)) == "[1 3 5]");
  const auto [i, j] = unravel_index(Array<int, 1>{1, 5}, Dim{2, 3});
  CHECK(to_string(i) == "[0 1]");
  CHECK(to_string(j) == "[1 2]");
  const auto [across, down] = meshgrid(arange<float>(3), arange<float>(2));
  CHECK(to_string(across + 10 * down) == "[[ 0.  1.  2.]\n [10. 11. 12.]]");
}
// --8<-- [end:positions]

// --8<-- [start:along-axis]
TEST_CASE("indices along an axis pick and write, and values are combined by the rows that indices name") {
  Array<float, 2> x = make_array<float>({{3, 1, 2}, {4, 6, 5}});
  const auto order = argsort<1>(x);
  CHECK(to_string(take_along_axis<1>(x, order)) == "[[1. 2. 3.]\n [4. 5. 6.]]");
  put_along_axis<1>(x, argmax<1>(x, keepdims), 0.f);
  CHECK(to_string(x) == "[[0. 1. 2.]\n [4. 0. 5.]]");
  Array<float, 1> totals = zeros<float>(Dim{3});
  scatter_add(totals, Array<int, 1>{0, 2, 0}, Array<float, 1>{1, 2, 3});
  CHECK(to_string(totals) == "[4. 0. 2.]");
  scatter_max(totals, Array<int, 1>{1, 1, 0}, Array<float, 1>{5, 7, 1});
  CHECK(to_string(totals) == "[4. 7. 2.]");
}
// --8<-- [end:along-axis]

// --8<-- [start:diagonals]
TEST_CASE("diagonals are views, triangles are expressions") {
  Array<float, 2> x = make_array<float>({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(float(trace(x)) == 15);
  diagonal(x) = 0.f;
  diagonal(x, 1) += 10.f;
  CHECK(to_string(x) == "[[ 0. 12.  3.]\n [ 4.  0. 16.]\n [ 7.  8.  0.]]");
  CHECK(to_string(tril(x)) == "[[0. 0. 0.]\n [4. 0. 0.]\n [7. 8. 0.]]");
  CHECK(to_string(triu(x, 1)) == "[[ 0. 12.  3.]\n [ 0.  0. 16.]\n [ 0.  0.  0.]]");
  const Array<float, 1> y{-3, 5, 40};
  CHECK(to_string(select(y < 0, -y, y > 10, 10.f, y)) == "[ 3.  5. 10.]");
}
// --8<-- [end:diagonals]

TEST_CASE("nonzero is what a walk over all elements finds, whatever the layout and the type") {
  Random random(50);
  INFO(random.how_to_repeat());
  const auto check = [&]<class T>(T) {
    for (const Arrangement kind : all_arrangements) {
      const Dim<3> shape{random.between(0, 5), random.between(0, 6), random.between(1, 40)};
      const auto x = random_array<T>(shape, kind, random);
      std::vector<std::array<std::ptrdiff_t, 4>> expected;  // with room for an axis more
      for_each_position(shape, [&](const auto& at) {
        if (element(x, at) != T(0)) expected.push_back(at);
      });
      const auto found = nonzero(x);
      const auto rows = argwhere(x);
      REQUIRE(rows.shape() == Dim<2>{static_cast<std::ptrdiff_t>(expected.size()), 3});
      for (std::ptrdiff_t i = 0; i < rows.shape()[0]; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          const auto at = expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)];
          CHECK(found[static_cast<std::size_t>(axis)](i) == at);
          CHECK(rows(i, axis) == at);
        }
      }
      CHECK(same(where(x != T(0))[2], found[2]));
    }
  };
  check(float{});
  check(std::int8_t{});
  check(bool{});
}

TEST_CASE("along any axis of any layout: taking, and writing what was taken") {
  Random random(51);
  INFO(random.how_to_repeat());
  const auto check = [&]<int Axis>(std::integral_constant<int, Axis>) {
    for (const Arrangement kind : target_arrangements) {
      const Dim<3> shape{random.between(1, 5), random.between(1, 6), random.between(1, 7)};
      Array<int, 3> x = storage_like<int>(shape, kind, 0, random, false);
      x(ellipsis) = reshape(arange<int>(0, static_cast<int>(product(shape))), shape);
      const Dim<3> indexed = shape.with(Axis, random.between(0, 5));
      const Array<std::int64_t, 3> indices(indexed);
      for_each_position(indexed,
                        [&](const auto& at) { element(indices, at) = random.between(-shape[Axis], shape[Axis] - 1); });
      Array<int, 3> expected(indexed);
      const auto source = [&](auto at) {
        auto& along = at[static_cast<std::size_t>(Axis)];
        along = element(indices, at);
        if (along < 0) along += shape[Axis];
        return at;
      };
      for_each_position(indexed, [&](const auto& at) { element(expected, at) = element(x, source(at)); });
      CHECK(same(evaluate(take_along_axis<Axis>(x, indices)), expected));
      CHECK(same(evaluate(take_along_axis<Axis - 3>(x, indices)), expected));
      const Array<int, 3> written = x.clone();
      put_along_axis<Axis>(x, indices, -1 - expected);
      for_each_position(indexed, [&](const auto& at) { element(written, source(at)) = -1 - element(expected, at); });
      CHECK(same(x, written));
    }
  };
  check(std::integral_constant<int, 0>());
  check(std::integral_constant<int, 1>());
  check(std::integral_constant<int, 2>());
}

TEST_CASE("diagonals of every offset, of batches and of expressions") {
  const Array<int, 3> x = reshape(arange<int>(2 * 3 * 4), Dim{2, 3, 4});
  for (std::ptrdiff_t offset = -5; offset <= 6; ++offset) {
    INFO(offset);
    const Array<int, 2> found = diagonal(x, offset);
    const Array<int, 3> lower = tril(x, offset), upper = triu(x, offset);
    std::ptrdiff_t count = 0;
    for (std::ptrdiff_t i = 0; i < 3; ++i) {
      for (std::ptrdiff_t j = 0; j < 4; ++j) {
        CHECK(lower(1, i, j) == (j <= i + offset ? x(1, i, j) : 0));
        CHECK(upper(1, i, j) == (j >= i + offset ? x(1, i, j) : 0));
        if (j == i + offset) CHECK(found(1, count++) == x(1, i, j));
      }
    }
    CHECK(found.shape() == Dim<2>{2, count});
    CHECK(same(evaluate(diagonal(x + 1, offset)), evaluate(found + 1)));
  }
  CHECK(same(evaluate(tril(x, PTRDIFF_MAX)), x));
  CHECK(same(evaluate(triu(x, PTRDIFF_MIN)), x));
  CHECK(diagonal(x, PTRDIFF_MIN).shape() == Dim<2>{2, 0});
  CHECK(diagonal(x, PTRDIFF_MAX).shape() == Dim<2>{2, 0});
}

TEST_CASE("what index functions refuse") {
  CHECK(message_of<IndexError>([] {
          static_cast<void>(unravel_index(Array<int, 1>{1, 6}, Dim{2, 3}));
        }).starts_with("unravel_index: position 6 is outside the shape (2, 3), which has 6 elements"));
  CHECK_THROWS_AS(static_cast<void>(unravel_index(Array<int, 1>{-1}, Dim{2, 3})), IndexError);
  Array<float, 2> x = ones<float>(Dim{2, 3});
  CHECK_THROWS_AS(static_cast<void>(evaluate(take_along_axis<1>(x, Array<int, 2>{{0, 3}}))), IndexError);
  CHECK_THROWS_AS(put_along_axis<1>(x, make_array<int>({{3}, {0}}), 0.f), IndexError);
  CHECK_THROWS_AS(scatter_add(x, Array<int, 1>{2}, 1.f), IndexError);
  CHECK_THROWS_AS(scatter_add(x, Array<int, 1>{0, 1}, ones<float>(Dim{3, 3})), ShapeError);
  CHECK(same(x, ones<float>(Dim{2, 3})));
}

TEST_CASE("grids and positions of every shape") {
  const Array<std::int64_t, 3> grid = indices(Dim{2, 3});
  CHECK(to_string(grid) == "[[[0 0 0]\n  [1 1 1]]\n\n [[0 1 2]\n  [0 1 2]]]");
  const auto [a, b, c] = meshgrid<GridOrder::ij>(arange<int>(2), arange<int>(3), arange<int>(4));
  CHECK(a.shape() == Dim{2, 3, 4});
  CHECK((b(1, 2, 3) == 2 && c(1, 2, 3) == 3 && a(1, 2, 3) == 1));
  const auto [d, e, f] = meshgrid(arange<int>(2), arange<int>(3), arange<int>(4));
  CHECK(d.shape() == Dim{3, 2, 4});
  CHECK((d(2, 1, 3) == 1 && e(2, 1, 3) == 2 && f(2, 1, 3) == 3));
  CHECK(indices(Dim{0}).shape() == Dim{1, 0});
}
