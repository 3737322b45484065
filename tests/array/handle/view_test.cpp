// Tests of views, which borrow their memory.
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

// --8<-- [start:views]
TEST_CASE("a view gives memory a shape, without owning it") {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const auto view = make_view(memory.data(), Dim{2, 3});
  CHECK(view[{1, 0}] == 4.0f);
  view(all, 0) = 9;
  CHECK(joined(memory) == "9 2 3 9 5 6");
}
// --8<-- [end:views]

TEST_CASE("a view of an array shares its elements, layout and place") {
  const auto a = reshape(arange(0, 6), 2, 3).T();
  const auto view = make_view(a);
  static_assert(std::same_as<decltype(view), const ArrayView<const int, 2, Place>>);
  CHECK(view.shape() == Dim{3, 2});
  CHECK(view.strides() == a.strides());
  CHECK(view.place() == a.place());
  CHECK(described(view) == described(a));
  CHECK(a.buffer()->names() == 1);
}

TEST_CASE("assigning to a view writes elements") {
  int first[] = {1, 2}, second[] = {3, 4};
  auto to = make_view(first, Dim<1>{2});
  const auto from = make_view(second, Dim<1>{2});
  to = from;
  CHECK(joined(first) == "3 4");
  to = 7;
  CHECK(joined(first) == "7 7");
  CHECK(to.data() == first);
  to += from;
  CHECK(joined(first) == "10 11");
  to -= 1;
  CHECK(joined(first) == "9 10");
  to *= from;
  CHECK(joined(first) == "27 40");
  to /= 3;
  CHECK(joined(first) == "9 13");
}

TEST_CASE("a view's shape does not change on assignment") {
  int memory[] = {1, 2}, three[] = {3, 4, 5};
  const auto view = make_view(memory, Dim<1>{2});
  CHECK_THROWS_AS(view = make_view(three, Dim<1>{3}), ShapeError);
  CHECK(joined(memory) == "1 2");
}

TEST_CASE("views are operands of expressions") {
  double memory[] = {1, 2, 3};
  const auto view = make_view(memory, Dim<1>{3});
  const Array<double, 1> doubled = view * 2;
  CHECK(joined(doubled) == "2 4 6");
}

TEST_CASE("copying a view copies the handle") {
  int memory[] = {1, 2};
  const auto view = make_view(memory, Dim<1>{2});
  const auto same = view;
  same[0] = 5;
  CHECK(view[0] == 5);
}

// --8<-- [start:make_iterator]
TEST_CASE("make_iterator starts at the first element") {
  int memory[] = {1, 2, 3, 4};
  static_assert(std::same_as<decltype(make_iterator(memory, Dim{2, 2})), ViewIterator<int, 2>>);
  auto it = make_iterator(memory, Dim{2, 2});
  CHECK(*it == 1);
  CHECK(it[3] == 4);
  const auto a = reshape(arange(0, 6), 2, 3);
  CHECK(make_iterator(a) == a.begin());
  CHECK(make_iterator(a.T())[1] == 3);
  CHECK(*make_iterator(make_view(a)) == 0);
  CHECK(*make_iterator(a, {1, 0}) == a(1, 0));  // from an element on
}
// --8<-- [end:make_iterator]

TEST_CASE("a view too large to count throws") {
  int memory[1];
  const auto make = [&] { return make_view(memory, Dim{INT64_MAX, 3}); };
  CHECK_THROWS_AS(make(), ShapeError);
}

TEST_CASE("a view knows whether its elements lie without gaps") {
  int memory[6] = {};
  const auto view = make_view(memory, Dim{2, 3});
  CHECK(view.is_contiguous());
  CHECK_FALSE(view.T().is_contiguous());
  CHECK(view(0).is_contiguous());
  CHECK_FALSE(view(all, 0).is_contiguous());
  CHECK(view.size() == 6);
}
