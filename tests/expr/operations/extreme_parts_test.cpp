// Parts of arrays without elements and of extreme numbers, comparisons and rounding of nothing.
#include <limits>
#include <tuple>

#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("parts of nothing are nothing") {
  const Array<float, 2> none = zeros<float>(Dim{0, 3});
  CHECK(split(none, 4).size() == 4);
  CHECK(split(none, 4)[3].shape() == Dim{0, 3});
  CHECK(split(none, {0, 0})[2].shape() == Dim{0, 3});
  CHECK(unstack(none).empty());
  CHECK(unstack<1>(none)[2].shape() == Dim{0});
  CHECK(std::get<1>(broadcast_arrays(none, zeros<float>(Dim{1, 1}))).shape() == Dim{0, 3});
  CHECK(permute_dims(none, {1, 0}).shape() == Dim{3, 0});
  CHECK(evaluate(roll(none, 5)).shape() == Dim{0, 3});
  CHECK(evaluate(isclose(none, none)).shape() == Dim{0, 3});
  CHECK(evaluate(round(none, 2)).shape() == Dim{0, 3});
  CHECK(allclose(none, none));
  CHECK_THROWS_AS(item(none), ShapeError);
  CHECK_THROWS_AS(evaluate(var(none)), ShapeError);
}

TEST_CASE("numbers of parts and positions far beyond the axis") {
  const Array<float, 1> x = zeros<float>(Dim{4});
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max(), least = std::numeric_limits<std::ptrdiff_t>::min();
  CHECK_THROWS_AS(split(x, most), ShapeError);
  CHECK_THROWS_AS(split(x, least), ShapeError);
  CHECK_THROWS_AS(split(x, {most}), IndexError);
  CHECK_THROWS_AS(split(x, {least}), IndexError);
  CHECK(array_equal(roll(x, least), x));
  CHECK(array_equal(round(x, std::numeric_limits<int>::max()), x));
  CHECK(array_equal(round(x, std::numeric_limits<int>::min()), x));
  CHECK(array_equal(round(Array<int, 1>{7}, std::numeric_limits<int>::min()), Array<int, 1>{0}));
  CHECK_THROWS_AS(permute_dims(x, {std::numeric_limits<int>::max()}), IndexError);
}
