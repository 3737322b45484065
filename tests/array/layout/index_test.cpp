// Tests of element indices: values, where they were written, and the messages of those outside.
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
import tessera;

using namespace tessera;

static_assert(std::constructible_from<Index<2>, int, int> && !std::constructible_from<Index<2>, int, int, int>);
static_assert(std::convertible_to<int, Index<1>> && std::constructible_from<Index<3>, Dim<3>> &&
              !std::constructible_from<Index<1>, double>);

TEST_CASE("an index holds one position per axis, of any integer types") {
  const Index<3> index{std::int8_t{-1}, 2u, 3L};
  CHECK(index[0] == -1);
  CHECK(index[1] == 2);
  CHECK(index[2] == 3);
  CHECK(Index<2>(Dim{4, 5})[1] == 5);
  CHECK(Index<6>{1, 2, 3, 4, 5, -6}[5] == -6);
}

TEST_CASE("an index knows the line it was written on") {
  const auto line = std::source_location::current().line() + 1;
  const Index<2> index{1, 2};
  CHECK(index.where().line() == line);
}

TEST_CASE("offsets add up strides, counting negative indices from the end") {
  CHECK(storage::offset_of<2>({1, 2}, Dim{2, 3}, {3, 1}) == 5);
  CHECK(storage::offset_of<2>({-1, -3}, Dim{2, 3}, {3, 1}) == 3);
  CHECK(storage::offset_of<2>({1, 1}, Dim{2, 3}, {-10, 0}) == -10);
  CHECK(storage::offset_of<0>({}, Dim<0>{}, {}) == 0);
}

// --8<-- [start:index_error]
TEST_CASE("an index outside the shape throws with index, shape, axis and the line that asked") {
  const Array<float, 2> a(Dim{2, 3});
  const std::string line = std::to_string(std::source_location::current().line() + 1);
  const auto read = [&] { return static_cast<float>(a[{0, 3}]); };
  const std::string message =
      "element access: index (0, 3) is outside the shape (2, 3): axis 1 takes -3 to 2, not 3; called at "
      "index_test.cpp:" +
      line;
  CHECK_THROWS_WITH_AS(read(), message.c_str(), IndexError);
}
// --8<-- [end:index_error]

// --8<-- [start:index]
/// An element of a table in metres, which is kept in millimetres.
double metres(const Array<double, 2>& table, const Index<2>& at) { return table[at] / 1000; }
double metres(const Array<double, 2>& table, Position row, Position column) { return table(row, column) / 1000; }

TEST_CASE("functions that take an index, or positions, pass on where their caller has written it") {
  const Array<double, 2> table{{1500, 2000, 500}};
  CHECK(metres(table, {0, -1}) == 0.5);
  CHECK(metres(table, 0, 1) == 2);
  const std::string here = "called at index_test.cpp:" + std::to_string(std::source_location::current().line() + 1);
  CHECK_THROWS_WITH_AS(metres(table, {0, 3}), doctest::Contains(here.c_str()), IndexError);
}
// --8<-- [end:index]

TEST_CASE("negative indices end at minus the extent") {
  const Array<int, 1> a = arange(0, 3);
  CHECK(a[-3] == 0);
  CHECK(a[-1] == 2);
  CHECK_THROWS_WITH_AS(
      a[-4],
      doctest::Contains(
          "index (-4,) is outside the shape (3,): axis 0 takes -3 to 2, not -4; called at index_test.cpp:"),
      IndexError);
}

TEST_CASE("the first axis outside is named") {
  const Array<int, 3> a(Dim{2, 3, 4});
  const auto read = [&] { return static_cast<int>(a[{1, 9, 9}]); };
  CHECK_THROWS_WITH_AS(read(), doctest::Contains("axis 1 takes -3 to 2, not 9"), IndexError);
}

TEST_CASE("extreme integers are outside every shape") {
  const Array<int, 1> a = arange(0, 3);
  CHECK_THROWS_AS(a[PTRDIFF_MIN], IndexError);
  CHECK_THROWS_AS(a[PTRDIFF_MAX], IndexError);
  CHECK_THROWS_AS(a[SIZE_MAX], IndexError);
}

TEST_CASE("an empty array has no element") {
  const Array<int, 2> a(Dim{2, 0});
  const auto read = [&] { return static_cast<int>(a[{0, 0}]); };
  CHECK_THROWS_WITH_AS(read(), doctest::Contains("is outside the shape (2, 0): axis 1 is empty"), IndexError);
}

TEST_CASE("an array without storage has no element, at any rank") {
  const Array<int, 0> scalar;
  const Array<int, 1> vector;
  const auto read = [&] { return static_cast<int>(scalar[{}]); };
  CHECK_THROWS_WITH_AS(read(), doctest::Contains("the array of rank 0 has no storage"), IndexError);
  CHECK_THROWS_AS(vector[0], IndexError);
}

// --8<-- [start:elements]
TEST_CASE("an element of integers is an index as its value is") {
  const Array<int, 1> best{2, 0, -1};
  Array<double, 1> x{1, 2, 9};
  Array<double, 2> m{{1, 2, 3}, {4, 5, 6}};
  CHECK(x(best(0)) == 9.0);
  CHECK(x(argmax(x)) == 9.0);
  CHECK(x[{best(1)}] == 1.0);
  CHECK(array_equal(m(argmin(x), all), m(0, all)));
  CHECK(array_equal(x(range(best(1), best(0))), x(range(0, 2))));
  CHECK((x + 1)(best(2)) == 10.0);
  for (int i : {0, 1, 2}) x(best(i)) += 1;
  CHECK(array_equal(x, Array<double, 1>{2, 2, 11}));
}
// --8<-- [end:elements]

TEST_CASE("an element of integers outside the shape is refused as its value is") {
  const Array<std::uint64_t, 1> far{~std::uint64_t{0}, 3};
  const Array<double, 1> x{1, 2, 9};
  CHECK_THROWS_AS(static_cast<void>(x(far(0))), IndexError);
  CHECK_THROWS_AS(static_cast<void>(x(far(1))), IndexError);
  CHECK_THROWS_AS(static_cast<void>((x + x)(far(0))), IndexError);
}

// --8<-- [start:run_time_index]
TEST_CASE("an index may be known at run time") {
  Array<float, 2> a = zeros<float>(Dim{2, 3});
  const DDim last = make_ddim({1, 2});
  a[last] = 5;      // as a[{1, 2}]; another number of axes is an IndexError
  set(a, last, 6);  // the same for every place
  const float six = get(a, {1, 2});
  CHECK(six == 6);
  CHECK_THROWS_AS(a[make_ddim({1})], IndexError);
}
// --8<-- [end:run_time_index]

TEST_CASE("elements are got and set wherever they may be") {
  const Array<int, 1> a{1, 2, 3};
  CHECK(get(a, {2}) == 3);
  CHECK(get(a, make_ddim({0})) == 1);
  CHECK_THROWS_AS(get(a, {3}), IndexError);
  CHECK_THROWS_WITH_AS(get(a, make_ddim({0, 1})), doctest::Contains("the index (0, 1) has 2 axes, the array has 1"),
                       IndexError);
  Array<float, 0> scalar = zeros<float>(Dim{});
  set(scalar, make_ddim({}), 4);
  CHECK(get(scalar, make_ddim({})) == 4);
}
