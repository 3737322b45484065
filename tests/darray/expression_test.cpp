// Tests of expressions of dynamic arrays: against the static ones, bit for bit, for types, layouts and scalars; and what is refused.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <utility>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

/// Both ways, for every pair of layouts.
template <class A, class B, class Tree>
void check_tree(const Tree& tree, std::mt19937& random) {
  for (int layout = 0; layout < layouts; ++layout) {
    const Array<A, 2> a = random_matrix<A>(5, 7, layout, random);
    const Array<B, 2> b = random_matrix<B>(5, 7, static_cast<int>(random() % layouts), random);
    const auto expected = evaluate(tree(a, b));
    const DArray found = tree(DArray(a), DArray(b));
    CAPTURE(layout);
    CAPTURE(name(dtype_of<A>));
    CAPTURE(name(dtype_of<B>));
    CHECK(is_same(found, expected));
    CHECK(is_same(DArray(DExpression(tree(DArray(a), DArray(b)))), expected));  // by a program, whatever the types
    CHECK(is_same(DArray(tree(a, DArray(b))), expected));
    CHECK(is_same(DArray(tree(DArray(a), b)), expected));
  }
}

template <class A, class B, class... Trees>
void check_trees(const std::tuple<Trees...>& trees) {
  std::mt19937 random(1811);
  std::apply([&](const auto&... tree) { (check_tree<A, B>(tree, random), ...); }, trees);
}

const auto arithmetic = std::tuple{
    [](const auto& a, const auto& b) { return a + 2 * b; },
    [](const auto& a, const auto& b) { return (a - b) * (b + 3) - a * a; },
    [](const auto& a, const auto& b) { return where(a > b, a, b * 2) - abs(a); },
    [](const auto& a, const auto& b) { return (a < b) | (a == b); },
};
const auto inexact = std::tuple{
    [](const auto& a, const auto& b) { return exp(a) / (b * b + 1.5) - 0.25 * a; },
    [](const auto& a, const auto& b) { return sqrt(a * a + b * b) * sin(a); },
};
const auto floating = std::tuple{
    [](const auto& a, const auto& b) { return maximum(a, b) * sigmoid(a) + relu(b) - clip(a, -0.5, 0.5); },
    [](const auto& a, const auto& b) { return where(isnan(log(a)), 0.1, log1p(b)) + copysign(a, b); },
};
const auto complex = std::tuple{
    [](const auto& a, const auto& b) { return a * b - conj(a) / (b + 2.5); },
    [](const auto& a, const auto& b) { return abs(a + b) + real(a * b); },
};
const auto integral = std::tuple{
    [](const auto& a, const auto& b) { return (a & b) | (a ^ 3); },
    [](const auto& a, const auto& b) { return a / b + a % b - floor_divide(a, 3) * remainder(b, 2); },
    [](const auto& a, const auto& b) { return (a << 2) + (b >> 1) + ~a; },
};

}  // namespace

TEST_CASE("floating trees are those of static arrays, bit for bit") {
  check_trees<float, float>(std::tuple_cat(arithmetic, inexact, floating));
  check_trees<double, double>(std::tuple_cat(arithmetic, inexact, floating));
}

TEST_CASE("trees of different floating types are those of static arrays, bit for bit") {
  check_trees<float, double>(std::tuple_cat(arithmetic, inexact));
  check_trees<float16, float16>(std::tuple_cat(arithmetic, floating));
  check_trees<bfloat16, float>(std::tuple_cat(arithmetic, inexact));
  check_trees<float16, bfloat16>(std::tuple_cat(arithmetic));
}

TEST_CASE("integer trees are those of static arrays, bit for bit") {
  check_trees<int, int>(std::tuple_cat(arithmetic, integral));
  check_trees<std::int8_t, std::int16_t>(std::tuple_cat(arithmetic, integral));
  check_trees<std::uint8_t, std::int8_t>(std::tuple_cat(arithmetic, integral));
  check_trees<std::uint64_t, std::uint32_t>(std::tuple_cat(arithmetic));
}

