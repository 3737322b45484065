// Parts of dynamic arrays and answers about them, beside the functions for arrays.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../support.hpp"

using namespace tessera;

TEST_CASE("parts along an axis are views") {
  const Array<int, 2> fixed = reshape(arange(12), 3, 4);
  const DArray x = fixed;
  const std::vector<DArray> halves = split(x, 2, 1), parts = split(x, {1, 3}, -1), rows = unstack(x);
  REQUIRE((halves.size() == 2 && parts.size() == 3 && rows.size() == 3));
  CHECK(array_equal(halves[1], DArray(fixed(all, range(2, 4)))));
  CHECK(array_equal(parts[1], DArray(fixed(all, range(1, 3)))));
  CHECK(array_equal(rows[2], DArray(fixed(2))));
  CHECK(halves[1].buffer() == x.buffer());
  const std::vector<DArray> both = broadcast_arrays({x, rows[0]});
  CHECK(both[1].shape() == x.shape());
  CHECK(array_equal(both[1]({1, all}), rows[0]));
  CHECK(array_equal(permute_dims(x, {1, 0}), x.T()));
  CHECK_THROWS_AS(split(x, 2, 0), ShapeError);
  CHECK_THROWS_AS(split(x, 0, 1), ShapeError);
  CHECK_THROWS_AS(split(x, {3, 2}, 1), IndexError);
  CHECK_THROWS_AS(split(x, 1, 2), IndexError);
  CHECK_THROWS_AS(unstack(x, 5), IndexError);
  CHECK_THROWS_AS(broadcast_arrays({x, zeros(DType::int32, make_ddim({3}))}), ShapeError);
}

TEST_CASE("elements rolled without an axis, repeated by counts, padded by their mirror") {
  const Array<int, 2> fixed = reshape(arange(6), 2, 3);
  const DArray x = fixed;
  CHECK(array_equal(roll(x, 2), DArray(roll(fixed, 2))));
  CHECK(array_equal(roll(x.T(), -1), DArray(roll(fixed.T(), -1))));
  const Array<int, 1> counts{2, 0, 1};
  CHECK(array_equal(repeat(x, DArray(counts), 1), DArray(repeat<1>(fixed, counts))));
  CHECK(array_equal(pad(x, 2, PadMode::symmetric), DArray(pad(fixed, 2, PadMode::symmetric))));
  CHECK_THROWS_AS(repeat(x, DArray(counts), 0), ShapeError);
  CHECK_THROWS_AS(repeat(x, DArray(arange(3.0)), 1), DTypeError);
  CHECK_THROWS_AS(repeat(x, DArray(Array<int, 1>{1, -1, 0}), 1), std::invalid_argument);
}

TEST_CASE("closeness, equality and decimals") {
  const Array<double, 1> a{1.0, 2.0, NAN}, b{1.0 + 1e-7, 2.5, NAN};
  CHECK(array_equal(get<Array<bool, 1>>(isclose(DArray(a), DArray(b))), isclose(a, b)));
  CHECK(array_equal(get<Array<bool, 1>>(isclose(DArray(a), DArray(b), 1.0, 0.0, true)), isclose(a, b, 1.0, 0.0, true)));
  CHECK_FALSE(allclose(DArray(a), DArray(b)));
  CHECK(allclose(DArray(arange(4)), DArray(arange(4))));
  CHECK_FALSE(allclose(DArray(arange(4)), DArray(arange(5))));
  CHECK_FALSE(array_equal(DArray(a), DArray(a)));
  CHECK(array_equal(get<Array<double, 1>>(round(DArray(b), 1)), round(b, 1)) == false);  // NaN equals nothing
  const Array<int, 1> i{15, 25, -14};
  CHECK(array_equal(get<Array<int, 1>>(round(DArray(i), -1)), round(i, -1)));
  CHECK_THROWS_AS(round(DArray(Array<bool, 1>{true}), 1), DTypeError);
}

namespace {

template <class T>
void check_rounded_integers() {
  CAPTURE(name(dtype_of<T>));
  const T lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  const Array<T, 1> x{lowest,
                      static_cast<T>(lowest / 3),
                      T{4},
                      T{5},
                      T{15},
                      T{45},
                      T{55},
                      static_cast<T>(highest / 3),
                      static_cast<T>(highest / 2 + 1),
                      highest};
  for (int decimals = -21; decimals < 3; ++decimals) {
    CAPTURE(decimals);
    CHECK(array_equal(get<Array<T, 1>>(round(DArray(x), decimals)), round(x, decimals)));
  }
  CHECK(array_equal(get<Array<T, 1>>(round(DArray(x), std::numeric_limits<int>::min() + 1)), zeros<T>(Dim{10})));
}

}  // namespace

TEST_CASE("integers of every width are rounded as static ones, up to the ends of their types") {
  check_rounded_integers<std::int8_t>();
  check_rounded_integers<std::uint8_t>();
  check_rounded_integers<std::int16_t>();
  check_rounded_integers<std::uint16_t>();
  check_rounded_integers<std::int32_t>();
  check_rounded_integers<std::uint32_t>();
  check_rounded_integers<std::int64_t>();
  check_rounded_integers<std::uint64_t>();
}
