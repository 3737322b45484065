// Tests of shapes whose rank is known at run time, and of the way from them to static ones.
#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <vector>
import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();

}  // namespace

static_assert(std::default_initializable<DDim> && std::equality_comparable<DDim> && std::convertible_to<Dim<3>, DDim>);

// --8<-- [start:ddim]
TEST_CASE("a dynamic shape becomes a static one by get, if the rank is known, or by visit") {
  const DDim shape = make_ddim({1, 2, 3});
  CHECK(shape.rank() == 3);
  CHECK(product(shape) == 6);

  const Dim<3> fixed = get<3>(shape);
  CHECK(fixed == Dim{1, 2, 3});

  const int rank = visit([](const auto& any) { return any.rank; }, shape);  // any is Dim<0>, ..., or Dim<9>
  CHECK(rank == 3);
}
// --8<-- [end:ddim]

TEST_CASE("a dynamic shape without extents is the shape of a scalar") {
  CHECK(DDim().rank() == 0);
  CHECK(product(DDim()) == 1);
  CHECK(DDim() == make_ddim({}));
  CHECK(get<0>(DDim()) == Dim<0>{});
  CHECK(to_string(DDim()) == "()");
}

TEST_CASE("dynamic shapes of every rank keep their extents, there and back") {
  std::vector<std::ptrdiff_t> extents;
  for (int rank = 0; rank <= max_rank; ++rank) {
    const DDim shape(extents);
    CAPTURE(shape);
    CHECK(shape.rank() == rank);
    const bool same = visit([&](const auto& fixed) { return fixed.rank == rank && DDim(fixed) == shape; }, shape);
    CHECK(same);
    for (int axis = 0; axis < rank; ++axis) CHECK(shape[axis] == axis + 2);
    extents.push_back(rank + 2);
  }
}

TEST_CASE("rank and extents both count when dynamic shapes are compared") {
  CHECK(make_ddim({2, 3}) == DDim(Dim{2, 3}));
  CHECK(make_ddim({2, 3}) != make_ddim({3, 2}));
  CHECK(make_ddim({2}) != make_ddim({2, 0}));
}

TEST_CASE("more than nine axes are refused with both figures") {
  CHECK(make_ddim({1, 1, 1, 1, 1, 1, 1, 1, 1}).rank() == 9);
  CHECK_THROWS_WITH_AS(make_ddim({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), "make_ddim: rank 10 is above the highest, 9",
                       ShapeError);
  CHECK_THROWS_AS(DDim(std::vector<std::ptrdiff_t>(1000, 1)), ShapeError);
}

TEST_CASE("a negative extent is refused in a dynamic shape") {
  CHECK_THROWS_AS(make_ddim({2, -1}), ShapeError);
  CHECK_THROWS_AS(make_ddim({std::numeric_limits<std::ptrdiff_t>::min()}), ShapeError);
}

TEST_CASE("asking a dynamic shape for another rank throws with the shape and both ranks") {
  CHECK_THROWS_WITH_AS(get<2>(make_ddim({4, 5, 6})), "get<Rank>: rank 2 was asked for, the shape (4, 5, 6) has rank 3",
                       ShapeError);
  CHECK_THROWS_AS(get<0>(make_ddim({1})), ShapeError);
  CHECK_THROWS_AS(get<9>(DDim()), ShapeError);
}

TEST_CASE("the element count of a dynamic shape is checked like that of a static one") {
  CHECK(product(make_ddim({largest, 1})) == largest);
  CHECK_THROWS_AS(product(make_ddim({largest, 2})), ShapeError);
  CHECK_THROWS_AS(product(make_ddim({2, 2, largest})), ShapeError);
  CHECK(product(make_ddim({largest, 0})) == 0);
  CHECK(product(make_ddim({0, largest, 2})) == 0);
}

TEST_CASE("visit passes on references and exceptions of the function") {
  int calls = 0;
  int& counted = visit([&](const auto&) -> int& { return ++calls, calls; }, make_ddim({1, 1}));
  CHECK(&counted == &calls);
  CHECK(calls == 1);
  CHECK_THROWS_AS(visit([](const auto&) -> int { throw IndexError("from the function"); }, DDim()), IndexError);
}

TEST_CASE("a dynamic shape prints as a Python tuple") {
  std::ostringstream stream;
  stream << make_ddim({3}) << make_ddim({2, 0});
  CHECK(stream.str() == "(3,)(2, 0)");
}
