// The same work in Eigen's core, on one thread, each in the form that is fastest there.
#include <Eigen/Core>

#include "harness.hpp"

using namespace bench;

namespace {

using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Array<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
using Column = Eigen::Array<float, Eigen::Dynamic, 1>;

Matrix matrix() { return filled(Matrix(side, side), 1); }

template <class Vector>
Vector vector(std::ptrdiff_t n, std::uint32_t seed) {
  return filled(Vector(n), seed);
}

Repeat stencil() {
  constexpr auto inner = side - 2;
  return repeat([x = matrix(), y = matrix()]() mutable {
    y.block(1, 1, inner, inner) = 0.25f * (x.block(0, 1, inner, inner) + x.block(2, 1, inner, inner) +
                                           x.block(1, 0, inner, inner) + x.block(1, 2, inner, inner));
    return result_of(y);
  });
}

Repeat outer() {  // replicate on both sides takes many times as long
  return repeat([r = vector<Column>(side, 1), c = vector<Row>(side, 2), y = matrix()]() mutable {
    for (Eigen::Index i = 0; i < side; ++i) y.row(i) = c + r(i);
    return result_of(y);
  });
}

Repeat bias_relu() {
  return repeat([x = matrix(), bias = Row(vector<Row>(side, 2) - 1), y = matrix()]() mutable {
    y = (x.rowwise() + bias).max(0.0f);
    return result_of(y);
  });
}

Repeat transpose() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    y = x.transpose();
    return result_of(y);
  });
}

Repeat row_sums() {
  return repeat([x = matrix(), y = vector<Column>(side, 2)]() mutable {
    y = x.rowwise().sum();
    return result_of(y);
  });
}

Repeat column_sums() {
  return repeat([x = matrix(), y = vector<Row>(side, 2)]() mutable {
    y = x.colwise().sum();
    return result_of(y);
  });
}

Repeat softmax() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    y = (x.colwise() - x.rowwise().maxCoeff()).exp();
    y.colwise() /= y.rowwise().sum().eval();
    return result_of(y);
  });
}

Repeat softmax_by_rows() {  // a loop around expressions on rows, which stay in the cache between them
  return repeat([x = matrix(), y = matrix()]() mutable {
    for (Eigen::Index i = 0; i < side; ++i) {
      y.row(i) = (x.row(i) - x.row(i).maxCoeff()).exp();
      y.row(i) *= 1 / y.row(i).sum();
    }
    return result_of(y);
  });
}

Repeat eight() {
  const std::ptrdiff_t n = opaque(8);
  return repeat([a = vector<Row>(n, 1), b = vector<Row>(n, 2), c = vector<Row>(n, 3)]() mutable {
    c = a + 2.0f * b;
    return result_of(c);
  });
}

Repeat update(std::ptrdiff_t bytes) {
  const std::ptrdiff_t n = floats_in(bytes);
  return repeat([w = vector<Row>(n, 1), g = vector<Row>(n, 2)]() mutable {
    w = -0.01f * (g + 0.001f * w);
    return result_of(w);
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<Kernel> kernels = {
      {"stencil", stencil},
      {"outer", outer},
      {"bias_relu", bias_relu},
      {"transpose", transpose},
      {"row_sums", row_sums},
      {"column_sums", column_sums},
      {"softmax", softmax},
      {"softmax_by_rows", softmax_by_rows},
      {"eight", eight},
      {"update_4K", [] { return update(4 << 10); }},
      {"update_256K", [] { return update(256 << 10); }},
      {"update_64M", [] { return update(64 << 20); }},
  };
  return serve("Eigen", BENCH_ISA, kernels, count, arguments);
}
