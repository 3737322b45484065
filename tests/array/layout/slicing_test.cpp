// Tests of slices: NumPy's basic indexing.
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model.hpp"
#include "numpy_slices.hpp"
#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

Array<int, 1> counting(std::ptrdiff_t count) { return arange(0, static_cast<int>(count)); }

template <class... I>
concept MayIndexMatrix = requires(const Array<int, 2>& a, I... indexers) { a(indexers...); };

}  // namespace

static_assert(Indexer<int> && Indexer<std::size_t> && Indexer<std::int8_t> && Indexer<Range>);
static_assert(!Indexer<double> && !Indexer<const char*> && !Indexer<std::vector<int>>);
static_assert(MayIndexMatrix<int> && MayIndexMatrix<int, int> && MayIndexMatrix<Range, int> &&
              !MayIndexMatrix<int, int, int>);
static_assert(!MayIndexMatrix<double> && !MayIndexMatrix<>);
static_assert(std::same_as<decltype(std::declval<Array<int, 3>>()(0, all)), Array<int, 2>>);
static_assert(std::same_as<decltype(std::declval<Array<int, 3>>()(newaxis, 0, ellipsis, 1)), Array<int, 2>>);
static_assert(std::same_as<decltype(std::declval<Array<int, 1, CpuPlace>>()(0)), int&>);
static_assert(std::same_as<decltype(std::declval<Array<int, 1, CpuPlace>>()(0, ellipsis)), Array<int, 0, CpuPlace>>);

TEST_CASE("slices of one axis select what NumPy's select") {
  for (const NumpySlice& numpy : numpy_slices) {
    const Array<int, 1> selected = counting(numpy.extent)(Range{numpy.start, numpy.stop, numpy.step});
    const auto shown = [](std::optional<std::ptrdiff_t> bound) { return bound ? std::to_string(*bound) : ""; };
    INFO("arange(" << numpy.extent << ")[" << shown(numpy.start) << ':' << shown(numpy.stop) << ':' << numpy.step
                   << ']');
    CHECK(joined(elements_of(selected)) == numpy.selected);
  }
}

TEST_CASE("several indexers select what NumPy's select") {
  struct Case {
    std::string_view index;
    std::string ours, numpy;
  };
  const Array<int, 1> v = counting(5);
  const Array<int, 2> m = reshape(counting(12), 3, 4);
  const Array<int, 3> c = reshape(counting(24), 2, 3, 4);
  const Array<int, 4> h = reshape(counting(24), 2, 3, 1, 4);
  const Case cases[] = {
#include "numpy_indexing.inc"
  };
  for (const Case& one : cases) {
    INFO(one.index);
    CHECK(one.ours == one.numpy);
  }
}

// --8<-- [start:slices]
TEST_CASE("integers drop an axis, ranges keep it, newaxis adds one, an ellipsis stands for the rest") {
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  CHECK(a(1).shape() == Dim{3, 4});
  CHECK(a(1, all, range(0, 4, 2)).shape() == Dim{3, 2});
  CHECK(a(ellipsis, -1).shape() == Dim{2, 3});
  CHECK(a(0, newaxis, ellipsis).shape() == Dim{1, 3, 4});
  CHECK(to_string(a(0, 0, range(none, none, -1))) == "[3 2 1 0]");
}

TEST_CASE("a slice shares the storage of its array") {
  Array<float, 2> a = zeros<float>(Dim{2, 3});
  auto column = a(all, 1);
  column[{0}] = 7;
  CHECK(a[{0, 1}] == 7.0f);
  a[{1, 1}] = 8;
  CHECK(column[{1}] == 8.0f);
}
// --8<-- [end:slices]

TEST_CASE("a slice with a negative step starts at its last element") {
  const Array<int, 1> back = counting(5)(range(none, none, -1));
  CHECK(back.data()[0] == 4);
  CHECK(back.strides()[0] == -1);
  CHECK(described(back(range(1, 4))) == "(3,) 3 2 1");
}

TEST_CASE("the bounds of a range may be none") {
  const Array<int, 1> a = counting(5);
  CHECK(described(a(range(none))) == "(5,) 0 1 2 3 4");
  CHECK(described(a(range(3))) == "(3,) 0 1 2");
  CHECK(described(a(range(3, none))) == "(2,) 3 4");
  CHECK(described(a(range(none, -2))) == "(3,) 0 1 2");
  CHECK(described(a(range(none, none, -2))) == "(3,) 4 2 0");
}

TEST_CASE("unsigned bounds beyond every array are large, not negative") {
  const Array<int, 1> a = counting(5);
  CHECK(described(a(range(1u, SIZE_MAX))) == "(4,) 1 2 3 4");
  CHECK(described(a(range(0, 5, SIZE_MAX))) == "(1,) 0");
  CHECK_THROWS_AS(a(SIZE_MAX), IndexError);
}

TEST_CASE("slice takes start, stop and step of every axis") {
  const Array<int, 2> a = reshape(counting(12), 3, 4);
  CHECK(described(slice(a, {0, 1}, {3, 4}, {2, 2})) == "(2, 2) 1 3 9 11");
  CHECK(described(slice(a, {1, -2}, {3, 4})) == "(2, 2) 6 7 10 11");
  CHECK(described(slice(counting(5), 1, 3)) == "(2,) 1 2");
  CHECK(described(slice(a, {2, 3}, {0, 0}, {-1, -2})) == "(2, 2) 11 9 7 5");
  CHECK(slice(a, {0, 0}, {3, 4}).data() == a.data());
}

