// Contractions on a GPU give what they give on the CPU.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

constexpr double tolerance = 1e-4;

template <class T>
void check_strings() {
  INFO(name(dtype_of<T>));
  const Array<T, 2> a = numbers<T>(Dim{3, 4}, 1), b = numbers<T>(Dim{4, 5}, 2), square = numbers<T>(Dim{4, 4}, 3);
  const Array<T, 3> x = numbers<T>(Dim{2, 3, 4}, 4), y = numbers<T>(Dim{2, 4, 5}, 5);
  const Array<T, 1> v = numbers<T>(Dim{4}, 6);
  const auto check = [](const char* text, const auto& program) { check_alike(text, tolerance, program); };
  check("a product", [&](Place p) { return evaluate(einsum<"ij,jk->ik">(a.to(p), b.to(p))); });
  check("one of which a factor is transposed",
        [&](Place p) { return evaluate(einsum<"ji,jk->ik">(a.to(p).T(), b.to(p))); });
  check("a batch", [&](Place p) { return evaluate(einsum<"bij,bjk->bik">(x.to(p), y.to(p))); });
  check("a batch with its axis last", [&](Place p) { return evaluate(einsum<"bij,bjk->ikb">(x.to(p), y.to(p))); });
  check("a trace", [&](Place p) { return evaluate(einsum<"ii">(square.to(p))); });
  check("a diagonal", [&](Place p) { return evaluate(einsum<"ii->i">(square.to(p))); });
  check("a transposition", [&](Place p) { return evaluate(einsum<"ijk->kji">(x.to(p))); });
  check("sums of rows", [&](Place p) { return evaluate(einsum<"ij->i">(a.to(p))); });
  check("sums over two axes", [&](Place p) { return evaluate(einsum<"ijk->j">(x.to(p))); });
  check("an outer product", [&](Place p) { return evaluate(einsum<"i,j->ij">(v.to(p), v.to(p))); });
  check("an inner product", [&](Place p) { return evaluate(einsum<"i,i">(v.to(p), v.to(p))); });
  check("three operands", [&](Place p) { return evaluate(einsum<"ij,jk,k->i">(a.to(p), square.to(p), v.to(p))); });
  check("an ellipsis", [&](Place p) { return evaluate(einsum<"...ij,jk->...ik">(x.to(p), b.to(p))); });
  check("an expression", [&](Place p) { return evaluate(einsum<"ijk,k->ji">(x.to(p) + x.to(p), v.to(p))); });
}

}  // namespace

TEST_CASE("strings are contracted on a GPU") {
  check_strings<float>();
  check_strings<double>();
  check_strings<std::int32_t>();
  check_strings<std::complex<float>>();
}

TEST_CASE("the functions made of contractions, and dynamic arrays") {
  const auto a = numbers<float>(Dim{3, 4}, 1), b = numbers<float>(Dim{4, 3}, 2), square = numbers<float>(Dim{4, 4}, 3);
  check_alike("tensordot", tolerance, [&](Place p) { return evaluate(tensordot<1>(a.to(p), b.to(p))); });
  check_alike("inner", tolerance, [&](Place p) { return evaluate(inner(a.to(p), a.to(p))); });
  check_alike("kron", tolerance, [&](Place p) { return evaluate(kron(a.to(p), b.to(p))); });
  check_alike("matrix_power", tolerance, [&](Place p) { return evaluate(matrix_power(square.to(p), 3)); });
  const DArray there = DArray(a).to(GpuPlace{0}), other = DArray(b).to(GpuPlace{0});
  const DArray found = einsum("ij,jk->ki", {there, other});
  CHECK(found.place() == Place(GpuPlace{0}));
  CHECK(difference(values_of(get<Array<float, 2>>(found)), values_of(evaluate(einsum<"ij,jk->ki">(a, b))), tolerance) ==
        "");
}

TEST_CASE("operands of several places are refused with their names") {
  const auto a = numbers<float>(Dim{3, 4}, 1);
  const auto there = a.to(Place(GpuPlace{0}));
  CHECK_THROWS_WITH_AS((einsum<"ij,ij->i">(a, there)), doctest::Contains("an operand is on gpu:0, another one on cpu"),
                       PlaceError);
  CHECK_THROWS_AS(einsum("ij,ij->i", {DArray(a), DArray(there)}), PlaceError);
}
