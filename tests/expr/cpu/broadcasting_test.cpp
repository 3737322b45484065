// Shapes: NumPy's broadcasting, and errors that name both shapes and the first axis that does not fit.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("operands broadcast from the right; extents of 1 and missing axes repeat") {
  // --8<-- [start:broadcast]
  const Array<float, 2> column = make_array<float>({{10}, {20}});
  const Array<float, 1> row = make_array<float>({1, 2, 3});
  CHECK(array_equal(column + row, make_array<float>({{11, 12, 13}, {21, 22, 23}})));
  // --8<-- [end:broadcast]
  CHECK((column + row).shape() == Dim{2, 3});
  CHECK((zeros<float>(Dim{4, 1, 3}) * zeros<float>(Dim{5, 1})).shape() == Dim{4, 5, 3});
  CHECK((zeros<float>(Dim{1}) + zeros<float>(Dim{0})).shape() == Dim<1>{0});
}

TEST_CASE("an expression of lower rank or extent 1 is broadcast to the elements on the left" *
          doctest::test_suite("any place")) {
  Array<float, 2> a = there(Array<float, 2>(Dim{2, 3}));
  a(ellipsis) = there(make_array<float>({1, 2, 3})) * 2;
  CHECK(array_equal(a, there(make_array<float>({{2, 4, 6}, {2, 4, 6}}))));
  a(ellipsis) = there(make_array<float>({{5}, {6}})) + 0;
  CHECK(array_equal(a, there(make_array<float>({{5, 5, 5}, {6, 6, 6}}))));
  a(ellipsis) = sum(a);
  CHECK(array_equal(a, there(full(Dim{2, 3}, 33.0f))));
}

TEST_CASE("operands that do not broadcast are a ShapeError when the expression is written") {
  // --8<-- [start:error]
  const Array<float, 2> a = zeros<float>(Dim{2, 3});
  const Array<float, 1> b = zeros<float>(Dim{4});
  try {
    a + b;
  } catch (const ShapeError& error) {
    CHECK(std::string(error.what()) ==
          "operator +: the shapes (2, 3) and (4,) do not broadcast: axis 1 has extents 3 and 4; extents must be equal, "
          "or one of them 1");
  }
  // --8<-- [end:error]
  CHECK(message_of<ShapeError>([&] { a + b; }) != "nothing was thrown");
}

TEST_CASE("the message names the operation, and the first offending axis of several") {
  const Array<float, 3> a = zeros<float>(Dim{2, 3, 4});
  const Array<float, 3> b = zeros<float>(Dim{2, 5, 6});
  const auto message = message_of<ShapeError>([&] { (void)(a < b); });
  CHECK(
      contains(message, "operator <: the shapes (2, 3, 4) and (2, 5, 6) do not broadcast: axis 1 has extents 3 and 5"));
  CHECK(contains(message_of<ShapeError>([&] { maximum(a, b); }), "maximum: "));
  CHECK(contains(message_of<ShapeError>([&] { pow(a, b); }), "pow: "));
  CHECK(contains(message_of<ShapeError>([&] { a + zeros<float>(Dim{0}); }), "axis 2 has extents 4 and 0"));
}

TEST_CASE("of three operands the message names the two that disagree") {
  const Array<bool, 1> condition = full(Dim{1}, true);
  const auto message = message_of<ShapeError>([&] { where(condition, zeros<float>(Dim{3}), zeros<float>(Dim{4})); });
  CHECK(contains(message, "where: the shapes (3,) and (4,) do not broadcast: axis 0 has extents 3 and 4"));
}

TEST_CASE("an expression that does not fit the elements on the left is a ShapeError, and nothing is written") {
  Array<float, 2> a = full(Dim{2, 3}, 7.0f);
  const auto message = message_of<ShapeError>([&] { a(ellipsis) = zeros<float>(Dim{2, 4}) * 1; });
  CHECK(contains(message, "assignment: "));
  CHECK(contains(message, "(2, 4)"));
  CHECK(contains(message, "(2, 3)"));
  CHECK(contains(message, "axis 1"));
  CHECK(contains(message_of<ShapeError>([&] { a(ellipsis) = sum<0>(zeros<float>(Dim{3, 2})); }), "(2,)"));
  CHECK(contains(message_of<ShapeError>([&] { a += zeros<float>(Dim{3, 3}); }),
                 "operator +: the shapes (2, 3) and (3, 3)"));
  CHECK(contains(message_of<ShapeError>([&] { a(0, all) = zeros<float>(Dim{2}); }), "assignment"));
  CHECK(array_equal(a, full(Dim{2, 3}, 7.0f)));
}

TEST_CASE("the elements on the left are never broadcast") {
  Array<float, 1> a = full(Dim{1}, 7.0f);
  CHECK(contains(message_of<ShapeError>([&] { a(all) = zeros<float>(Dim{3}) + 1; }), "assignment"));
  CHECK(a[{0}] == 7.0f);
}

TEST_CASE("whole-array answers compare shapes first" * doctest::test_suite("any place")) {
  CHECK(!array_equal(there(zeros<float>(Dim{2})), there(zeros<float>(Dim{1}))));
  CHECK(!array_equal(there(zeros<float>(Dim{2, 1})), there(zeros<float>(Dim{2}))));
  CHECK(array_equal(there(zeros<float>(Dim{0, 3})), there(ones<float>(Dim{0, 3}))));
  CHECK(!allclose(there(zeros<float>(Dim{2})), there(zeros<float>(Dim{3}))));
  const float infinity = std::numeric_limits<float>::infinity();
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  CHECK(allclose(there(make_array<float>({1, infinity})), there(make_array<float>({1.000001f, infinity}))));
  CHECK(!allclose(there(make_array<float>({infinity})), there(make_array<float>({-infinity}))));
  CHECK(!allclose(there(make_array<float>({1})), there(make_array<float>({infinity}))));
  CHECK(!allclose(there(make_array<float>({not_a_number})), there(make_array<float>({not_a_number}))));
  CHECK(!array_equal(there(make_array<float>({not_a_number})), there(make_array<float>({not_a_number}))));
}

TEST_CASE("a repeated operand that is wider than the result is read as one value" * doctest::test_suite("any place")) {
  const Array<double, 2> x = reshape(there(arange(4000.0)), Dim{4, 1000});
  const Array<double, 2> limits = there(make_array<double>({{500}, {1200}, {2000}, {4000}}));
  CHECK(array_equal(sum<1>(x > limits), there(make_array<std::int64_t>({499, 799, 999, 0}))));
  const Array<bool, 2> above = evaluate(x > limits);
  CHECK(array_equal(count_nonzero<1>(above), there(make_array<std::int64_t>({499, 799, 999, 0}))));
}
