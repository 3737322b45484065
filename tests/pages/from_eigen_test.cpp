// The page "From Eigen": its tables are made of these lines, what one writes in Eigen and what one writes here.
#include <algorithm>
#include <vector>

#include "support.hpp"

using namespace tessera;
using support::shape;
using support::text;

namespace {

TEST_CASE("from Eigen: making") {
  // --8<-- [start:making]
  // Eigen: MatrixXd m(2, 3);
  Array<double, 2> m(Dim{2, 3});
  // Eigen: Matrix2d a{{1, 2}, {3, 4}};
  Array<double, 2> a{{1, 2}, {3, 4}};
  // Eigen: VectorXd v(3); v << 1, 2, 3;
  Array<double, 1> v{1, 2, 3};
  // Eigen: MatrixXd z = MatrixXd::Zero(2, 3);
  auto z = zeros<double>(2, 3);
  // Eigen: MatrixXd c = MatrixXd::Constant(2, 2, 7);
  auto c = full(Dim{2, 2}, 7.0);
  // Eigen: MatrixXd i = MatrixXd::Identity(2, 2);
  auto i = eye<double>(2);
  // Eigen: VectorXd l = VectorXd::LinSpaced(5, 0, 1);
  auto l = linspace(0.0, 1.0, 5);
  // Eigen: Map<VectorXd> mapped(v.data(), 3);
  auto mapped = borrow(v.data(), Dim{3});
  // Eigen: a.cast<float>()
  CHECK(text(cast<float>(a)) == "[[1. 2.]\n [3. 4.]]");
  // --8<-- [end:making]
  CHECK(m.shape() == z.shape());
  CHECK(text(c) == "[[7. 7.]\n [7. 7.]]");
  CHECK(text(i) == "[[1. 0.]\n [0. 1.]]");
  CHECK(text(l) == "[0.   0.25 0.5  0.75 1.  ]");
  CHECK(text(mapped) == "[1. 2. 3.]");
}

TEST_CASE("from Eigen: shapes") {
  auto a = reshape(arange(6.0), 2, 3);
  // --8<-- [start:shapes]
  // Eigen: a.rows()
  CHECK(text(a.shape()[0]) == "2");
  // Eigen: a.cols()
  CHECK(text(a.shape()[1]) == "3");
  // Eigen: a.size()
  CHECK(text(a.size()) == "6");
  // Eigen: a.transpose()
  CHECK(text(a.T()) == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  // Eigen: a.reshaped<RowMajor>(3, 2)
  CHECK(text(a.reshape(3, 2)) == "[[0. 1.]\n [2. 3.]\n [4. 5.]]");
  // Eigen: a.replicate(2, 1)
  CHECK(shape(tile(a, {2, 1})) == "(4, 3)");
  // Eigen: MatrixXd b(2, 6); b << a, a;
  Array<double, 2> b = concat<1>(a, a);
  // Eigen: b = MatrixXd::Zero(4, 4);
  b = zeros<double>(4, 4);
  // --8<-- [end:shapes]
  CHECK(b.shape() == Dim{4, 4});
}

TEST_CASE("from Eigen: indexing") {
  auto a = reshape(arange(6.0), 2, 3);
  // --8<-- [start:indexing]
  // Eigen: a(0, 1)
  CHECK(text(a(0, 1)) == "1");
  // Eigen: a(last, 0)
  CHECK(text(a(-1, 0)) == "3");
  // Eigen: a.row(1)
  CHECK(text(a(1, ellipsis)) == "[3. 4. 5.]");
  // Eigen: a.col(1)
  CHECK(text(a(all, 1)) == "[1. 4.]");
  // Eigen: a.block(0, 1, 2, 2)
  CHECK(text(a(range(0, 2), range(1, 3))) == "[[1. 2.]\n [4. 5.]]");
  // Eigen: a.leftCols(2)
  CHECK(text(a(all, range(2))) == "[[0. 1.]\n [3. 4.]]");
  // Eigen: a(all, seq(0, last, 2))
  CHECK(text(a(all, range(0, none, 2))) == "[[0. 2.]\n [3. 5.]]");
  // Eigen: a.rowwise().reverse()
  CHECK(text(flip<1>(a)) == "[[2. 1. 0.]\n [5. 4. 3.]]");
  // Eigen: a(0, 1) = 7;
  a(0, 1) = 7;
  // Eigen: a.col(0).setConstant(5);
  a(all, 0) = 5;
  // Eigen: a.row(0).swap(a.row(1));
  std::ranges::swap_ranges(a(0), a(1));
  // --8<-- [end:indexing]
  CHECK(text(a) == "[[5. 4. 5.]\n [5. 7. 2.]]");
}

TEST_CASE("from Eigen: elementwise") {
  auto a = make_array({1.0, 4.0});
  auto b = make_array({2.0, 2.0});
  // --8<-- [start:elementwise]
  // Eigen: a + 2 * b
  CHECK(text(a + 2 * b) == "[5. 8.]");
  // Eigen: a.cwiseProduct(b)
  CHECK(text(a * b) == "[2. 8.]");
  // Eigen: a.array() / b.array() + 1
  CHECK(text(a / b + 1) == "[1.5 3. ]");
  // Eigen: a.array().sqrt()
  CHECK(text(sqrt(a)) == "[1. 2.]");
  // Eigen: a.array().pow(2)
  CHECK(text(pow(a, 2)) == "[ 1. 16.]");
  // Eigen: a.cwiseMax(b)
  CHECK(text(maximum(a, b)) == "[2. 4.]");
  // Eigen: (a.array() > 2).select(a, 0)
  CHECK(text(where(a > 2, a, 0)) == "[0. 4.]");
  // Eigen: a.array() += 1;
  a += 1;
  // --8<-- [end:elementwise]
  CHECK(text(a) == "[2. 5.]");
}

TEST_CASE("from Eigen: reductions") {
  auto a = reshape(arange(6.0), 2, 3);
  // --8<-- [start:reductions]
  // Eigen: double s = a.sum();
  double s = a.sum();
  // Eigen: a.rowwise().sum()
  CHECK(text(sum<1>(a)) == "[ 3. 12.]");
  // Eigen: a.colwise().mean()
  CHECK(text(mean<0>(a)) == "[1.5 2.5 3.5]");
  // Eigen: a.maxCoeff()
  CHECK(text(max(a)) == "5.0");
  // Eigen: a.rowwise().maxCoeff()
  CHECK(text(max<1>(a)) == "[2. 5.]");
  // Eigen: a.norm()
  CHECK(text(norm(a)) == "7.416198487095663");
  // Eigen: a.lpNorm<1>()
  CHECK(text(norm<NormOrder::one>(a)) == "15.0");
  // Eigen: (a.array() > 2).count()
  CHECK(text(count_nonzero(a > 2)) == "3");
  // Eigen: if ((a.array() > 4).any()) s += 1;
  if (any(a > 4)) s += 1;
  // Eigen: a.rowwise() - a.colwise().mean()
  CHECK(text(a - mean<0>(a)) == "[[-1.5 -1.5 -1.5]\n [ 1.5  1.5  1.5]]");
  // Eigen: a.colwise() - a.rowwise().mean()
  CHECK(text(a - mean<1>(a, keepdims)) == "[[-1.  0.  1.]\n [-1.  0.  1.]]");
  // Eigen: a.isApprox(a)
  CHECK(text(allclose(a, a)) == "true");
  // --8<-- [end:reductions]
  CHECK(s == 16);
}

TEST_CASE("from Eigen: products") {
  Array<double, 2> a{{1, 2}, {3, 4}};
  Array<double, 1> v{1, 2};
  Array<double, 2> c(Dim{2, 2});
  // --8<-- [start:products]
  // Eigen: a * v
  CHECK(text(dot(a, v)) == "[ 5. 11.]");
  // Eigen: a.transpose() * a
  CHECK(text(dot(a.T(), a)) == "[[10. 14.]\n [14. 20.]]");
  // Eigen: v.dot(v)
  CHECK(text(dot(v, v)) == "5.0");
  // Eigen: v * v.transpose()
  CHECK(text(outer(v, v)) == "[[1. 2.]\n [2. 4.]]");
  // Eigen: c.noalias() = a * a;
  c = dot(a, a);
  // Eigen: a = a * a;
  a = dot(a, a);
  // --8<-- [end:products]
  CHECK(text(a) == "[[ 7. 10.]\n [15. 22.]]");
  CHECK(text(c) == text(a));
}

TEST_CASE("from Eigen: copies and views") {
  auto a = make_array({1.0, 2.0, 3.0});
  auto b = make_array({7.0, 8.0, 9.0});
  // --8<-- [start:copies]
  // Eigen: VectorXd c = a;
  auto c = copy(a);
  // Eigen: a = b;
  a = copy(b);
  // Eigen: auto tail = a.tail(2);
  auto tail = a(range(-2, none));
  // Eigen: tail.setZero();
  tail(all) = 0;
  // Eigen: auto e = a + b;
  auto e = a + b;
  // Eigen: VectorXd f = (a + b).eval();
  auto f = evaluate(a + b);
  // Eigen: a = a.reverse().eval();
  a = flip(a);
  // --8<-- [end:copies]
  CHECK(text(a) == "[0. 0. 7.]");
  CHECK(text(b) == "[7. 8. 9.]");
  CHECK(text(c) == "[1. 2. 3.]");
  CHECK(text(e) == "[14.  8.  9.]");
  CHECK(text(f) == "[14.  8.  9.]");
}

TEST_CASE("from Eigen: random numbers and text") {
  Array<double, 2> a{{1, 2}, {3, 4}};
  std::ostringstream out;
  // --8<-- [start:random]
  // Eigen: std::srand(7);
  random::Key key{7};
  // Eigen: MatrixXd u = MatrixXd::Random(2, 3);
  Array<double, 2> u = 2 * random::uniform<double>(key, Dim{2, 3}) - 1;
  // Eigen: out << a << '\n';
  out << a << '\n';
  // --8<-- [end:random]
  CHECK(all((u >= -1) & (u < 1)));
  CHECK(out.str() == "[[1. 2.]\n [3. 4.]]\n");
}

TEST_CASE("from Eigen: errors") {
  auto a = zeros<double>(2, 3);
  auto b = zeros<double>(4);
  // --8<-- [start:errors]
  // Eigen: a + b  // assertion
  CHECK_THROWS_AS(a + b, ShapeError);
  // Eigen: a * a  // assertion
  CHECK_THROWS_AS(dot(a, a), ShapeError);
  // Eigen: a(0, 3)  // assertion
  CHECK_THROWS_AS(a(0, 3), IndexError);
  // --8<-- [end:errors]
}

}  // namespace