TEST_CASE("empty arrays can be sliced") {
  const Array<int, 2> a(Dim{0, 3});
  CHECK(a(range(5, 9)).shape() == Dim{0, 3});
  CHECK(a(range(none, none, -1), 1).shape() == Dim<1>{0});
  CHECK(a(ellipsis, newaxis).shape() == Dim{0, 3, 1});
  CHECK_THROWS_WITH_AS(a(0), "slice: index 0 is out of range for axis 0 with extent 0", IndexError);
}

TEST_CASE("an empty slice of an empty slice stays inside the storage") {
  const Array<int, 1> a = counting(4);
  const Array<int, 1> nothing = a(range(9, none));
  CHECK(nothing.size() == 0);
  CHECK(nothing.data() == a.data());
  CHECK(nothing(range(none, none, -1)).size() == 0);
}

TEST_CASE("an index outside its axis throws with index, axis and extent") {
  const Array<int, 3> a(Dim{2, 3, 4});
  CHECK_THROWS_WITH_AS(a(all, 3), "slice: index 3 is out of range for axis 1 with extent 3", IndexError);
  CHECK_THROWS_WITH_AS(a(ellipsis, -5), "slice: index -5 is out of range for axis 2 with extent 4", IndexError);
  CHECK_THROWS_AS(a(PTRDIFF_MIN), IndexError);
  CHECK_THROWS_AS(a(PTRDIFF_MAX), IndexError);
  CHECK(a(-2, -3, -4, ellipsis).shape() == Dim<0>{});
}

TEST_CASE("a step of 0 throws with its axis and what to do") {
  const Array<int, 2> a(Dim{2, 3});
  CHECK_THROWS_WITH_AS(a(all, range(none, none, 0)),
                       "slice: the step of axis 1 is 0; a step is at least 1, or at most -1 to go backwards",
                       IndexError);
  CHECK_THROWS_AS(slice(a, {0, 0}, {1, 1}, {0, 1}), IndexError);
  CHECK_THROWS_AS(counting(0)(range(0, 0, 0)), IndexError);
}

TEST_CASE("views are sliced as arrays are") {
  int memory[] = {0, 1, 2, 3, 4, 5};
  const auto view = make_view(memory, Dim{2, 3});
  static_assert(std::same_as<decltype(view(0)), ArrayView<int, 1>>);
  CHECK(described(view(range(none, none, -1), range(0, 3, 2))) == "(2, 2) 3 5 0 2");
  view(1, all) = 9;
  CHECK(joined(memory) == "0 1 2 9 9 9");
}

namespace {

struct RandomRange {
  std::optional<std::ptrdiff_t> start, stop;
  std::ptrdiff_t step;
};

RandomRange random_range(Chance& chance, std::ptrdiff_t extent) {
  const auto bound = [&]() -> std::optional<std::ptrdiff_t> {
    if (chance.one_in(3)) return std::nullopt;
    if (chance.one_in(12)) return chance.one_in(2) ? PTRDIFF_MIN : PTRDIFF_MAX;
    return chance.between(-extent - 2, extent + 2);
  };
  const auto step = [&]() -> std::ptrdiff_t {
    if (chance.one_in(20)) return chance.one_in(2) ? PTRDIFF_MIN : PTRDIFF_MAX;
    return chance.between(1, 3) * (chance.one_in(2) ? 1 : -1);
  };
  return {bound(), bound(), step()};
}

/// Slices every axis of both.
template <int Rank>
void slice_both(Chance& chance, Array<int, Rank>& array, Model& model) {
  std::array<Range, static_cast<std::size_t>(Rank)> ranges;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    const RandomRange range = random_range(chance, model.shape[axis]);
    ranges[axis] = {range.start, range.stop, range.step};
    model = model.picked(axis, selected_positions(model.shape[axis], range.start, range.stop, range.step));
  }
  array = std::apply([&](const auto&... range) { return array(range...); }, ranges);
}

template <int Rank>
void transpose_both(Chance& chance, Array<int, Rank>& array, Model& model) {
  const std::vector<int> axes = random_axes(chance, Rank);
  std::array<int, static_cast<std::size_t>(Rank)> chosen;
  std::copy(axes.begin(), axes.end(), chosen.begin());
  array = transpose(array, chosen);
  model = model.transposed(axes);
}

/// An index into the first and one into the last axis.
template <int Rank>
void index_both(Chance& chance, const Array<int, Rank>& array, const Model& model) {
  for (const std::size_t axis : {std::size_t{0}, static_cast<std::size_t>(Rank - 1)}) {
    const std::ptrdiff_t extent = model.shape[axis];
    if (extent == 0) continue;
    const std::ptrdiff_t index = chance.between(-extent, extent - 1);
    Model expected = model.picked(axis, {index < 0 ? index + extent : index});
    expected.shape.erase(expected.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    check_same(axis == 0 ? array(index, ellipsis) : array(ellipsis, index), expected);
  }
}

template <int Rank>
void compare_with_model(Chance chance) {
  Model model = Model::counting(random_shape(chance, Rank, 0, 5));
  Array<int, Rank> array(Dim<Rank>{});
  [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
    array = Array<int, Rank>(Dim<Rank>{model.shape[Axis]...});
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
  std::copy(model.elements.begin(), model.elements.end(), array.data());
  for (int step = 0; step < 3; ++step) {
    INFO("rank " << Rank << ", view " << step);
    chance.one_in(3) ? transpose_both(chance, array, model) : slice_both(chance, array, model);
    check_same(array, model);
    index_both(chance, array, model);
  }
}

}  // namespace

TEST_CASE("random slices of slices agree with a model that walks every index") {
  for_each_seed(2000, [](Chance chance) { compare_with_model<1>(chance); });
  for_each_seed(1500, [](Chance chance) { compare_with_model<2>(chance); });
  for_each_seed(1000, [](Chance chance) { compare_with_model<3>(chance); });
  for_each_seed(500, [](Chance chance) { compare_with_model<4>(chance); });
}
