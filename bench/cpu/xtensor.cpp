// The same work in xtensor with xsimd, on one thread. Built by g++: it does not build with clang from 19 up.
#define XTENSOR_USE_XSIMD
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "harness.hpp"

using namespace bench;

namespace {

using Matrix = xt::xtensor<float, 2>;
using Vector = xt::xtensor<float, 1>;

Matrix matrix() { return filled(Matrix::from_shape({side, side}), 1); }

Vector vector(std::ptrdiff_t n, std::uint32_t seed) {
  return filled(Vector::from_shape({static_cast<std::size_t>(n)}), seed);
}

Repeat stencil() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    const auto inner = [](auto& of, std::ptrdiff_t row, std::ptrdiff_t column) {
      return xt::view(of, xt::range(row, row + side - 2), xt::range(column, column + side - 2));
    };
    auto target = inner(y, 1, 1);
    xt::noalias(target) = 0.25f * (inner(x, 0, 1) + inner(x, 2, 1) + inner(x, 1, 0) + inner(x, 1, 2));
    return result_of(y);
  });
}

Repeat outer() {
  return repeat([r = vector(side, 1), c = vector(side, 2), y = matrix()]() mutable {
    xt::noalias(y) = xt::view(r, xt::all(), xt::newaxis()) + c;
    return result_of(y);
  });
}

Repeat bias_relu() {
  return repeat([x = matrix(), bias = Vector(vector(side, 2) - 1.0f), y = matrix()]() mutable {
    xt::noalias(y) = xt::maximum(x + bias, 0.0f);
    return result_of(y);
  });
}

Repeat transpose() {
  return repeat([x = matrix(), y = matrix()]() mutable {
    xt::noalias(y) = xt::transpose(x);
    return result_of(y);
  });
}

Repeat sums(std::size_t axis) {
  return repeat([axis, x = matrix(), y = vector(side, 2)]() mutable {
    xt::noalias(y) = xt::sum(x, {axis});
    return result_of(y);
  });
}

Repeat softmax() {
  return repeat([x = matrix(), y = matrix(), rows = vector(side, 1)]() mutable {
    xt::noalias(rows) = xt::amax(x, {1});
    xt::noalias(y) = xt::exp(x - xt::view(rows, xt::all(), xt::newaxis()));
    xt::noalias(rows) = 1.0f / xt::sum(y, {1}, xt::evaluation_strategy::immediate);
    y *= xt::view(rows, xt::all(), xt::newaxis());
    return result_of(y);
  });
}

Repeat eight() {
  const std::ptrdiff_t n = opaque(8);
  return repeat([a = vector(n, 1), b = vector(n, 2), c = vector(n, 3)]() mutable {
    xt::noalias(c) = a + 2.0f * b;
    return result_of(c);
  });
}

Repeat update(std::ptrdiff_t bytes) {
  const std::ptrdiff_t n = floats_in(bytes);
  return repeat([w = vector(n, 1), g = vector(n, 2)]() mutable {
    xt::noalias(w) = -0.01f * (g + 0.001f * w);
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
  return serve("xtensor", BENCH_ISA, kernels, count, arguments);
}
