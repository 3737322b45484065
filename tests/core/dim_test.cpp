// Tests of shapes whose rank is known at compile time.
#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();

}  // namespace

static_assert(std::is_same_v<decltype(Dim{2, 3}), Dim<2>> &&
              std::is_same_v<decltype(Dim{2u, std::int8_t{3}, 4L}), Dim<3>>);
static_assert(std::is_same_v<decltype(make_dim(3, 3)), Dim<2>> && std::is_same_v<decltype(make_dim()), Dim<0>>);
static_assert(Dim<4>::rank == 4 && Dim{2, 3}[0] == 2 && Dim{2, 3}[1] == 3 && Dim<2>{} == Dim{0, 0} &&
              Dim<0>{} == make_dim());
static_assert(product(Dim{2, 3, 4}) == 24 && product(Dim<0>{}) == 1 && product(Dim{7, 0}) == 0);
static_assert(Dim{2, 3}.with(1, 5) == Dim{2, 5} && Dim{2, 3} != Dim{3, 2});
static_assert(std::convertible_to<int, Dim<1>> && !std::constructible_from<Dim<2>, int> &&
              !std::constructible_from<Dim<1>, double>);
static_assert(std::is_trivially_copyable_v<Dim<3>>);

// --8<-- [start:dim]
TEST_CASE("a static shape knows its rank at compile time") {
  const Dim shape{2, 3};
  const Dim<2> square = make_dim(3, 3);
  static_assert(decltype(shape)::rank == 2);
  CHECK(shape[0] == 2);
  CHECK(product(shape) == 6);
  CHECK(shape != square);
  CHECK(to_string(shape) == "(2, 3)");
}
// --8<-- [end:dim]

TEST_CASE("a shape prints as a Python tuple") {
  CHECK(to_string(Dim<0>{}) == "()");
  CHECK(to_string(Dim{5}) == "(5,)");
  CHECK(to_string(Dim{0, largest}) == "(0, 9223372036854775807)");
  std::ostringstream stream;
  stream << Dim{1, 2, 3};
  CHECK(stream.str() == "(1, 2, 3)");
}

TEST_CASE("a negative extent is refused wherever it stands") {
  CHECK_THROWS_AS(Dim(-1), ShapeError);
  CHECK_THROWS_AS((Dim{2, -3}), ShapeError);
  CHECK_THROWS_AS(make_dim(0, 0, std::numeric_limits<std::int64_t>::min()), ShapeError);
  CHECK_THROWS_WITH_AS((Dim{2, 3}.with(0, -7)),
                       "shape: extent -7 is not in 0 .. 2^63 - 1; extents count elements and are never negative",
                       ShapeError);
}

TEST_CASE("an unsigned extent beyond the largest index is refused, not wrapped") {
  CHECK_THROWS_AS(make_dim(std::numeric_limits<std::uint64_t>::max()), ShapeError);
  CHECK(make_dim(std::uint64_t{1} << 62)[0] == std::ptrdiff_t{1} << 62);
}

// --8<-- [start:overflow]
TEST_CASE("an element count that does not fit in 63 bits throws instead of wrapping") {
  CHECK(product(Dim{largest, 1}) == largest);
  CHECK_THROWS_WITH_AS(
      product(Dim{largest, 2}),
      "size arithmetic: 9223372036854775807 x 2 does not fit in 64 bits; the array would be larger than any memory",
      ShapeError);
}
// --8<-- [end:overflow]

TEST_CASE("the element count is checked at every multiplication") {
  const std::ptrdiff_t half = std::ptrdiff_t{1} << 62;
  CHECK_THROWS_AS(product(Dim{half, 2, 1}), ShapeError);
  CHECK_THROWS_AS(product(Dim{1, half, 2}), ShapeError);
  CHECK_THROWS_AS(product(Dim{half, 4, 1}), ShapeError);  // 2^64: wrapped, it would be 0
  CHECK_THROWS_AS(product(Dim{half, 1, 1, 1, 1, 1, 1, 1, 1, 3}), ShapeError);
  CHECK_THROWS_AS(product(Dim{4294967296, 4294967296, 5}), ShapeError);
  CHECK(product(Dim{1 << 21, 1 << 21, 1 << 20}) == half);
}

TEST_CASE("an empty shape holds nothing, whatever its other extents are") {
  CHECK(product(Dim{0, largest}) == 0);
  CHECK(product(Dim{largest, 0}) == 0);
  CHECK(product(Dim{largest, 0, 1, 0}) == 0);
  CHECK(product(Dim{0, largest, 2}) == 0);
  CHECK(product(Dim{largest, 0, 2}) == 0);
  CHECK(product(Dim{largest, 2, 0}) == 0);
}

TEST_CASE("a static shape may have more axes than a dynamic one") {
  const Dim<12> shape{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  CHECK(shape.rank > max_rank);
  CHECK(product(shape) == 64);
  static_assert(!std::convertible_to<Dim<12>, DDim> && std::convertible_to<Dim<9>, DDim>);
}

TEST_CASE("an axis counts from either end of a shape, and must be there") {
  const Dim shape{2, 3, 5};
  static_assert(Dim{2, 3, 5}[-1] == 5 && Dim{2, 3, 5}[-3] == 2);
  const DDim dynamic(shape);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(shape[axis] == shape[axis - 3]);
    CHECK(dynamic[axis] == shape[axis]);
    CHECK(dynamic[axis - 3] == shape[axis]);
  }
  for (const int axis : {3, -4, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    const std::string message = "shape: there is no axis " + std::to_string(axis) + " of 3; -1 is the last one";
    CHECK_THROWS_WITH_AS(static_cast<void>(shape[axis]), message.c_str(), IndexError);
    CHECK_THROWS_WITH_AS(static_cast<void>(dynamic[axis]), message.c_str(), IndexError);
  }
  CHECK_THROWS_AS(static_cast<void>(Dim<0>()[0]), IndexError);
}
