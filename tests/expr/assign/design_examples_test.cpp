// The expressions of the design's first page, line by line: they compile as written and compute what they say.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("w = -eta * (grad + lambda * w) is the update of gradient descent") {
  // --8<-- [start:update]
  Array<float, 2> w = ones<float>(Dim{2, 3});
  const Array<float, 2> grad = full(Dim{2, 3}, 4.0f);
  const float eta = 0.5f;
  const float lambda = 0.25f;
  w = -eta * (grad + lambda * w);  // one fused pass, no temporary, no allocation
  CHECK(array_equal(w, full(Dim{2, 3}, -2.125f)));
  // --8<-- [end:update]
}

TEST_CASE("the update writes where w was and allocates nothing") {
  Array<float, 2> w = ones<float>(Dim{30, 40});
  const Array<float, 2> grad = full(Dim{30, 40}, 4.0f);
  const float* before = w.data();
  const auto allocations = memory::stats(CpuPlace{}).allocations;
  w = -0.5f * (grad + 0.25f * w);
  CHECK(memory::stats(CpuPlace{}).allocations == allocations);
  CHECK(w.data() == before);
  CHECK(w[{29, 39}] == -2.125f);
}

TEST_CASE("y = where(z > 0, z, 0.01f * z) is the leaky ReLU") {
  // --8<-- [start:where]
  const Array<float, 1> z = make_array<float>({-2, -1, 0, 1, 2});
  Array<float, 1> y;
  y = where(z > 0, z, 0.01f * z);
  CHECK(array_equal(y, make_array<float>({-0.02f, -0.01f, 0, 1, 2})));
  // --8<-- [end:where]
}

TEST_CASE("n = sum<1>(exp(z - max<1>(z, keepdims)), keepdims) is the denominator of softmax") {
  // --8<-- [start:softmax]
  const Array<float, 2> z = make_array<float>({{1, 2, 3}, {1000, 1000, 1000}});
  Array<float, 2> n;
  n = sum<1>(exp(z - max<1>(z, keepdims)), keepdims);
  CHECK(n.shape() == Dim{2, 1});
  CHECK(float(n[{0, 0}]) == doctest::Approx(1 + std::exp(-1) + std::exp(-2)));
  CHECK(n[{1, 0}] == 3.0f);
  // --8<-- [end:softmax]
}

TEST_CASE("out = relu(dot(x, w) + b) is a layer, h = dot(b.T(), c) a product with a transposed matrix") {
  // --8<-- [start:dot]
  const Array<float, 2> x = make_array<float>({{1, 2}, {3, 4}, {-5, -6}});
  const Array<float, 2> w = make_array<float>({{1, 0, 1}, {0, 1, 1}});
  const Array<float, 1> b = make_array<float>({0.5f, -1, 0});
  Array<float, 2> out;
  out = relu(dot(x, w) + b);
  CHECK(array_equal(out, make_array<float>({{1.5f, 1, 3}, {3.5f, 3, 7}, {0, 0, 0}})));

  const Array<float, 2> h = dot(x.T(), out);  // the transposition costs no copy
  CHECK(array_equal(h, make_array<float>({{12, 10, 24}, {17, 14, 34}})));
  // --8<-- [end:dot]
}

TEST_CASE("a user's operation is any generic lambda: softplus(z) * 2 fuses") {
  const Array<float, 1> z = make_array<float>({-1, 0, 1});
  Array<float, 1> u(Dim{3});
  // --8<-- [start:lambda]
  auto softplus = [](auto x) { return log1p(exp(x)); };
  u = softplus(z) * 2;
  // --8<-- [end:lambda]
  const auto allocations = memory::stats(CpuPlace{}).allocations;
  u = softplus(z) * 2;
  CHECK(memory::stats(CpuPlace{}).allocations == allocations);
  for (int i = 0; i < 3; ++i) CHECK(float(u[{i}]) == doctest::Approx(2 * std::log1p(std::exp(i - 1.0))));
}

// --8<-- [start:map]
struct maximum {
  static float map(float a, float b) { return a > b ? a : b; }
};
// --8<-- [end:map]

TEST_CASE("u = F<maximum>(u, z) applies a type with a static map") {
  const Array<float, 1> z = make_array<float>({-1, 5, 1});
  Array<float, 1> u = make_array<float>({0, 2, 3});
  // --8<-- [start:apply]
  u = F<::maximum>(u, z);
  // --8<-- [end:apply]
  CHECK(array_equal(u, make_array<float>({0, 5, 3})));
}

TEST_CASE("set_num_threads sets the threads inside one operation") {
  const Threads restore(num_threads());
  set_num_threads(2);
  CHECK(num_threads() == 2);
  CHECK(message_of<SchedulerError>([] { set_num_threads(0); }) == "set_num_threads: 0 is not in 1 .. 1024");
}

TEST_CASE("the table of arrays in one expression: slices, rows and transposes are operands as they are") {
  Array<float, 2> a = reshape(arange(6.0f), Dim{2, 3});
  Array<float, 2> t;
  t = a.T() + a.T();
  CHECK(array_equal(t, make_array<float>({{0, 6}, {2, 8}, {4, 10}})));
  Array<float, 1> row;
  row = a(1, ellipsis) - a(0, ellipsis);
  CHECK(array_equal(row, full(Dim{3}, 3.0f)));
  a(all, 0) = 7;  // a view on the left writes elements
  CHECK(array_equal(a, make_array<float>({{7, 1, 2}, {7, 4, 5}})));
}
