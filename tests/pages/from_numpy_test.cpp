// The page "From NumPy": its tables are made of these lines, what one writes in NumPy and what one writes here.
#include <cmath>
#include <complex>
#include <vector>

#include "support.hpp"

using namespace tessera;
using support::shape;
using support::text;

namespace {

TEST_CASE("from NumPy: making") {
  // --8<-- [start:making]
  // NumPy: a = np.array([[1, 2], [3, 4]])
  Array<int, 2> a{{1, 2}, {3, 4}};
  // NumPy: v = np.array([1.0, 2, 5])
  auto v = make_array({1.0, 2, 5});
  // NumPy: w = np.array(some_list)
  auto w = make_array(std::vector<float>{1, 2});
  // NumPy: z = np.zeros((2, 3), np.float32)
  auto z = zeros<float>(2, 3);
  // NumPy: o = np.ones_like(a, dtype=np.float64)
  auto o = ones_like<double>(a);
  // NumPy: f = np.full((2, 2), 7.0)
  auto f = full(Dim{2, 2}, 7.0);
  // NumPy: e = np.empty((2, 3))
  auto e = empty<double>(2, 3);
  // NumPy: np.arange(0, 10, 3)
  CHECK(text(arange(0, 10, 3)) == "[0 3 6 9]");
  // NumPy: np.linspace(0, 1, 5)
  CHECK(text(linspace(0, 1, 5)) == "[0.   0.25 0.5  0.75 1.  ]");
  // NumPy: np.eye(2)
  CHECK(text(eye<double>(2)) == "[[1. 0.]\n [0. 1.]]");
  // NumPy: a.astype(np.float32)
  CHECK(text(cast<float>(a)) == "[[1. 2.]\n [3. 4.]]");
  // --8<-- [end:making]
  CHECK(text(v) == "[1. 2. 5.]");
  CHECK(text(w) == "[1. 2.]");
  CHECK(text(z) == "[[0. 0. 0.]\n [0. 0. 0.]]");
  CHECK(text(o) == "[[1. 1.]\n [1. 1.]]");
  CHECK(text(f) == "[[7. 7.]\n [7. 7.]]");
  CHECK(e.shape() == Dim{2, 3});
}

TEST_CASE("from NumPy: shapes") {
  auto x = reshape(arange(6.0), 2, 3);
  // --8<-- [start:shapes]
  // NumPy: x.shape
  CHECK(text(x.shape()) == "(2, 3)");
  // NumPy: x.shape[0]
  CHECK(text(x.shape()[0]) == "2");
  // NumPy: x.ndim
  CHECK(text(x.rank) == "2");
  // NumPy: x.size
  CHECK(text(x.size()) == "6");
  // NumPy: x.reshape(3, -1)
  CHECK(text(x.reshape(3, -1)) == "[[0. 1.]\n [2. 3.]\n [4. 5.]]");
  // NumPy: x.ravel()
  CHECK(text(flatten(x)) == "[0. 1. 2. 3. 4. 5.]");
  // NumPy: x.T
  CHECK(text(x.T()) == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  // NumPy: np.moveaxis(x, 0, -1)
  CHECK(shape(moveaxis(x, 0, -1)) == "(3, 2)");
  // NumPy: x[:, np.newaxis]
  CHECK(shape(x(all, newaxis)) == "(2, 1, 3)");
  // NumPy: np.expand_dims(x, 0)
  CHECK(shape(expand_dims<0>(x)) == "(1, 2, 3)");
  // NumPy: np.broadcast_to(x, (4, 2, 3))
  CHECK(shape(broadcast_to(x, Dim{4, 2, 3})) == "(4, 2, 3)");
  // NumPy: np.concatenate([x, x], axis=1)
  CHECK(text(concat<1>(x, x)) == "[[0. 1. 2. 0. 1. 2.]\n [3. 4. 5. 3. 4. 5.]]");
  // NumPy: np.stack([x, x])
  CHECK(shape(stack<0>(x, x)) == "(2, 2, 3)");
  // --8<-- [end:shapes]
}

TEST_CASE("from NumPy: indexing") {
  auto x = reshape(arange(6.0), 2, 3);
  // --8<-- [start:indexing]
  // NumPy: x[0, 1]
  CHECK(text(x(0, 1)) == "1");
  // NumPy: x[0]
  CHECK(text(x(0)) == "[0. 1. 2.]");
  // NumPy: x[-1, ...]
  CHECK(text(x(-1, ellipsis)) == "[3. 4. 5.]");
  // NumPy: x[:, 1:]
  CHECK(text(x(all, range(1, none))) == "[[1. 2.]\n [4. 5.]]");
  // NumPy: x[:, ::-1]
  CHECK(text(x(all, range(none, none, -1))) == "[[2. 1. 0.]\n [5. 4. 3.]]");
  // NumPy: x[[1, 0, 1]]
  CHECK(shape(x(make_array({1, 0, 1}))) == "(3, 3)");
  // NumPy: x[x > 2]
  CHECK(text(x(x > 2)) == "[3. 4. 5.]");
  // NumPy: x[[0, 1], [2, 0]]
  CHECK(text(x(make_array({0, 1}), make_array({2, 0}))) == "[2. 3.]");
  // NumPy: np.take_along_axis(x, np.argsort(-x, axis=1), axis=1)
  CHECK(text(take_along_axis<1>(x, argsort<1>(-x))) == "[[2. 1. 0.]\n [5. 4. 3.]]");
  // NumPy: np.nonzero(x)[1]
  CHECK(text(nonzero(x)[1]) == "[1 2 0 1 2]");
  // NumPy: np.argwhere(x > 4)
  CHECK(text(argwhere(x > 4)) == "[[1 2]]");
  // NumPy: np.tril(x)
  CHECK(text(tril(x)) == "[[0. 0. 0.]\n [3. 4. 0.]]");
  // NumPy: np.diagonal(x)
  CHECK(text(diagonal(x)) == "[0. 4.]");
  // NumPy: np.add.at(x, ([0, 0], [1, 1]), 10)
  x(make_array({0, 0}), make_array({1, 1})) += 10;
  // NumPy: x[x > 2] = 0
  x(x > 2) = 0;
  // NumPy: x[0, 1] = 7
  x(0, 1) = 7;
  // NumPy: x[:, 0] = 5
  x(all, 0) = 5;
  // NumPy: x[...] = 0
  x(ellipsis) = 0;
  // --8<-- [end:indexing]
  CHECK(text(x) == "[[0. 0. 0.]\n [0. 0. 0.]]");
}

TEST_CASE("from NumPy: elementwise") {
  auto x = make_array({-1.0, 0.0, 4.0});
  auto y = make_array({1.0, 9.0});
  auto i = make_array({7, -7});
  auto m = x > 0;
  // --8<-- [start:elementwise]
  // NumPy: 2 * x + 1
  CHECK(text(2 * x + 1) == "[-1.  1.  9.]");
  // NumPy: x ** 2
  CHECK(text(square(x)) == "[ 1.  0. 16.]");
  // NumPy: x ** 3.0
  CHECK(text(pow(x, 3.0)) == "[-1.  0. 64.]");
  // NumPy: np.sqrt(y)
  CHECK(text(sqrt(y)) == "[1. 3.]");
  // NumPy: np.maximum(x, 0)
  CHECK(text(maximum(x, 0)) == "[0. 0. 4.]");
  // NumPy: np.clip(x, 0, 1)
  CHECK(text(clip(x, 0, 1)) == "[0. 0. 1.]");
  // NumPy: np.where(x > 0, x, 2 * x)
  CHECK(text(where(x > 0, x, 2 * x)) == "[-2.  0.  4.]");
  // NumPy: (x > 0) & (x < 9)
  CHECK(text((x > 0) & (x < 9)) == "[False False  True]");
  // NumPy: ~m
  CHECK(text(!m) == "[ True  True False]");
  // NumPy: i // 2
  CHECK(text(floor_divide(i, 2)) == "[ 3 -4]");
  // NumPy: i % 4
  CHECK(text(remainder(i, 4)) == "[3 1]");
  // --8<-- [end:elementwise]
}

TEST_CASE("from NumPy: reductions") {
  Array<int, 2> i{{1, 2}, {3, 4}};
  auto x = reshape(arange(6.0), 2, 3);
  // --8<-- [start:reductions]
  // NumPy: s = x.sum().item()
  double s = sum(x);
  // NumPy: x.sum(axis=1)
  CHECK(text(sum<1>(x)) == "[ 3. 12.]");
  // NumPy: t = i.sum(axis=0, dtype=np.int32)
  Array<int, 1> t = cast<int>(sum<0>(i));
  // NumPy: x.mean(axis=0, keepdims=True)
  CHECK(text(mean<0>(x, keepdims)) == "[[1.5 2.5 3.5]]");
  // NumPy: x.std(ddof=1)
  CHECK(text(stddev(x, correction(1))) == "1.8708286933869707");
  // NumPy: x.max(axis=k)
  CHECK(text(max(x, 1)) == "[2. 5.]");
  // NumPy: x.argmax(axis=1)
  CHECK(text(argmax<1>(x)) == "[2 2]");
  // NumPy: x.cumsum(axis=1)
  CHECK(text(cumulative_sum<1>(x)) == "[[ 0.  1.  3.]\n [ 3.  7. 12.]]");
  // NumPy: np.sort(x, axis=0)
  CHECK(text(sort<0>(x)) == "[[0. 1. 2.]\n [3. 4. 5.]]");
  // NumPy: if (x > 4).any():
  if (any(x > 4)) s += 1;
  // NumPy: np.count_nonzero(x)
  CHECK(text(count_nonzero(x)) == "5");
  // NumPy: np.allclose(x, x)
  CHECK(text(allclose(x, x)) == "true");
  // --8<-- [end:reductions]
  CHECK(s == 16);
  CHECK(text(t) == "[4 6]");
}

TEST_CASE("from NumPy: products") {
  Array<double, 2> a{{1, 2}, {3, 4}};
  Array<double, 1> v{1, 2};
  auto batch = ones<double>(5, 2, 2);
  // --8<-- [start:products]
  // NumPy: a @ v
  CHECK(text(dot(a, v)) == "[ 5. 11.]");
  // NumPy: a.T @ a
  CHECK(text(dot(a.T(), a)) == "[[10. 14.]\n [14. 20.]]");
  // NumPy: v @ v
  CHECK(text(dot(v, v)) == "5.0");
  // NumPy: batch @ a
  CHECK(shape(matmul(batch, a)) == "(5, 2, 2)");
  // NumPy: np.outer(v, v)
  CHECK(text(outer(v, v)) == "[[1. 2.]\n [2. 4.]]");
  // NumPy: np.linalg.norm(a)
  CHECK(text(norm(a)) == "5.477225575051661");
  // --8<-- [end:products]
}

TEST_CASE("from NumPy: copies and views") {
  auto a = make_array({1.0, 2.0, 3.0});
  const auto shared = a;
  // --8<-- [start:copies]
  // NumPy: b = a
  auto b = a;
  // NumPy: c = a.copy()
  auto c = copy(a);
  // NumPy: row = a[1:]
  auto row = a(range(1, none));
  // NumPy: row[0] = 9
  row[0] = 9;
  // NumPy: a += 1
  a += 1;
  // NumPy: a[:] = b * 2
  a(all) = b * 2;
  // NumPy: a = a + 1
  a = a + 1;
  // NumPy: np.shares_memory(a, b)
  CHECK(text(a.buffer() == b.buffer()) == "false");
  // --8<-- [end:copies]
  CHECK(text(a) == "[ 5. 21.  9.]");
  CHECK(text(b) == "[ 4. 20.  8.]");
  CHECK(text(c) == "[1. 2. 3.]");
  CHECK(shared.buffer() == b.buffer());
}

TEST_CASE("from NumPy: random numbers") {
  // --8<-- [start:random]
  // NumPy: rng = np.random.default_rng(7)
  random::Key key{7};
  // NumPy: u = rng.random((2, 3))
  Array<double, 2> u = random::uniform<double>(key.fold(0), Dim{2, 3});
  // NumPy: n = rng.standard_normal(4)
  Array<double, 1> n = random::normal<double>(key.fold(1), Dim{4});
  // NumPy: p = rng.permutation(5)
  auto p = random::permutation(key.fold(2), 5);
  // NumPy: d = rng.integers(1, 7, 12)
  Array<int, 1> d = random::integers<int>(key.fold(3), Dim{12}, 1, 7);
  // NumPy: e = rng.exponential(3, 4)
  Array<double, 1> e = 3 * random::exponential<double>(key.fold(4), Dim{4});
  // NumPy: c = rng.choice(d, 3, replace=False)
  auto c = random::choice(key.fold(5), d, 3, {.replace = false});
  // --8<-- [end:random]
  CHECK(all((u >= 0) & (u < 1)));
  CHECK(any(n != 0));
  CHECK(text(sort(p)) == "[0 1 2 3 4]");
  CHECK(all((d >= 1) & (d <= 6)));
  CHECK(all(e >= 0));
  CHECK(c.size() == 3);
}

TEST_CASE("from NumPy: errors") {
  auto a = zeros<double>(2, 3);
  auto b = zeros<double>(4);
  // --8<-- [start:errors]
  // NumPy: a + b  # ValueError
  CHECK_THROWS_AS(a + b, ShapeError);
  // NumPy: a[0, 3]  # IndexError
  CHECK_THROWS_AS(a(0, 3), IndexError);
  // NumPy: a.reshape(4, 2)  # ValueError
  CHECK_THROWS_AS(a.reshape(4, 2), ShapeError);
  // NumPy: np.zeros(0).max()  # ValueError
  CHECK_THROWS_AS(max(zeros<double>(0)), ShapeError);
  // --8<-- [end:errors]
}

}  // namespace
