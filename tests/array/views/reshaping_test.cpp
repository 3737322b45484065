// Tests of functions that give the same elements another shape.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "support.hpp"
import tessera;

using namespace tessera;

// --8<-- [start:shapes]
TEST_CASE("reshape, transpose and broadcast_to look at the same storage") {
  const auto a = arange(0, 6);
  auto matrix = reshape(a, 2, -1);
  CHECK(matrix.shape() == Dim{2, 3});
  matrix[{0, 0}] = 9;
  CHECK(a[0] == 9);
  CHECK(matrix.T().data() == a.data());
  CHECK(broadcast_to(matrix, Dim{4, 2, 3}).data() == a.data());
  CHECK(flatten(matrix).data() == a.data());
}

TEST_CASE("a reshape that strides cannot express is a copy") {
  const auto a = reshape(arange(0, 6), 2, 3);
  const auto columns = flatten(a.T());
  CHECK(to_string(columns) == "[0 3 1 4 2 5]");
  CHECK(columns.data() != a.data());
}
// --8<-- [end:shapes]

TEST_CASE("reshape is a view wherever strides allow one") {
  const auto a = reshape(arange(0, 24), 4, 6);
  const auto is_view = [](const auto& from, const auto& to) { return from.data() == to.data(); };
  CHECK(is_view(a, reshape(a, Dim{2, 2, 3, 2})));
  const auto every_other = arange(0, 24)(range(none, none, 2));
  CHECK(is_view(every_other, reshape(every_other, 3, 4)));
  const auto backwards = arange(0, 24)(range(none, none, -1));
  CHECK(is_view(backwards, reshape(backwards, 4, 6)));
  const auto left_half = a(all, range(0, 3));
  CHECK(is_view(left_half, reshape(left_half, 2, 2, 3)));
  CHECK_FALSE(is_view(left_half, reshape(left_half, 12)));
  const auto repeated = broadcast_to(make_array({5}), Dim{4, 6});
  CHECK(is_view(repeated, reshape(repeated, 24)));
  const auto split = a.T();
  CHECK(is_view(split, reshape(split, 2, 3, 4)));
  CHECK_FALSE(is_view(split, reshape(split, 24)));
  CHECK(is_view(split, reshape(split, 1, 6, 1, 4, 1)));
}

TEST_CASE("one extent of a reshape may be -1") {
  const auto a = arange(0, 12);
  CHECK(reshape(a, -1).shape() == Dim<1>{12});
  CHECK(reshape(a, 3, -1, 2).shape() == Dim{3, 2, 2});
  CHECK(reshape(a, 12u, -1).shape() == Dim{12, 1});
  CHECK(reshape(Array<int, 2>(Dim{0, 3}), 5, -1).shape() == Dim{5, 0});
  CHECK(reshape(zeros<int>(Dim<0>{}), -1).shape() == Dim<1>{1});
  CHECK(reshape(arange(7, 8), Dim<0>{})[{}] == 7);
}