TEST_CASE("complex trees are those of static arrays, bit for bit") {
  check_trees<std::complex<float>, std::complex<float>>(std::tuple_cat(inexact, complex));
  check_trees<std::complex<double>, std::complex<float>>(complex);
  check_trees<std::complex<float>, float>(inexact);
}

TEST_CASE("logic is that of static arrays") {
  check_trees<bool, bool>(std::tuple{[](const auto& a, const auto& b) { return (a & !b) | (a ^ b); },
                                     [](const auto& a, const auto& b) { return logical_and(a, b) == logical_not(a); }});
}

TEST_CASE("long operands are computed as static ones, on several threads and where chunks end") {
  std::mt19937 random(3);
  for (const std::ptrdiff_t count : {63, 64, 65, 1023, 1025, 4097, 300001}) {
    const Array<int, 1> a = random_array<int>(Dim{count}, random), b = random_array<int>(Dim{count}, random);
    const Array<float16, 1> h = random_array<float16>(Dim{count}, random);
    const auto whole = [](const auto& x, const auto& y) { return (x + y) * 3 - x * (y - 7) + (x & y) * y; };
    const auto half = [](const auto& x) { return exp(x) * 0.5 + (x - 1.f) * x; };
    CHECK(is_same(DArray(whole(DArray(a), DArray(b))), evaluate(whole(a, b))));
    CHECK(is_same(DArray(half(DArray(h))), evaluate(half(h))));
    CHECK(is_same(DArray(where(DArray(a) > 0, DArray(a), -1)), evaluate(where(a > 0, a, -1))));
  }
}

TEST_CASE("operands broadcast, ranks may differ, and all three of where") {
  std::mt19937 random(5);
  const Array<int, 2> a = random_array<int>(Dim{4, 3}, random);
  const Array<int, 1> row = random_array<int>(Dim{3}, random);
  const Array<int, 3> deep = random_array<int>(Dim{2, 1, 1}, random);
  const Array<bool, 1> mask = random_array<bool>(Dim{3}, random);
  CHECK(is_same(DArray(DArray(a) + DArray(row)), evaluate(a + row)));
  CHECK(is_same(DArray(where(DArray(mask), DArray(deep), DArray(a))), evaluate(where(mask, deep, a))));
  const Array<float, 2> f = random_array<float>(Dim{4, 3}, random);
  const Array<float, 2> column = random_array<float>(Dim{4, 1}, random);
  CHECK(is_same(DArray(DArray(f) * DArray(column) - 1), evaluate(f * column - 1)));
  CHECK_THROWS_AS(DArray(DArray(a) + make_darray({1, 2})), ShapeError);
  CHECK(is_same(DArray(where(DArray(mask), 1, 0)), evaluate(where(mask, 1, 0))));
  CHECK(is_same(DArray(where(true, DArray(deep), DArray(a))), evaluate(where(true, deep, a))));
  CHECK(is_same(DArray(where(false, DArray(deep), 5)), evaluate(where(false, deep, 5))));
  CHECK(is_same(DArray(where(DArray(mask), 1.5f, 0)), evaluate(where(mask, 1.5f, 0))));
}

TEST_CASE("scalars are weak, and integers that do not fit mean what they mean beside static arrays") {
  std::mt19937 random(6);
  const Array<std::int8_t, 1> a = random_array<std::int8_t>(Dim{20}, random);
  const DArray d = a;
  CHECK(is_same(DArray(d + 300), evaluate(a + 300)));
  CHECK(is_same(DArray(d < 300), evaluate(a < 300)));
  CHECK(is_same(DArray(-300 >= d), evaluate(-300 >= a)));
  CHECK(is_same(DArray(d != 1000), evaluate(a != 1000)));
  CHECK(is_same(DArray(d << 300), evaluate(a << 300)));
  CHECK_THROWS_AS(DArray(d / 300), DTypeError);
  CHECK_THROWS_AS(DArray(maximum(d, 300)), DTypeError);
  CHECK_THROWS_AS(DArray(d * 2.5), DTypeError);
  CHECK_THROWS_AS(DArray(d + true), DTypeError);
  const Array<float, 1> f = random_array<float>(Dim{20}, random);
  CHECK(is_same(DArray(DArray(f) * float16(0.1f)), evaluate(f * float16(0.1f))));
  CHECK(is_same(DArray(DArray(f) * std::complex<double>(1, 2)), evaluate(f * std::complex<double>(1, 2))));
  CHECK(is_same(DArray(0.1 / DArray(f)), evaluate(0.1 / f)));
}

