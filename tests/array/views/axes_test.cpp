// Tests of views with other axes: flip, moveaxis, swapaxes, matrix_transpose, expand_dims.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::ptrdiff_t> backwards(std::ptrdiff_t extent) {
  std::vector<std::ptrdiff_t> kept;
  for (std::ptrdiff_t i = extent; i-- > 0;) kept.push_back(i);
  return kept;
}

std::string described(const Model& model) {
  std::string shape = "(";
  for (std::size_t axis = 0; axis < model.shape.size(); ++axis)
    shape += (axis > 0 ? ", " : "") + std::to_string(model.shape[axis]);
  return shape + (model.shape.size() == 1 ? ",) " : ") ") + joined(model.elements);
}

}  // namespace

TEST_CASE("flip, moveaxis and expand_dims look at the same storage") {
  // --8<-- [start:axes]
  auto a = reshape(arange(0, 6), 2, 3);                   // [[0 1 2] [3 4 5]]
  CHECK(to_string(flip<1>(a)) == "[[2 1 0]\n [5 4 3]]");  // views: the elements stay where they are
  CHECK(to_string(flip(a)) == "[[5 4 3]\n [2 1 0]]");
  const Array<float, 4> images = zeros<float>(Dim{8, 3, 32, 64});
  CHECK(moveaxis(images, 1, -1).shape() == Dim{8, 32, 64, 3});
  CHECK(moveaxis(images, {2, 3}, {0, 1}).shape() == Dim{32, 64, 8, 3});
  CHECK(swapaxes(images, 0, -1).shape() == Dim{64, 3, 32, 8});
  CHECK(matrix_transpose(images).shape() == Dim{8, 3, 64, 32});
  CHECK(expand_dims<0, -1>(a).shape() == Dim{1, 2, 3, 1});
  flip<1>(a)[{0, 0}] = 9;
  CHECK(a[{0, 2}] == 9);
  // --8<-- [end:axes]
  CHECK(moveaxis(images, 1, -1).data() == images.data());
  CHECK(flip(flip(a)).data() == a.data());
}

TEST_CASE("flip agrees with a model, for arrays and views, along every set of axes") {
  const Model model = Model::counting({2, 3, 4});
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  CHECK(described(flip<0>(a)) == described(model.picked(0, backwards(2))));
  CHECK(described(flip<-2>(a)) == described(model.picked(1, backwards(3))));
  CHECK(described(flip<2, 0>(a)) == described(model.picked(2, backwards(4)).picked(0, backwards(2))));
  CHECK(described(flip(a)) == described(model.picked(0, backwards(2)).picked(1, backwards(3)).picked(2, backwards(4))));
  CHECK(described(flip(make_view(a))) == described(flip(a)));
  CHECK(described(flip<0>(a(all, range(none, none, -2), 1))) == described(flip<0>(a)(all, range(none, none, -2), 1)));
  const auto scalar = a(0, 0, 0, ellipsis);
  CHECK(flip(scalar).data() == scalar.data());
}

TEST_CASE("flip of arrays with a zero extent, with and without storage") {
  CHECK(flip(Array<float, 2>()).shape() == Dim{0, 0});
  CHECK(flip(zeros<float>(Dim{3, 0, 2})).shape() == Dim{3, 0, 2});
  CHECK(flip<0>(arange(0, 1)).data() != nullptr);
}

TEST_CASE("moveaxis agrees with a model that moves one axis after the other") {
  Chance chance(7301);
  const Model model = Model::counting({2, 3, 1, 4});
  const auto a = reshape(arange(0, 24), 2, 3, 1, 4);
  for (int from = -4; from < 4; ++from) {
    for (int to = -4; to < 4; ++to) {
      CAPTURE(from);
      CAPTURE(to);
      std::vector<int> order{0, 1, 2, 3};
      const int source = (from + 4) % 4;
      order.erase(order.begin() + source);
      order.insert(order.begin() + (to + 4) % 4, source);
      CHECK(described(moveaxis(a, from, to)) == described(model.transposed(order)));
    }
  }
  for (int trial = 0; trial < 50; ++trial) {
    const int one = static_cast<int>(chance.between(0, 3));
    const int other = static_cast<int>((one + chance.between(1, 3)) % 4);
    const int to_one = static_cast<int>(chance.between(0, 3));
    const int to_other = static_cast<int>((to_one + chance.between(1, 3)) % 4);
    CAPTURE(trial);
    std::vector<int> rest;
    for (int axis = 0; axis < 4; ++axis) {
      if (axis != one && axis != other) rest.push_back(axis);
    }
    std::vector<int> order;
    for (int axis = 0, next = 0; axis < 4; ++axis)
      order.push_back(axis == to_one ? one : axis == to_other ? other : rest[static_cast<std::size_t>(next++)]);
    CHECK(described(moveaxis(a, {one, other}, {to_one - 4, to_other})) == described(model.transposed(order)));
  }
}

TEST_CASE("swapaxes and matrix_transpose exchange two axes") {
  const Model model = Model::counting({2, 3, 4});
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  CHECK(described(swapaxes(a, 0, -1)) == described(model.transposed({2, 1, 0})));
  CHECK(described(swapaxes(a, 1, 1)) == described(model));
  CHECK(described(matrix_transpose(a)) == described(model.transposed({0, 2, 1})));
  CHECK(described(matrix_transpose(make_view(a))) == described(model.transposed({0, 2, 1})));
}

TEST_CASE("expand_dims adds axes at positions of the result") {
  const auto a = reshape(arange(0, 6), 2, 3);
  CHECK(described(expand_dims<0>(a)) == "(1, 2, 3) 0 1 2 3 4 5");
  CHECK(described(expand_dims<-1>(a.T())) == "(3, 2, 1) 0 3 1 4 2 5");
  CHECK(described(expand_dims<1, 3>(a)) == "(2, 1, 3, 1) 0 1 2 3 4 5");
  CHECK(described(expand_dims<0, 1>(a(1, 2, ellipsis))) == "(1, 1) 5");
  CHECK(described(squeeze<0, 3>(expand_dims<0, -1>(a))) == described(a));
}

TEST_CASE("axes that do not exist or are named twice are an IndexError with their values") {
  const auto a = reshape(arange(0, 6), 2, 3);
  CHECK(contains(message_of<IndexError>([&] { moveaxis(a, 2, 0); }), "moveaxis: axis 2 is out of range for rank 2"));
  CHECK(contains(message_of<IndexError>([&] { moveaxis(a, 0, -3); }), "moveaxis: axis -3 is out of range for rank 2"));
  CHECK(contains(message_of<IndexError>([&] { moveaxis(a, {0, -2}, {0, 1}); }), "moveaxis: axis 0 is moved twice"));
  CHECK(contains(message_of<IndexError>([&] { moveaxis(a, {0, 1}, {1, -1}); }),
                 "moveaxis: two axes are moved to position 1"));
  CHECK(contains(message_of<IndexError>([&] { swapaxes(a, 0, 2); }), "swapaxes: axis 2 is out of range for rank 2"));
}

TEST_CASE("flip takes an axis that is known at run time") {
  const auto a = reshape(arange(0, 6), 2, 3);
  for (int axis : {0, 1, -1, -2}) CHECK(array_equal(flip(a, axis), axis == 1 || axis == -1 ? flip<1>(a) : flip<0>(a)));
  CHECK(flip(a, 1).data() == a.data() + 2);
  CHECK_THROWS_AS(flip(a, 2), IndexError);
}