TEST_CASE("a reshape that changes the element count throws with both shapes, both counts and the line") {
  const auto a = reshape(arange(0, 6), 2, 3);
  const std::string line = std::to_string(std::source_location::current().line() + 1);
  const auto wrong = [&] { return reshape(a, Dim{4, 2}); };
  const std::string message =
      "reshape: (2, 3) has 6 elements, (4, 2) has 8; a new shape keeps the number of elements; called at "
      "reshaping_test.cpp:" +
      line;
  CHECK_THROWS_WITH_AS(wrong(), message.c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(reshape(a, 4, 2),
                       "reshape: (2, 3) has 6 elements, (4, 2) has 8; a new shape keeps the number of elements",
                       ShapeError);
  CHECK_THROWS_AS(reshape(a, Dim{0, 6}), ShapeError);
}

TEST_CASE("a reshape with two open extents, or none that fits, throws with the extents") {
  const auto a = arange(0, 6);
  CHECK_THROWS_WITH_AS(reshape(a, -1, 2, -1), "reshape: (-1, 2, -1) leaves 2 extents open; use -1 once", ShapeError);
  CHECK_THROWS_WITH_AS(reshape(a, 4, -1), "reshape: no extent in the place of -1 makes (4, -1) hold 6 elements",
                       ShapeError);
  CHECK_THROWS_AS(reshape(a, 0, -1), ShapeError);
  CHECK_THROWS_AS(reshape(Array<int, 1>(Dim<1>{0}), 0, -1), ShapeError);
  CHECK_THROWS_WITH_AS(reshape(a, -2, -3), doctest::Contains("extent -2"), ShapeError);
  CHECK_THROWS_AS(reshape(a, INT64_MAX, 2, -1), ShapeError);
  CHECK_THROWS_AS(reshape(a, INT64_MAX, INT64_MAX), ShapeError);
}

TEST_CASE("transpose orders the axes as it is told") {
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  const auto b = transpose(a, {2, 0, 1});
  CHECK(b.shape() == Dim{4, 2, 3});
  CHECK(b[{3, 1, 0}] == a[{1, 0, 3}]);
  CHECK(b.data() == a.data());
  CHECK(transpose(a, {-1, -2, -3}).shape() == Dim{4, 3, 2});
  CHECK(transpose(a).strides() == a.T().strides());
}

TEST_CASE("axes that are no permutation throw") {
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  CHECK_THROWS_WITH_AS(transpose(a, {0, 1, 1}),
                       "transpose: axis 1 is named twice; the shape is (2, 3, 4); name each axis once", IndexError);
  CHECK_THROWS_WITH_AS(transpose(a, {0, 1, 3}), "transpose: axis 3 is out of range for rank 3", IndexError);
  CHECK_THROWS_AS(transpose(a, {0, -3, 1}), IndexError);
}

TEST_CASE("squeeze drops axes of extent 1") {
  const auto a = reshape(arange(0, 6), 1, 2, 1, 3);
  CHECK(squeeze<0>(a).shape() == Dim{2, 1, 3});
  CHECK(squeeze<0, 2>(a).shape() == Dim{2, 3});
  CHECK(squeeze<-2, 0>(a).shape() == Dim{2, 3});
  CHECK(described(squeeze<2>(a(all, range(none, none, -1)))) == "(1, 2, 3) 3 4 5 0 1 2");
  CHECK(squeeze<0>(a).data() == a.data());
}

TEST_CASE("squeeze of another axis throws with its extent") {
  const auto a = reshape(arange(0, 6), 1, 2, 1, 3);
  CHECK_THROWS_WITH_AS(
      squeeze<1>(a), "squeeze: axis 1 of (1, 2, 1, 3) has extent 2; only axes of extent 1 can be dropped", ShapeError);
}

TEST_CASE("broadcast_to repeats elements without copying them") {
  auto column = reshape(arange(0, 2), 2, 1);
  const auto wide = broadcast_to(column, Dim{2, 2, 3});
  CHECK(described(wide) == "(2, 2, 3) 0 0 0 1 1 1 0 0 0 1 1 1");
  column[{0, 0}] = 5;
  CHECK(wide[{1, 0, 2}] == 5);
  CHECK(broadcast_to(column, Dim{2, 0}).size() == 0);
  CHECK_THROWS_WITH_AS(broadcast_to(column, Dim{3, 4}),
                       doctest::Contains("the shape (2, 1) does not broadcast to (3, 4): axis 0 has extents 2 and 3"),
                       ShapeError);
}

TEST_CASE("views are transposed, squeezed and broadcast as arrays are") {
  int memory[] = {1, 2, 3};
  const auto view = make_view(memory, Dim{1, 3});
  CHECK(described(transpose(view, {1, 0})) == "(3, 1) 1 2 3");
  CHECK(described(squeeze<0>(view)) == "(3,) 1 2 3");
  CHECK(described(broadcast_to(view, Dim{2, 3})) == "(2, 3) 1 2 3 1 2 3");
  CHECK(described(slice(view, {0, 1}, {1, 3})) == "(1, 2) 2 3");
}

namespace {

template <int Rank>
Dim<Rank> as_dim(const std::vector<std::ptrdiff_t>& extents) {
  return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    return Dim<Rank>{extents[Axis]...};
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
}

/// A shape of Rank axes with `count` elements.
template <int Rank>
std::vector<std::ptrdiff_t> random_factors(Chance& chance, std::ptrdiff_t count) {
  std::vector<std::ptrdiff_t> shape(static_cast<std::size_t>(Rank), 1);
  for (std::ptrdiff_t prime = 2; count > 1; ++prime) {
    for (; count % prime == 0; count /= prime) shape[static_cast<std::size_t>(chance.between(0, Rank - 1))] *= prime;
  }
  return shape;
}

/// An array of random shape, in random order of axes, with some axes cut, turned around or repeated; and its model.
template <int Rank>
std::pair<Array<int, Rank>, Model> random_view(Chance& chance) {
  Model model = Model::counting(random_shape(chance, Rank, 1, 4));
  Array<int, Rank> array(as_dim<Rank>(model.shape));
  std::copy(model.elements.begin(), model.elements.end(), array.data());
  const std::vector<int> axes = random_axes(chance, Rank);
  std::array<int, static_cast<std::size_t>(Rank)> order;
  std::copy(axes.begin(), axes.end(), order.begin());
  if (chance.one_in(2)) {
    array = transpose(array, order);
    model = model.transposed(axes);
  }
  if (chance.one_in(2)) {
    const std::ptrdiff_t step = chance.between(0, 1) * 2 - 1;
    array = array(range(none, none, step), ellipsis);
    model = model.picked(0, selected_positions(model.shape[0], std::nullopt, std::nullopt, step));
    array = array(ellipsis, range(0, 3));
    model = model.picked(Rank - 1, selected_positions(model.shape[Rank - 1], 0, 3, 1));
  }
  if (chance.one_in(3)) {
    std::vector<std::ptrdiff_t> wide = model.shape;
    for (std::ptrdiff_t& extent : wide) extent = extent == 1 ? chance.between(1, 3) : extent;
    array = broadcast_to(array, as_dim<Rank>(wide));
    model = model.broadcasted(wide);
  }
  return {array, model};
}

template <int Rank, int To>
void reshape_both(Chance& chance) {
  const auto [array, model] = random_view<Rank>(chance);
  check_same(array, model);
  const std::vector<std::ptrdiff_t> shape = random_factors<To>(chance, array.size());
  INFO("from " << array.shape() << " by strides " << joined(array.strides()) << " to " << joined(shape));
  const auto reshaped = reshape(array, as_dim<To>(shape));
  check_same(reshaped, Model{shape, model.elements});
  // A copy is row-major; a view would be possible if the strides of the new shape led to the same elements.
  const bool copied = reshaped.data() != array.data();
  if (copied) CHECK(reshaped.is_contiguous());
  if (array.is_contiguous()) CHECK_FALSE(copied);
  check_same(flatten(array), Model{{array.size()}, model.elements});
}

}  // namespace

TEST_CASE("random views reshape to what a model of them says") {
  for_each_seed(600, [](Chance chance) { reshape_both<1, 3>(chance); });
  for_each_seed(600, [](Chance chance) { reshape_both<2, 1>(chance); });
  for_each_seed(600, [](Chance chance) { reshape_both<3, 2>(chance); });
  for_each_seed(600, [](Chance chance) { reshape_both<4, 4>(chance); });
}

TEST_CASE("random broadcasts with new axes agree with a model of them") {
  for_each_seed(600, [](Chance chance) {
    const auto [array, model] = random_view<2>(chance);
    std::vector<std::ptrdiff_t> wide = random_shape(chance, 4, 0, 3);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if (model.shape[axis] != 1) wide[axis + 2] = model.shape[axis];
    }
    check_same(broadcast_to(array, as_dim<4>(wide)), model.broadcasted(wide));
  });
}
