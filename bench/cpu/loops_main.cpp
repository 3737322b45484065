// The hand-written loops, and memcpy as the measure of memory.
#include <cstring>

#include "harness.hpp"
#include "loops.hpp"

using namespace bench;

namespace {

Repeat copy(std::ptrdiff_t n) {
  const Floats x(n), y(n);
  return repeat([=] { std::memcpy(y.data(), x.data(), static_cast<std::size_t>(n) * sizeof(float)); });
}

Repeat update(std::ptrdiff_t bytes) {
  const std::ptrdiff_t n = bytes / static_cast<std::ptrdiff_t>(sizeof(float));
  const Floats w(n), g(n, 2);
  return repeat([=] { loops::update(w.data(), g.data(), 0.01f, 0.001f, n); });
}

/// A kernel from a matrix into one of the same shape.
template <class Body>
Repeat between_matrices(Body body) {
  const Floats x(side * side), y(side * side);
  return repeat([=] { body(x.data(), y.data()); });
}

/// A kernel from a matrix into one number a row or column.
template <class Body>
Repeat to_vector(Body body) {
  const Floats x(side * side), y(side);
  return repeat([=] { body(x.data(), y.data()); });
}

Repeat outer() {
  const Floats r(side), c(side, 2), y(side * side);
  return repeat([=] { loops::outer(r.data(), c.data(), y.data(), side, side); });
}

Repeat bias_relu() {
  const Floats x(side * side), bias(side, 2), y(side * side);
  for (std::ptrdiff_t j = 0; j < side; ++j) bias.data()[j] -= 1;
  return repeat([=] { loops::bias_relu(x.data(), bias.data(), y.data(), side, side); });
}

Repeat eight() {
  const Floats a(8), b(8, 2), c(8);
  const std::ptrdiff_t n = opaque(8);
  return repeat([=] { loops::scaled_sum(a.data(), b.data(), c.data(), n); });
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<Kernel> kernels = {
      {"copy", [] { return copy(side * side); }},
      {"copy_half", [] { return copy(side * side / 2); }},
      {"stencil", [] { return between_matrices([](auto x, auto y) { loops::stencil(x, y, side, side); }); }},
      {"outer", outer},
      {"bias_relu", bias_relu},
      {"transpose", [] { return between_matrices([](auto x, auto y) { loops::transpose(x, y, side); }); }},
      {"row_sums", [] { return to_vector([](auto x, auto y) { loops::row_sums(x, y, side, side); }); }},
      {"column_sums", [] { return to_vector([](auto x, auto y) { loops::column_sums(x, y, side, side); }); }},
      {"softmax", [] { return between_matrices([](auto x, auto y) { loops::softmax(x, y, side, side); }); }},
      {"eight", eight},
      {"update_4K", [] { return update(4 << 10); }},
      {"update_256K", [] { return update(256 << 10); }},
      {"update_64M", [] { return update(64 << 20); }},
  };
  return serve("loop", BENCH_ISA, kernels, count, arguments);
}
