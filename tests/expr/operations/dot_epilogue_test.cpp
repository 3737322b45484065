// Products inside larger expressions: epilogues, expression operands, other destinations, and the errors of their shapes.
#include <source_location>
#include <span>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Whole numbers from -3 to 3, so that results are exact.
Array<float, 2> whole(std::ptrdiff_t rows, std::ptrdiff_t columns, Random& random) {
  const Array<float, 2> a(Dim<2>{rows, columns});
  for (float& value : std::span(a.data(), static_cast<std::size_t>(rows * columns)))
    value = static_cast<float>(random.below(7) - 3);
  return there(a);
}

/// The product in memory of its own, computed by a loop.
Array<float, 2> product_of(const Array<float, 2>& left, const Array<float, 2>& right) {
  const Array<float, 2> a = here(left), b = here(right);
  const Array<float, 2> c = zeros<float>(Dim<2>{a.shape()[0], b.shape()[1]});
  for_each_position(c.shape(), [&](const auto& at) {
    for (std::ptrdiff_t k = 0; k < a.shape()[1]; ++k)
      element(c, at) += element(a, std::array{at[0], k}) * element(b, std::array{k, at[1]});
  });
  return there(c);
}

/// Results that fit on the stack and those that do not, a few tiles, results above 256 Ki elements.
constexpr std::ptrdiff_t sizes[][3] = {{1, 1, 1}, {3, 5, 4}, {64, 30, 33}, {170, 160, 200}, {700, 3, 500}};

}  // namespace

TEST_CASE("an elementwise epilogue, with the destination as one of its operands" * doctest::test_suite("any place")) {
  Random random(600);
  INFO(random.how_to_repeat());
  for (const auto& [rows, inner, columns] : sizes) {
    INFO(rows << "x" << inner << "x" << columns);
    const Array<float, 2> x = whole(rows, inner, random);
    const Array<float, 2> w = whole(inner, columns, random);
    const Array<float, 1> b = there(arange(static_cast<float>(columns)));
    const Array<float, 2> product = product_of(x, w);
    CHECK(array_equal(evaluate(relu(dot(x, w) + b)), evaluate(relu(product + b))));
    CHECK(array_equal(evaluate(dot(x, w) * dot(x, w) - 1), evaluate(product * product - 1)));  // two products
    Array<float, 2> y = whole(rows, columns, random);
    const Array<float, 2> before = y.clone();
    y = 2 * dot(x, w) - y;
    CHECK(array_equal(y, evaluate(2 * product - before)));
    y += dot(x, w);
    CHECK(array_equal(y, evaluate(3 * product - before)));
    Array<float, 2> transposed = there(zeros<float>(Dim{columns, rows}));
    transposed.T() = dot(x, w) + 1;
    CHECK(array_equal(transposed.T(), evaluate(product + 1)));
    Array<float, 2> stepped = there(zeros<float>(Dim{2 * rows, 3 * columns}));
    stepped(range(none, none, -2), range(0, none, 3)) = where(dot(x, w) > 0, 1.0f, b);
    CHECK(array_equal(stepped(range(none, none, -2), range(0, none, 3)), evaluate(where(product > 0, 1.0f, b))));
  }
}

TEST_CASE("destinations of another type" * doctest::test_suite("any place")) {
  Random random(601);
  const Array<float, 2> x = whole(20, 30, random);
  const Array<float, 2> w = whole(30, 7, random);
  const Array<float, 2> product = product_of(x, w);
  Array<double, 2> wide = there(Array<double, 2>(Dim{20, 7}));
  wide = dot(x, w);
  CHECK(array_equal(wide, cast<double>(product)));
  Array<float16, 2> narrow = there(Array<float16, 2>(Dim{20, 7}));
  narrow = dot(x, w) + 0.5f;
  CHECK(array_equal(narrow, evaluate(cast<float16>(product + 0.5f))));
  Array<std::int32_t, 2> whole_result = there(Array<std::int32_t, 2>(Dim{20, 7}));
  whole_result = cast<std::int32_t>(dot(x, w));
  CHECK(array_equal(whole_result, cast<std::int32_t>(product)));
}

