// The products of the table by Eigen, compiled for one set of instructions.
#include <Eigen/Core>
#include <complex>

#include "cases.hpp"

namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
Matrix<T> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::uint32_t seed) {
  Matrix<T> a(rows, columns);
  std::copy_n(bench::numbers<T>(rows * columns, seed).data(), rows * columns, a.data());
  return a;
}

template <class T>
bench::Repeat prepare_type(const bench::Case& one) {
  const auto [type, kind, m, k, n] = one;
  if (kind == "batch") {
    std::vector<Matrix<T>> a, b, c;
    for (std::ptrdiff_t i = 0; i < bench::batch; ++i) {
      a.push_back(matrix<T>(m, k, 1));
      b.push_back(matrix<T>(k, n, 2));
      c.push_back(matrix<T>(m, n, 3));
    }
    return bench::repeat([=]() mutable {
      for (std::size_t i = 0; i < a.size(); ++i) c[i].noalias() = a[i] * b[i];
    });
  }
  Matrix<T> a = matrix<T>(m, k, 1), b = matrix<T>(k, n, 2), c = matrix<T>(m, n, 3);
  if (kind == "mm") return bench::repeat([=]() mutable { c.noalias() = a * b; });
  if (kind == "mmt") return bench::repeat([=, t = matrix<T>(n, k, 2)]() mutable { c.noalias() = a * t.transpose(); });
  if (kind == "mtm") return bench::repeat([=, t = matrix<T>(k, m, 1)]() mutable { c.noalias() = t.transpose() * b; });
  Vector<T> x = Vector<T>::Ones(k), y(m), z(n);
  if (kind == "mv") return bench::repeat([=]() mutable { y.noalias() = a * x; });
  if (kind == "vm") return bench::repeat([=]() mutable { z.noalias() = b.transpose() * x; });
  return {};
}

bench::Repeat prepare(const bench::Case& one) {
  if (one.type == "f32") return prepare_type<float>(one);
  if (one.type == "f64") return prepare_type<double>(one);
  if (one.type == "c64") return prepare_type<std::complex<float>>(one);
  if (one.type == "c128") return prepare_type<std::complex<double>>(one);
  return {};
}

}  // namespace

int main() { return bench::serve_cases("eigen", prepare); }
