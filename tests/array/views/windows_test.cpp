// Tests of sliding windows: views in which every element appears once for each window that holds it.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model.hpp"
#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

template <class Action>
std::string shape_error(const Action& action) {
  try {
    action();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("windows share the storage of what they slide over") {
  // --8<-- [start:windows]
  const auto a = arange(0.0f, 6.0f);
  const auto windows = sliding_window(a, Dim{3});  // nothing is copied: row i starts at element i
  CHECK(windows.shape() == Dim{4, 3});
  CHECK(windows.data() == a.data());
  const Array<float, 1> means = mean<1>(windows);  // a moving average
  CHECK(to_string(means) == "[1. 2. 3. 4.]");
  const auto images = zeros<float>(Dim{8, 32, 64});
  CHECK(sliding_window<1, 2>(images, {3, 5}).shape() == Dim{8, 30, 60, 3, 5});
  // --8<-- [end:windows]
}

TEST_CASE("windows of random arrays agree with a model, along chosen axes and all of them") {
  Chance chance(7311);
  for (int trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    const std::ptrdiff_t rows = chance.between(1, 6);
    const std::ptrdiff_t columns = chance.between(1, 6);
    const std::ptrdiff_t high = chance.between(1, rows);
    const std::ptrdiff_t wide = chance.between(1, columns);
    const Model model = Model::counting({rows, columns});
    auto a = reshape(arange(0, static_cast<int>(rows * columns)), Dim{rows, columns});
    if (chance.one_in(2)) a = flip(flip(a).clone());  // negative strides, the same elements
    const Model both = model.gathered(
        {rows - high + 1, columns - wide + 1, high, wide},
        [](const std::vector<std::ptrdiff_t>& i) { return std::vector<std::ptrdiff_t>{i[0] + i[2], i[1] + i[3]}; });
    CHECK(joined(elements_of(sliding_window(a, Dim{high, wide}))) == joined(both.elements));
    CHECK(sliding_window(a, Dim{high, wide}).shape() == Dim{rows - high + 1, columns - wide + 1, high, wide});
    const Model crossed = model.gathered(
        {rows - high + 1, columns - wide + 1, wide, high},
        [](const std::vector<std::ptrdiff_t>& i) { return std::vector<std::ptrdiff_t>{i[0] + i[3], i[1] + i[2]}; });
    CHECK(joined(elements_of(sliding_window<1, 0>(a, {wide, high}))) == joined(crossed.elements));
    const Model down = model.gathered({rows - high + 1, columns, high}, [](const std::vector<std::ptrdiff_t>& i) {
      return std::vector<std::ptrdiff_t>{i[0] + i[2], i[1]};
    });
    CHECK(joined(elements_of(sliding_window<-2>(make_view(a), {high}))) == joined(down.elements));
  }
}

TEST_CASE("windows over an empty axis beside the windowed one are empty") {
  CHECK(sliding_window<0>(zeros<float>(Dim{4, 0}), {2}).shape() == Dim{3, 0, 2});
}

TEST_CASE("a window that does not fit its axis is a ShapeError with both extents") {
  const auto a = reshape(arange(0, 6), 2, 3);
  const std::string text = "a window of 4 elements does not fit axis 1 of (2, 3), which has 3";
  CHECK_MESSAGE(shape_error([&] { sliding_window<1>(a, {4}); }).find(text) != std::string::npos,
                shape_error([&] { sliding_window<1>(a, {4}); }));
  CHECK(shape_error([&] { sliding_window(a, Dim{0, 1}); }).find("a window of 0 elements does not fit axis 0") !=
        std::string::npos);
  CHECK(shape_error([&] { sliding_window<0>(zeros<float>(Dim{0, 2}), {1}); }).find("which has 0") != std::string::npos);
}
