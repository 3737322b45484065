// einsum and its like with strings that are read at run time, against those that the compiler reads.
#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("strings that are read at run time contract as those of static arrays") {
  std::mt19937 random(72);
  const Array<double, 2> a = random_array<double>(Dim{3, 4}, random), b = random_array<double>(Dim{4, 5}, random);
  const Array<double, 2> square = random_array<double>(Dim{4, 4}, random);
  const Array<float, 3> batch = random_array<float>(Dim{2, 3, 4}, random);
  // --8<-- [start:einsum]
  const DArray x = a, y = b;
  DArray product = einsum("ij,jk->ik", {x, y});
  DArray columns = einsum("ij->j", {x});  // sums of columns
  // --8<-- [end:einsum]
  CHECK(is_same(product, evaluate(einsum<"ij,jk->ik">(a, b))));
  CHECK(is_same(columns, evaluate(einsum<"ij->j">(a))));
  CHECK(is_same(einsum("ii", {square}), evaluate(einsum<"ii">(square))));
  CHECK(is_same(einsum("ij,kj", {x, DArray(b.T())}), evaluate(einsum<"ij,kj">(a, b.T()))));
  CHECK(is_same(einsum("...ij,jk->...ik", {batch, DArray(cast<float>(b))}),
                evaluate(einsum<"...ij,jk->...ik">(batch, cast<float>(b)))));
  CHECK(is_same(einsum("ij,jk,kl->il", {x, DArray(square), y}), evaluate(einsum<"ij,jk,kl->il">(a, square, b))));
  CHECK(is_same(einsum("ij,jk->ik", {DArray(cast<float>(a)), y}), evaluate(einsum<"ij,jk->ik">(cast<float>(a), b))));
  CHECK(is_same(tensordot(x, y, 1), evaluate(tensordot<1>(a, b))));
  CHECK(is_same(tensordot(x, x), evaluate(tensordot<2>(a, a))));
  CHECK(is_same(inner(x, x), evaluate(inner(a, a))));
  CHECK(is_same(kron(x, y), evaluate(kron(a, b))));
  CHECK(is_same(cross(x(all, range(0, 3)), x(all, range(1, 4))),
                evaluate(cross(a(all, range(0, 3)), a(all, range(1, 4))))));
  CHECK(is_same(matrix_power(DArray(square), 5), evaluate(matrix_power(square, 5))));
  CHECK(is_same(matrix_power(DArray(square), 0), eye<double>(4)));
}

TEST_CASE("integers wrap, halves are summed in float") {
  std::mt19937 random(73);
  const Array<std::int8_t, 2> i = random_array<std::int8_t>(Dim{3, 4}, random);
  const Array<float16, 2> h = random_array<float16>(Dim{3, 4}, random);
  const Array<std::complex<float>, 2> z = random_array<std::complex<float>>(Dim{3, 4}, random);
  CHECK(is_same(einsum("ij,ij->i", {i, i}), evaluate(einsum<"ij,ij->i">(i, i))));
  CHECK(is_same(einsum("ij,ij->i", {h, h}), evaluate(einsum<"ij,ij->i">(h, h))));
  CHECK(is_same(einsum("ij,ij->i", {z, z}), evaluate(einsum<"ij,ij->i">(z, z))));
}

TEST_CASE("strings and shapes that do not fit say where") {
  const DArray x = zeros(DType::float32, make_ddim({2, 3}));
  const auto message = [&](std::string_view text, std::initializer_list<DArray> arrays) -> std::string {
    try {
      einsum(text, arrays);
    } catch (const ShapeError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(message("ij,jk->iz", {x, x.T()}).find("at character 8: no operand has this letter") != std::string::npos);
  CHECK(message("ij", {x, x}).find("too few operands") != std::string::npos);
  CHECK(message("ij,jk->ik", {x, x}).find("'j' has 3 elements") != std::string::npos);
  CHECK_THROWS_AS(einsum("", std::span<const DArray>{}), ShapeError);
  CHECK_THROWS_AS(einsum("ij", {DArray(x > 0)}), DTypeError);
  CHECK_THROWS_AS(tensordot(x, x, 3), IndexError);
  CHECK_THROWS_AS(inner(x, x({0, 0})), ShapeError);
  CHECK_THROWS_AS(kron(x, x({0})), ShapeError);
  CHECK_THROWS_AS(cross(x, x.T()), ShapeError);
  CHECK_THROWS_AS(matrix_power(x, 2), ShapeError);
  CHECK_THROWS_AS(matrix_power(x(all, range(0, 2)), -1), ShapeError);
  CHECK(einsum("ij->", {zeros(DType::float32, make_ddim({0, 3}))}).item() == DValue(0.0f));
}
