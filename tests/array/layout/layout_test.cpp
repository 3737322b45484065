// Tests of layout arithmetic: strides, contiguity, broadcasting of shapes.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
import tessera;

using namespace tessera;

// --8<-- [start:strides]
TEST_CASE("strides are the distances of neighbours along each axis, in elements") {
  const auto a = reshape(arange(0, 24), 2, 3, 4);
  const Strides<3> strides = a.strides();
  CHECK(strides == Strides<3>{12, 4, 1});
  CHECK(a.data()[1 * strides[0] + 2 * strides[1] + 3 * strides[2]] == a(1, 2, 3));
  CHECK(a.T().strides() == Strides<3>{1, 4, 12});
  CHECK(a(1, all, range(none, none, -2)).strides() == Strides<2>{4, -2});
  CHECK(broadcast_to(a(0, 0), Dim{5, 4}).strides() == Strides<2>{0, 1});
}
// --8<-- [end:strides]

TEST_CASE("row-major strides leave no gaps") {
  CHECK(storage::contiguous_strides(Dim{2, 3, 4}) == Strides<3>{12, 4, 1});
  CHECK(storage::contiguous_strides(Dim<1>{7}) == Strides<1>{1});
  CHECK(storage::contiguous_strides(Dim<0>{}) == Strides<0>{});
}

TEST_CASE("an extent of 0 counts as 1 in strides, so that they stay distinct") {
  CHECK(storage::contiguous_strides(Dim{2, 0, 3}) == Strides<3>{3, 3, 1});
}

TEST_CASE("strides of a shape too large to count throw") {
  CHECK_THROWS_AS(storage::contiguous_strides(Dim{INT64_MAX, 2}), ShapeError);
  CHECK(storage::contiguous_strides(Dim<1>{INT64_MAX}) == Strides<1>{1});
}

TEST_CASE("contiguity ignores axes of extent 1 and empty arrays") {
  CHECK(storage::is_contiguous(Dim{2, 3}, {3, 1}));
  CHECK_FALSE(storage::is_contiguous(Dim{2, 3}, {1, 2}));
  CHECK_FALSE(storage::is_contiguous(Dim{2, 3}, {6, 2}));
  CHECK_FALSE(storage::is_contiguous(Dim<1>{3}, {-1}));
  CHECK_FALSE(storage::is_contiguous(Dim<1>{3}, {0}));
  CHECK(storage::is_contiguous(Dim{2, 1, 3}, {3, 99, 1}));
  CHECK(storage::is_contiguous(Dim{1, 3}, {-5, 1}));
  CHECK(storage::is_contiguous(Dim{4, 0}, {7, 7}));
  CHECK(storage::is_contiguous(Dim<0>{}, {}));
}

TEST_CASE("axes count from the end when negative") {
  CHECK(storage::checked_axis(1, 3, "sum") == 1);
  CHECK(storage::checked_axis(-1, 3, "sum") == 2);
  CHECK(storage::checked_axis(-3, 3, "sum") == 0);
}

TEST_CASE("an axis outside the rank throws with both") {
  CHECK_THROWS_WITH_AS(storage::checked_axis(3, 3, "sum"), "sum: axis 3 is out of range for rank 3", IndexError);
  CHECK_THROWS_WITH_AS(storage::checked_axis(-4, 3, "sum"), "sum: axis -4 is out of range for rank 3", IndexError);
  CHECK_THROWS_AS(storage::checked_axis(0, 0, "sum"), IndexError);
  CHECK_THROWS_AS(storage::checked_axis(PTRDIFF_MIN, 2, "sum"), IndexError);
}

TEST_CASE("a layout broadcasts by strides of 0") {
  const Layout<2> column{.shape = Dim{3, 1}, .strides = {1, 1}, .offset = 5};
  const Layout<3> wide = storage::broadcasted(column, Dim{2, 3, 4});
  CHECK(wide.shape == Dim{2, 3, 4});
  CHECK(wide.strides == Strides<3>{0, 1, 0});
  CHECK(wide.offset == 5);
}

TEST_CASE("shapes that do not broadcast throw with both and the first axis") {
  const std::array<std::ptrdiff_t, 2> from{2, 3};
  const std::array<std::ptrdiff_t, 3> to{5, 4, 3};
  CHECK_THROWS_WITH_AS(storage::check_broadcast(from, to, "assignment"),
                       "assignment: the shape (2, 3) does not broadcast to (5, 4, 3): axis 1 has extents 2 and 4; "
                       "extents must be equal, "
                       "or 1 in the operand",
                       ShapeError);
  CHECK_THROWS_WITH_AS(storage::check_broadcast(to, from, "assignment"),
                       "assignment: the shape (5, 4, 3) has more axes than (2, 3)", ShapeError);
}

TEST_CASE("an extent of 0 broadcasts only from 0 or 1") {
  const std::array<std::ptrdiff_t, 1> none{0}, one{1}, two{2};
  CHECK_NOTHROW(storage::check_broadcast(none, none, "assignment"));
  CHECK_NOTHROW(storage::check_broadcast(one, none, "assignment"));
  CHECK_THROWS_AS(storage::check_broadcast(two, none, "assignment"), ShapeError);
  CHECK_THROWS_AS(storage::check_broadcast(none, two, "assignment"), ShapeError);
}
