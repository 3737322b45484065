// take: slices by index.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

import tessera;

using namespace tessera;

TEST_CASE("take copies slices in the order of the indices, negative ones from the end") {
  const Array<float, 2> matrix = reshape(arange<float>(12.0f), Dim{4, 3});
  const Array<float, 2> taken = take(matrix, make_array(std::vector<std::int64_t>{3, 0, -1, 1, 1}));
  const std::vector<std::ptrdiff_t> rows{3, 0, 3, 1, 1};
  REQUIRE(taken.shape() == Dim{5, 3});
  for (std::ptrdiff_t i = 0; i < 5; ++i)
    CHECK(array_equal(taken(i, all), matrix(rows[static_cast<std::size_t>(i)], all)));
}

TEST_CASE("take_into writes what take returns, also into a strided result") {
  const Array<float, 2> matrix = reshape(arange<float>(12), Dim{4, 3});
  const auto indices = make_array(std::vector<std::int64_t>{2, -1, 0});
  const Array<float, 2> wide = zeros<float>(Dim{3, 6});
  const auto result = wide(all, range(0, none, 2));
  take_into(result, matrix, indices);
  CHECK(array_equal(result, take(matrix, indices)));
  CHECK(array_equal(wide(all, range(1, none, 2)), zeros<float>(Dim{3, 3})));
  CHECK_THROWS_AS(take_into(zeros<float>(Dim{2, 3}), matrix, indices), ShapeError);
  CHECK_THROWS_AS(take_into(result, matrix, make_array(std::vector<std::int64_t>{1, 2, 4})), IndexError);
}

TEST_CASE("take_into a result that overlaps what it reads") {
  const Array<float, 2> rows = make_array<float>({{0, 1}, {2, 3}, {4, 5}});
  take_into(rows, rows, Array<int, 1>{2, 0, -2});
  CHECK(to_string(rows) == "[[4. 5.]\n [0. 1.]\n [2. 3.]]");
  const Array<std::int64_t, 1> chain{1, 2, 0};
  take_into(chain, Array<std::int64_t, 1>{7, 8, 9}, chain);
  CHECK(to_string(chain) == "[8 9 7]");
}

TEST_CASE("take works on vectors, strided arrays and other index types") {
  const Array<double, 1> vector = arange<double>(10.0);
  CHECK(array_equal(take(vector, make_array(std::vector<std::uint8_t>{9, 2})), make_array(std::vector{9.0, 2.0})));
  const Array<float, 2> columns = reshape(arange<float>(20.0f), Dim{4, 5}).T();
  const Array<std::int32_t, 1> indices = make_array(std::vector<std::int32_t>{4, 9, 2, 9, 0});
  const Array<float, 2> taken = take(columns, indices(range(none, none, 2)));
  CHECK(array_equal(taken, take(columns.clone(), make_array(std::vector<std::int64_t>{4, 2, 0}))));
  CHECK(taken[{1, 3}] == 17.0f);
}

TEST_CASE("take of many slices agrees with a loop") {
  const Array<float, 2> matrix = random::uniform<float>(random::Key{1}, Dim{500, 33});
  const Array<std::int64_t, 1> order = random::permutation(random::Key{2}, 500);
  const Array<float, 2> taken = take(matrix, order);
  for (std::ptrdiff_t i = 0; i < 500; ++i) {
    for (std::ptrdiff_t j = 0; j < 33; ++j) CHECK(taken[{i, j}] == matrix[{static_cast<std::int64_t>(order[{i}]), j}]);
  }
}

TEST_CASE("take of no indices is empty") {
  const Array<float, 2> taken = take(ones<float>(Dim{4, 3}), Array<std::int64_t, 1>(Dim{0}));
  CHECK(taken.shape() == Dim{0, 3});
}

TEST_CASE("take names the index that is out of range, its position and the caller") {
  try {
    static_cast<void>(take(ones<float>(Dim{4, 3}), make_array(std::vector<std::int64_t>{0, 7})));
    FAIL("nothing was thrown");
  } catch (const IndexError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(text.find("index 7 at position 1 is out of range for axis 0 with extent 4") != std::string::npos);
    CHECK(text.find("gather_test.cpp") != std::string::npos);
  }
  CHECK_THROWS_AS(take(ones<float>(Dim{4}), make_array(std::vector<std::int64_t>{-5})), IndexError);
}