TEST_CASE("what has no common type is a DTypeError that describes the operands") {
  const DArray f = make_darray({2}, 1.f), i = make_darray({2}, 1), b = make_darray({2}, true);
  CHECK_THROWS_WITH_AS(DArray(f + i),
                       "operator +: the element types have no common type (bool with numbers, integers with floats, "
                       "int64 with uint64); the operands are "
                       "float32 (2,) on cpu, int32 (2,) on cpu; convert one of them: cast(x, dtype)",
                       DTypeError);
  CHECK_THROWS_AS(DArray(b + b), DTypeError);
  CHECK_THROWS_AS(DArray(sin(i)), DTypeError);
  CHECK_THROWS_AS(DArray(f & f), DTypeError);
  CHECK_THROWS_AS(DArray(where(f, f, f)), DTypeError);
  CHECK_THROWS_AS(DArray(cast(f, DType::complex64) < 1), DTypeError);
  CHECK_THROWS_AS(DArray(cast(i, DType::int64) + cast(i, DType::uint64)), DTypeError);
}

TEST_CASE("a kept expression keeps its operands, and an expression may be used twice") {
  DExpression kept = [] {
    const DArray x = make_darray({{1, 2}, {3, 4}});
    return DExpression(x * x + 1);
  }();
  CHECK(kept.dtype() == DType::int32);
  CHECK(kept.shape() == make_ddim({2, 2}));
  const DArray twice = kept + kept;
  CHECK(to_string(twice) == "[[ 4 10]\n [20 34]]");
  kept = twice - 1;
  CHECK(int(DArray(kept)[{0, 0}]) == 3);
  const auto tree = make_darray({3}, 2.f) * 3;  // its form is kept, too
  CHECK(float(DArray(tree + tree)[{2}]) == 12.f);
  CHECK(tree.rank() == 1);
}

TEST_CASE("what has rank 0 is a value") {
  const DArray x = make_darray({{1.5, 2.5}, {3.5, 4.5}});
  const double total = sum(x);
  CHECK(total == 12.0);
  CHECK(double(mean(x) * 2) == 6.0);
  CHECK(bool(any(x > 4)));
  CHECK_THROWS_AS(static_cast<void>(double(x + 1)), ShapeError);
}

TEST_CASE("trees with more operands and steps than fit in place") {
  std::mt19937 random(7);
  const Array<int, 1> a = random_array<int>(Dim{3000}, random);
  DExpression sum_of = DArray(a) + 0;
  Array<int, 1> expected = copy(a);
  for (int k = 1; k < 60; ++k) {
    const Array<std::int16_t, 1> more = random_array<std::int16_t>(Dim{3000}, random);
    sum_of = DExpression(DArray(more) * k + sum_of);
    expected += more * k;
  }
  CHECK(is_same(DArray(sum_of), expected));
}

TEST_CASE("an expression that is doubled again and again stays short, and is not rounded in between") {
  DExpression whole = make_darray({3}, 1) + 0;
  DExpression half = make_darray({3}, float16(0.0009765f)) + 1.f;
  for (int k = 0; k < 20; ++k) whole = whole + whole;
  for (int k = 0; k < 12; ++k) half = half + half;
  CHECK(int(DArray(whole)[{2}]) == 1 << 20);
  CHECK(whole.steps().steps.size() < 1100);
  CHECK(double(DArray(cast(half, DType::float32))[{1}]) == doctest::Approx(4096 + 4).epsilon(1e-4));
}
