// Tests of matrix products and normalisations of dynamic arrays, and of their random numbers, against the static functions.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class T>
void check_products(std::mt19937& random) {
  const Array<T, 2> a = random_matrix<T>(9, 21, 1, random), b = random_matrix<T>(21, 17, 2, random);
  const Array<T, 1> u = b(all, 0), v = a(0, all);
  const DArray x = a, y = b;
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(dot(x, y), evaluate(dot(a, b))));
  CHECK(is_same(dot(x, DArray(u)), evaluate(dot(a, u))));
  CHECK(is_same(dot(v, y), evaluate(dot(v, b))));
  CHECK(is_same(dot(DArray(v), u), evaluate(dot(v, u))));
  CHECK(is_same(matmul(x.as_read_only(), b), evaluate(dot(a, b))));
  CHECK(is_same(DArray(vecdot(x, DArray(v))), evaluate(vecdot(a, v))));
  CHECK(is_same(DArray(outer(DArray(u), v)), evaluate(outer(u, v))));
  const Array<T, 4> p = random_array<T>(Dim{2, 1, 4, 5}, random);
  const Array<T, 3> q = random_array<T>(Dim{3, 5, 6}, random);
  CHECK(is_same(matmul(DArray(p), q), evaluate(matmul(p, q))));
  CHECK(is_same(matmul(matrix_transpose(DArray(q)), DArray(p)(all, all, ellipsis).reshape({2, 1, 5, 4})),
                evaluate(matmul(matrix_transpose(q), reshape(p, 2, 1, 5, 4)))));
  CHECK(matmul(DArray(q), DArray(u)({range(0, 6)})).shape() == make_ddim({3, 5}));
  CHECK(matmul(DArray(u)({range(0, 5)}), q).shape() == make_ddim({3, 6}));
}

template <class T>
void check_normalised(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{3, 4, 5}, random);
  const DArray x = a;
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(softmax(x, -1), evaluate(softmax<-1>(a))));
  CHECK(is_same(softmax(x, 0), evaluate(softmax<0>(a))));
  CHECK(is_same(softmax(x), evaluate(softmax(a))));
  CHECK(is_same(softmax(x, {1, 2}), evaluate(softmax<1, 2>(a))));
  CHECK(is_same(log_softmax(x, 1), evaluate(log_softmax<1>(a))));
  CHECK(is_same(standardise(x, -1, 0.5), evaluate(standardise<-1>(a, 0.5))));
  CHECK(is_same(layernorm(x), evaluate(layernorm(a))));
  CHECK(is_same(DArray(layernorm(x, a(0, 0), DArray(a)({1, 1}))), evaluate(layernorm(a, a(0, 0), a(1, 1)))));
  const DArray apart = cast(softmax(x, {0, 2}), DType::float64);  // axes that are not one in memory are gathered first
  CHECK(allclose(get<Array<double, 3>>(apart), cast<double>(softmax<0, 2>(a)), 1e-2));
}

}  // namespace

TEST_CASE("products are those of static arrays") {
  std::mt19937 random(36);
  check_products<std::int8_t>(random);
  check_products<std::uint32_t>(random);
  check_products<float16>(random);
  check_products<float>(random);
  check_products<double>(random);
  check_products<std::complex<float>>(random);
}

TEST_CASE("factors of two types are promoted, and may be expressions") {
  std::mt19937 random(37);
  const Array<float, 2> a = random_array<float>(Dim{4, 5}, random);
  const Array<double, 2> b = random_array<double>(Dim{5, 6}, random);
  CHECK(is_same(dot(DArray(a), b), evaluate(dot(a, b))));
  CHECK(is_same(dot(DArray(a) * 2, b + 1), evaluate(dot(a * 2, b + 1))));
}

TEST_CASE("normalisations are those of static arrays") {
  std::mt19937 random(38);
  check_normalised<float>(random);
  check_normalised<double>(random);
  check_normalised<bfloat16>(random);
}