TEST_CASE("expressions, reductions and other products as operands" * doctest::test_suite("any place")) {
  Random random(602);
  const Array<float, 2> x = whole(6, 5, random);
  const Array<float, 2> y = whole(6, 5, random);
  const Array<float, 2> w = whole(5, 4, random);
  CHECK(array_equal(dot(x - 2 * y, w + 1), product_of(x - 2 * y, w + 1)));
  CHECK(array_equal(dot(dot(x, w), w.T()), product_of(product_of(x, w), w.T())));
  CHECK(array_equal(sum<0>(dot(x, w)), sum<0>(product_of(x, w))));
  CHECK(array_equal(dot(sum<0>(x), w), sum<0>(product_of(x, w))));
  CHECK(array_equal(dot(x, w) + w(0, all) + dot(y, w), product_of(x, w) + w(0, all) + product_of(y, w)));
  CHECK(item(dot(x(0, all), y(0, all))) == item(sum(x(0, all) * y(0, all))));
  const Array<float, 3> broadcast = dot(x, w) + there(zeros<float>(Dim{2, 1, 1}));
  CHECK(array_equal(broadcast(1, ellipsis), product_of(x, w)));
}

TEST_CASE("a destination that overlaps a factor" * doctest::test_suite("any place")) {
  Random random(603);
  for (const std::ptrdiff_t side : {4, 180}) {
    const Array<float, 2> x = whole(side, side, random);
    Array<float, 2> w = whole(side, side, random);
    const Array<float, 2> expected = evaluate(product_of(x, w) + x);
    Array<float, 2> a = x.clone();
    a = dot(a, w) + a;
    CHECK(array_equal(a, expected));
    Array<float, 2> storage = there(zeros<float>(Dim{side + 1, side}));
    storage(range(1, none), all) = x;
    storage(range(0, side), all) = dot(storage(range(1, none), all), w);
    CHECK(array_equal(storage(range(0, side), all), product_of(x, w)));
  }
}

TEST_CASE("inner extents that differ are an error with both shapes, the values and the caller's line") {
  const Array<float, 2> a(Dim{3, 4});
  const Array<float, 2> b(Dim{5, 6});
  const auto line = std::source_location::current().line() + 1;
  const auto message = message_of<ShapeError>([&] { dot(a, b); });
  CHECK(contains(message, "dot: the inner extents differ: the last axis of a has 4, the first axis of b has 5"));
  CHECK(contains(message, "a is (3, 4)"));
  CHECK(contains(message, "b is (5, 6)"));
  CHECK(contains(message, "transpose one of them"));
  CHECK(contains(message, "dot_epilogue_test.cpp:" + std::to_string(line)));
  CHECK(contains(message_of<ShapeError>([&] { dot(a(0, all), b(0, all)); }),
                 "the only axis of a has 4, the only axis of b has 6"));
  CHECK(contains(message_of<ShapeError>([&] { dot(a(0, all), b); }), "a is (4,)"));
  CHECK(contains(message_of<ShapeError>([&] { dot(a, b(0, all)); }), "b is (6,)"));
}

TEST_CASE("a product that does not fit the rest of its expression, or its destination, is a ShapeError") {
  const Array<float, 2> a = ones<float>(Dim{3, 4});
  const Array<float, 2> b = ones<float>(Dim{4, 6});
  CHECK(contains(message_of<ShapeError>([&] { evaluate(dot(a, b) + ones<float>(Dim{5})); }),
                 "(3, 6) and (5,) do not broadcast: axis 1 has extents 6 and 5"));
  Array<float, 2> c = zeros<float>(Dim{2, 6});
  CHECK(contains(message_of<ShapeError>([&] { c(ellipsis) = dot(a, b); }), "assignment"));
  CHECK(array_equal(c, zeros<float>(Dim{2, 6})));
}

TEST_CASE("0 times infinity and NaN in a factor reach the result" * doctest::test_suite("any place")) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Array<float, 2> a = there(make_array<float>({{0, 1}, {2, 0}}));
  const Array<float, 2> b = there(make_array<float>({{infinity, 1}, {1, 1}}));
  const Array<float, 2> c = dot(a, b);
  CHECK(std::isnan(float(c[{0, 0}])));
  CHECK(c[{1, 0}] == infinity);
  CHECK(c[{0, 1}] == 1.0f);
}
