// x(rows, columns) and x(mask) of dynamic arrays, read and written, against static arrays.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class Call>
std::string index_error(const Call& call) {
  try {
    call();
  } catch (const IndexError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("index arrays and masks pick what they pick of static arrays") {
  // --8<-- [start:picked]
  DArray x = reshape(arange(12.0f), 3, 4);
  DArray rows = Array<int, 1>{2, 0}, columns = Array<int, 1>{-1, 1};
  DArray some = x(rows, columns);  // elements (2, 3) and (0, 1)
  DArray slices = x(rows, all);    // two rows
  x(x > 8) = 0;                    // a mask, written
  x(rows, 0) += 100;
  // --8<-- [end:picked]
  CHECK(is_same(some, Array<float, 1>{11, 1}));
  CHECK(is_same(slices, make_array<float>({{8, 9, 10, 11}, {0, 1, 2, 3}})));
  CHECK(is_same(x, make_array<float>({{100, 1, 2, 3}, {4, 5, 6, 7}, {108, 0, 0, 0}})));
}

TEST_CASE("all kinds of indexers beside index arrays, in any order") {
  std::mt19937 random(70);
  const Array<std::int16_t, 3> a = random_array<std::int16_t>(Dim{4, 5, 6}, random);
  const DArray x = a;
  const Array<std::int64_t, 1> i{3, 0, -1, 0};
  const Array<std::uint8_t, 2> j = make_array<std::uint8_t>({{1, 4}, {0, 2}});
  const Array<std::int8_t, 2> k = make_array<std::int8_t>({{1, 3}, {0, -2}});
  const Array<bool, 1> m{true, false, true, true, false, true};
  const Array<bool, 2> both = a(all, all, 0) > std::int16_t{0};
  const DArray di = i, dj = j, dk = k, dm = m, dboth = both;
  CHECK(is_same(x(di, all, all), evaluate(a(i, all, all))));
  CHECK(is_same(x(di), evaluate(a(i, ellipsis))));
  CHECK(is_same(x(all, dj), evaluate(a(all, j, all))));
  CHECK(is_same(x(ellipsis, di), evaluate(a(ellipsis, i))));
  CHECK(is_same(x(dk, 2, all), evaluate(a(k, 2, all))));
  CHECK(is_same(x(dk, all, 2), evaluate(a(k, all, 2))));
  CHECK(is_same(x(di, range(4, 0, -2), di), evaluate(a(i, range(4, 0, -2), i))));
  CHECK(is_same(x(all, di, di), evaluate(a(all, i, i))));
  CHECK(is_same(x(dk, newaxis, range(1, 3), 0), evaluate(a(k, newaxis, range(1, 3), 0))));
  CHECK(is_same(x(all, all, dm), evaluate(a(all, all, m))));
  CHECK(is_same(x(dboth, range(0, 2)), evaluate(a(both, range(0, 2)))));
  CHECK(is_same(x(dboth), evaluate(a(both, all))));
  CHECK(is_same(x.T()(di, all, 1), evaluate(a.T()(i, all, 1))));
  CHECK(is_same(x(i, all, all), evaluate(a(i, all, all))));  // static arrays index, too
}

TEST_CASE("of an element that is picked several times the last value stays, and += adds all") {
  const Array<int, 2> a = zeros<int>(Dim{2, 3});
  const DArray x = a;
  const DArray rows = Array<int, 1>{0, 0, 1}, columns = Array<int, 1>{1, 1, 2};
  x(rows, columns) = DArray(Array<int, 1>{5, 6, 7});
  CHECK(is_same(x, make_array<int>({{0, 6, 0}, {0, 0, 7}})));
  x(rows, columns) += 10;
  CHECK(is_same(x, make_array<int>({{0, 26, 0}, {0, 0, 17}})));
  x(rows, columns) -= DArray(Array<int, 1>{1, 2, 3});
  x(rows, columns) *= 2;
  x(rows, columns) /= 0;  // as in expressions
  CHECK(is_same(x, make_array<int>({{0, 0, 0}, {0, 0, 0}})));
  x(DArray(Array<int, 1>{1, 0}), all) = x(DArray(Array<int, 1>{0, 1}), all);  // read before
  x(rows) = 0;
}

TEST_CASE("expressions, halves and complex numbers as sources") {
  const Array<float16, 1> halves = zeros<float16>(Dim{4});
  const DArray h = halves;
  h(DArray(Array<int, 1>{0, 3})) = DArray(Array<float, 1>{0.5f, 1.5f}) * 2;
  CHECK(is_same(h, evaluate(cast<float16>(Array<float, 1>{1, 0, 0, 3}))));
  h(DArray(Array<int, 1>{0, 0})) *= 0.5;
  CHECK(h[{0}] == DValue(float16(0.25f)));
  const Array<std::complex<float>, 1> z = zeros<std::complex<float>>(Dim{2});
  const DArray c = z;
  c(DArray(Array<bool, 1>{false, true})) += std::complex<float>(1, 2);
  CHECK(is_same(c, Array<std::complex<float>, 1>{{0, 0}, {1, 2}}));
}

TEST_CASE("what is picked is an operand") {
  const Array<float, 2> a = reshape(arange(12.0f), 3, 4);
  const DArray x = a;
  const Array<int, 1> i{2, 0}, j{-1, 1};
  const DArray rows = i, columns = j;
  CHECK(is_same(x(rows, columns) + 1, evaluate(a(i, j) + 1)));
  CHECK(is_same(2 * x(rows) - x(DArray(j)), evaluate(2 * a(i, all) - a(j, all))));
  CHECK(is_same(exp(x(rows, columns)), evaluate(exp(a(i, j)))));
  CHECK(is_same(round(x(rows) / 3, 1), evaluate(round(a(i, all) / 3, 1))));
  CHECK(is_same(sum(x(x > 5)), Array<float, 0>(51)));
  CHECK(is_same(mean(x(rows), 1), evaluate(mean<1>(a(i, all)))));
  CHECK(is_same(sort(x(rows, columns)), evaluate(sort(a(i, j)))));
  CHECK(is_same(concat({x(rows), x}, 0), evaluate(concat<0>(a(i, all), a))));
  CHECK(is_same(where(x(rows) > 4, x(rows), 0), evaluate(where(a(i, all) > 4, a(i, all), 0))));
  CHECK(is_same(matmul(x(rows), x.T()), evaluate(matmul(a(i, all), a.T()))));
  CHECK(is_same(transpose(x(rows)), transpose(evaluate(a(i, all)))));
  CHECK(is_same(cast(x(rows), DType::int8), evaluate(cast<std::int8_t>(a(i, all)))));
  CHECK(is_same(x(cast(x(rows, 0) / 4, DType::int32)), evaluate(a(Array<int, 1>{2, 0}, all))));
  CHECK(x(rows).rank() == 2);
  CHECK(to_string(x(rows, columns)) == to_string(DArray(x(rows, columns))));
  DArray y = zeros(DType::float32, make_ddim({2}));
  y += x(rows, columns);
  CHECK(is_same(y, Array<float, 1>{11, 1}));
  y = x(rows);
  CHECK(is_same(y, evaluate(a(i, all))));
  y({range(0, 1), all}) = x(DArray(Array<int, 1>{1}));
  CHECK(is_same(y, make_array<float>({{4, 5, 6, 7}, {0, 1, 2, 3}})));
  y(rows - 1) += x(rows);  // rows 1 and -1
  CHECK(is_same(y, make_array<float>({{4, 5, 6, 7}, {8, 11, 14, 17}})));
}

TEST_CASE("views of expressions are views of their values") {
  const Array<int, 2> a = reshape(arange(6), 2, 3);
  const DArray x = a;
  CHECK(is_same(transpose(x + 1), evaluate(transpose(a + 1))));
  CHECK(is_same(reshape(x * 2, {3, 2}), evaluate(reshape(a * 2, 3, 2))));
  CHECK(is_same(flatten(-x), evaluate(flatten(-a))));
  CHECK(is_same(copy(broadcast_to(x - 1, make_ddim({2, 2, 3}))), evaluate(broadcast_to(a - 1, Dim{2, 2, 3}))));
  CHECK(is_same(copy(x + x), evaluate(a + a)));
  CHECK(get(x * x, make_ddim({1, 2})) == DValue(25));
  CHECK_THROWS_AS(reshape(x + 1, {4}), ShapeError);
}

TEST_CASE("compound operators of integers") {
  const Array<int, 1> a{1, -7, 12, 5};
  const Array<int, 1> b{3, 4, 5, 1};
  DArray x = copy(a);
  Array<int, 1> expected = copy(a);
  x <<= 2, expected <<= 2;
  x %= DArray(b), expected %= b;
  x |= DArray(b), expected |= b;
  x ^= 9, expected ^= 9;
  x &= DArray(b) + 8, expected &= b + 8;
  x >>= 1, expected >>= 1;
  CHECK(is_same(x, expected));
  DArray halves = arange(3.0f);
  CHECK_THROWS_AS(halves &= 1, DTypeError);
  CHECK(is_same(halves, arange(3.0f)));
}

TEST_CASE("nothing is written where something is wrong") {
  const Array<int, 2> a = zeros<int>(Dim{2, 3});
  const DArray x = a;
  CHECK(has(index_error([&] { x(DArray(Array<int, 1>{0, 2})) = 1; }),
            "index 2 at position 1 is outside axis 0 of extent 2"));
  CHECK_THROWS_AS(x(DArray(arange(2)), all, all, 0), IndexError);
  CHECK_THROWS_AS(x(DArray(arange(2)), 3), IndexError);
  CHECK_THROWS_AS(x(DArray(arange(2.0))), DTypeError);
  CHECK_THROWS_AS(x(DArray(arange(2)), DArray(arange(3))), ShapeError);
  CHECK_THROWS_AS(x(DArray(Array<bool, 1>{true, false, true})), ShapeError);
  CHECK_THROWS_AS(x(DArray(Array<int, 1>{0})) = 1.5, DTypeError);
  CHECK_THROWS_AS(x(DArray(Array<int, 1>{0})) = DArray(arange(2)), ShapeError);
  CHECK_THROWS_AS(x(DArray(Array<int, 1>{0})) = DArray(arange(3.0)), DTypeError);
  CHECK_THROWS_AS(x.as_read_only()(DArray(Array<int, 1>{0})) = 1, DTypeError);
  const DArray mask = zeros(DType::boolean, make_ddim({2}));
  CHECK_THROWS_AS(mask(DArray(Array<int, 1>{0})) += true, DTypeError);
  CHECK(is_same(x, zeros<int>(Dim{2, 3})));
  CHECK(DArray(x(DArray(Array<int, 1>(Dim{0})))).shape() == make_ddim({0, 3}));
  x(DArray(Array<int, 1>(Dim{0}))) = 5;
  x(mask) = 5;
  CHECK(is_same(x, zeros<int>(Dim{2, 3})));
}

TEST_CASE("positions, diagonals and triangles, and picking along an axis") {
  std::mt19937 random(71);
  const Array<int, 3> a = random_array<int>(Dim{3, 4, 5}, random);
  const DArray x = a;
  CHECK(is_same(flatnonzero(x), flatnonzero(a)));
  const auto fixed = nonzero(a);
  const std::vector<DArray> found = nonzero(x);
  REQUIRE(found.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(is_same(found[k], fixed[k]));
  CHECK(is_same(argwhere(x > 0), argwhere(a > 0)));
  CHECK(is_same(unravel_index(DArray(arange(10)), x.shape())[2], unravel_index(arange(10), a.shape())[2]));
  for (const std::ptrdiff_t offset : {-9, -2, 0, 1, 7}) {
    CHECK(is_same(diagonal(x, offset), copy(diagonal(a, offset))));
    CHECK(is_same(trace(x, offset), evaluate(trace(a, offset))));
    CHECK(is_same(tril(x, offset), evaluate(tril(a, offset))));
    CHECK(is_same(triu(x, offset), evaluate(triu(a, offset))));
  }
  const Array<std::int64_t, 3> order = argsort<1>(a);
  CHECK(is_same(take_along_axis(x, DArray(order), 1), evaluate(take_along_axis<1>(a, order))));
  const DArray written = x.clone();
  put_along_axis(written, DArray(argmax(x, 1)).reshape({3, 1, 5}), DArray(Array<int, 0>(99)), 1);
  const Array<int, 3> expected = a.clone();
  put_along_axis<1>(expected, argmax<1>(a, keepdims), 99);
  CHECK(is_same(written, expected));
  CHECK_THROWS_AS(take_along_axis(x, DArray(arange(3)), 1), ShapeError);
  CHECK_THROWS_AS(diagonal(DArray(arange(3))), ShapeError);
  CHECK_THROWS_AS(flatnonzero(DArray(Array<int, 0>(1))), ShapeError);
  CHECK_THROWS_AS(unravel_index(DArray(arange(70)), x.shape()), IndexError);
}