TEST_CASE("random numbers of a run-time type are those of the static one") {
  const random::Key key{7};
  CHECK(is_same(random::uniform(key, DType::float32, make_ddim({3, 5})),
                evaluate(random::uniform<float>(key, Dim{3, 5}))));
  CHECK(is_same(random::normal(key, DType::float64, make_ddim({})), evaluate(random::normal<double>(key, Dim{}))));
  CHECK(is_same(random::normal(key, DType::float16, make_ddim({2, 0})),
                evaluate(random::normal<float16>(key, Dim{2, 0}))));
  CHECK(is_same(random::exponential(key, DType::float32, make_ddim({3, 5})),
                evaluate(random::exponential<float>(key, Dim{3, 5}))));
  CHECK(is_same(random::laplace(key, DType::float64, make_ddim({4})), evaluate(random::laplace<double>(key, Dim{4}))));
  CHECK(is_same(random::gumbel(key, DType::bfloat16, make_ddim({4})), evaluate(random::gumbel<bfloat16>(key, Dim{4}))));
  CHECK(is_same(random::logistic(key, DType::float32, make_ddim({})), evaluate(random::logistic<float>(key, Dim{}))));
  CHECK(is_same(random::integers(key, DType::int16, make_ddim({3, 5}), -7, 300),
                evaluate(random::integers<std::int16_t>(key, Dim{3, 5}, -7, 300))));
  CHECK_THROWS_WITH_AS(random::integers(key, DType::uint8, make_ddim({3}), 0, 257), doctest::Contains("[0, 257)"),
                       DTypeError);
  CHECK_THROWS_WITH_AS(random::integers(key, DType::float32, make_ddim({3}), 0, 2), doctest::Contains("float32"),
                       DTypeError);
  CHECK_THROWS_AS(random::integers(key, DType::uint8, make_ddim({3}), 2, 2), std::invalid_argument);
  CHECK_THROWS_WITH_AS(random::uniform(key, DType::int32, make_ddim({3})), doctest::Contains("int32"), DTypeError);
}

TEST_CASE("what products and normalisations do not take is said") {
  const DArray x = zeros(DType::float32, make_ddim({2, 3})), batch = zeros(DType::float32, make_ddim({4, 2, 3}));
  CHECK_THROWS_WITH_AS(dot(x, x), doctest::Contains("axis 1 of a has 3 and axis 0 of b has 2"), ShapeError);
  CHECK_THROWS_WITH_AS(dot(batch, x), doctest::Contains("matmul takes batches"), ShapeError);
  CHECK_THROWS_WITH_AS(matmul(batch, zeros(DType::float32, make_ddim({5, 3, 1}))),
                       doctest::Contains("the leading axes do not broadcast: 4 and 5"), ShapeError);
  CHECK_THROWS_AS(matmul(batch, x), ShapeError);
  CHECK_THROWS_AS(matmul(x, zeros(DType::float32, make_ddim({}))), ShapeError);
  CHECK_THROWS_WITH_AS(dot(x, x.T().cast(DType::int32)), doctest::Contains("float32 and int32"), DTypeError);
  CHECK_THROWS_WITH_AS(dot(x > 0, x.T() > 0), doctest::Contains("bool, it takes numbers"), DTypeError);
  CHECK_THROWS_AS(vecdot(x, x, 1), IndexError);
  CHECK_THROWS_AS(vecdot(x, batch, -3), IndexError);
  CHECK_THROWS_AS(outer(x, x), ShapeError);
  CHECK_THROWS_WITH_AS(softmax(x.cast(DType::int32), 0), doctest::Contains("floating elements"), DTypeError);
  CHECK_THROWS_WITH_AS(softmax(zeros(DType::float32, make_ddim({2, 0})), 1), doctest::Contains("has no elements"),
                       ShapeError);
  CHECK_THROWS_AS(softmax(x, 2), IndexError);
}

TEST_CASE("products of vectors of any numbers are rounded as those of static arrays") {
  const random::Key vectors{84};
  const Array<float, 2> m = random::normal<float>(vectors, Dim{37, 6});
  const Array<float, 1> v = random::normal<float>(vectors.fold(1), Dim{37}), w = m(3);
  const DArray dm = m, dv = v, dw = w;
  CHECK(is_same(dot(dv, dv), evaluate(dot(v, v))));
  CHECK(is_same(dot(dv, dm), evaluate(dot(v, m))));
  CHECK(is_same(dot(dm, dw), evaluate(dot(m, w))));
  CHECK(is_same(dot(dm.T(), dv), evaluate(dot(m.T(), v))));
}
