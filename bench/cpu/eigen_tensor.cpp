// The same work in Eigen's unsupported Tensor module, on one thread.
#include <unsupported/Eigen/CXX11/Tensor>

#include "harness.hpp"

using namespace bench;

namespace {

using Matrix = Eigen::Tensor<float, 2, Eigen::RowMajor>;
using Vector = Eigen::Tensor<float, 1, Eigen::RowMajor>;
using Pair = Eigen::array<Eigen::Index, 2>;
using One = Eigen::array<Eigen::Index, 1>;

Matrix matrix() { return filled(Matrix(side, side), 1); }

Vector vector(std::ptrdiff_t n, std::uint32_t seed) { return filled(Vector(n), seed); }

Repeat stencil() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    const Pair inner{side - 2, side - 2};
    y.slice(Pair{1, 1}, inner) = (x.slice(Pair{0, 1}, inner) + x.slice(Pair{2, 1}, inner) + x.slice(Pair{1, 0}, inner) +
                                  x.slice(Pair{1, 2}, inner)) *
                                 0.25f;
    return result_of(y);
  });
}

Repeat outer() {
  return repeat([r = vector(side, 1), c = vector(side, 2), y = matrix()]() mutable {
    y = r.reshape(Pair{side, 1}).broadcast(Pair{1, side}) + c.reshape(Pair{1, side}).broadcast(Pair{side, 1});
    return result_of(y);
  });
}

Repeat bias_relu() {
  return repeat([x = matrix(), bias = Vector(vector(side, 2) - 1.0f), y = matrix()]() mutable {
    y = (x + bias.reshape(Pair{1, side}).broadcast(Pair{side, 1})).cwiseMax(0.0f);
    return result_of(y);
  });
}

Repeat transpose() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    y = x.shuffle(Pair{1, 0});
    return result_of(y);
  });
}

Repeat sums(Eigen::Index axis) {
  return repeat([axis, x = matrix(), y = vector(side, 2)]() mutable {
    y = x.sum(One{axis});
    return result_of(y);
  });
}

Repeat softmax() {
  return repeat([x = matrix(), y = matrix(), rows = vector(side, 1)]() mutable {
    const Pair column{side, 1}, across{1, side};
    rows = x.maximum(One{1});
    y = (x - rows.reshape(column).broadcast(across)).exp();
    rows = y.sum(One{1}).inverse();
    y = y * rows.reshape(column).broadcast(across);
    return result_of(y);
  });
}

Repeat eight() {
  const std::ptrdiff_t n = opaque(8);
  return repeat([a = vector(n, 1), b = vector(n, 2), c = vector(n, 3)]() mutable {
    c = a + b * 2.0f;
    return result_of(c);
  });
}

Repeat update(std::ptrdiff_t bytes) {
  const std::ptrdiff_t n = floats_in(bytes);
  return repeat([w = vector(n, 1), g = vector(n, 2)]() mutable {
    w = (g + w * 0.001f) * -0.01f;
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
      {"row_sums", [] { return sums(1); }},
      {"column_sums", [] { return sums(0); }},
      {"softmax", softmax},
      {"eight", eight},
      {"update_4K", [] { return update(4 << 10); }},
      {"update_256K", [] { return update(256 << 10); }},
      {"update_64M", [] { return update(64 << 20); }},
  };
  return serve("Eigen Tensor", BENCH_ISA, kernels, count, arguments);
}
