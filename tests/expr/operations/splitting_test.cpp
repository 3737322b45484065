// split, unstack, broadcast_arrays, permute_dims: each part against the slice that it is, of arrays as views, of expressions lazily.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("equal parts along each axis are views of the array" * doctest::test_suite("any place")) {
  // --8<-- [start:split]
  Array<int, 2> a = reshape(arange(12), 3, 4);
  auto halves = split<1>(a, 2);  // two views of shape (3, 2)
  auto [left, right] = std::pair(halves[0], halves[1]);
  auto parts = split<1>(a, {1, 3});                   // columns 0, 1 and 2, 3
  parts[1](ellipsis) = 0;                             // writes to a; parts[1] = e would be another array
  auto rows = unstack(a);                             // three views of shape (4)
  auto [matrix, row] = broadcast_arrays(a, rows[0]);  // both of shape (3, 4)
  // --8<-- [end:split]
  CHECK(halves.size() == 2);
  CHECK(array_equal(left, a(all, range(0, 2))));
  CHECK(array_equal(right, a(all, range(2, 4))));
  CHECK(right.data() == a.data() + 2);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].shape() == Dim{3, 1});
  CHECK(array_equal(a, Array<int, 2>{{0, 0, 0, 3}, {4, 0, 0, 7}, {8, 0, 0, 11}}));
  CHECK(array_equal(parts[2], a(all, range(3, 4))));
  REQUIRE(rows.size() == 3);
  CHECK(array_equal(rows[2], a(2)));
  CHECK(matrix.shape() == Dim{3, 4});
  CHECK(row.shape() == Dim{3, 4});
  CHECK(array_equal(row(1, all), a(0, all)));
}

TEST_CASE("parts of random arrays, put together again, are the array" * doctest::test_suite("any place")) {
  Random random(930);
  INFO(random.how_to_repeat());
  for (int trial = 0; trial < few_of(20); ++trial) {
    const std::ptrdiff_t parts = random.between(1, 5), each = random.between(0, 4);
    const Array<float, 3> a = there(random_array<float>(Dim{3, parts * each, 2}, Arrangement::contiguous, random));
    const auto cut = split<1>(a, parts);
    CHECK(array_equal(concat<1>(cut), a));
    const auto lazy = split<-2>(a * 2, parts);
    REQUIRE(lazy.size() == cut.size());
    for (std::size_t k = 0; k < cut.size(); ++k) CHECK(array_equal(lazy[k], cut[k] * 2));
    const std::ptrdiff_t first = random.between(0, parts * each), second = random.between(first, parts * each);
    CHECK(array_equal(concat<1>(split<1>(a, {first, second})), a));
    if (a.size() > 0) CHECK(array_equal(stack<1>(unstack<1>(a)), a));
    CHECK(unstack<1>(a).size() == static_cast<std::size_t>(parts * each));
    CHECK(array_equal(permute_dims(a, {2, 0, 1}), transpose(a, {2, 0, 1})));
  }
}

TEST_CASE("what is written to a part is written to the array") {
  const Array<int, 1> a = arange(6);
  split(a, 3)[1](ellipsis) = 9;
  CHECK(to_string(a) == "[0 1 9 9 4 5]");
  unstack(reshape(a, 2, 3))[1](ellipsis) = 7;
  CHECK(to_string(a) == "[0 1 9 7 7 7]");
}

TEST_CASE("parts that are not equal, positions that do not ascend, shapes that do not broadcast") {
  const Array<int, 2> a = zeros<int>(Dim{3, 4});
  CHECK(contains(message_of<ShapeError>([&] { split(a, 2); }), "axis 0 of extent 3 has no 2 equal parts"));
  CHECK(contains(message_of<ShapeError>([&] { split<1>(a, 0); }), "no 0 equal parts"));
  CHECK(contains(message_of<IndexError>([&] { split<1>(a, {3, 2}); }), "position 2 is not between 3 and the extent 4"));
  CHECK_THROWS_AS(split<1>(a, {5}), IndexError);
  CHECK_THROWS_AS(split<1>(a, {-1}), IndexError);
  CHECK_THROWS_AS(broadcast_arrays(a, zeros<int>(Dim{3})), ShapeError);
  CHECK_THROWS_AS(permute_dims(a, {0, 0}), IndexError);
}
