// How long an expression may live: nodes hold handles and scalars by value.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("an expression kept past the scope of its arrays is valid") {
  // --8<-- [start:lifetime]
  auto make = [] {
    const Array<float, 1> a = make_array<float>({1, 2, 3});
    const Array<float, 1> b = make_array<float>({10, 20, 30});
    const float factor = 2;
    return a + factor * b;  // the handles and the factor move into the expression
  };
  const auto e = make();
  const Array<float, 1> sums = e;
  CHECK(array_equal(sums, make_array<float>({21, 42, 63})));
  // --8<-- [end:lifetime]
}

TEST_CASE("an expression sees the elements as they are when it is computed") {
  Array<float, 1> a = make_array<float>({1, 2, 3});
  const auto doubled = a * 2;
  a[{0}] = 100.0f;
  CHECK(array_equal(evaluate(doubled), make_array<float>({200, 4, 6})));
  CHECK(array_equal(evaluate(doubled), make_array<float>({200, 4, 6})));  // and can be computed again
}

TEST_CASE("reductions and products kept past the scope of their arrays are valid") {
  auto make = [] {
    const Array<double, 2> a = make_array<double>({{1, 2}, {3, 4}});
    return sum<0>(dot(a, a) + 1) * max(a);
  };
  const auto e = make();
  CHECK(array_equal(evaluate(e), make_array<double>({96, 136})));
}

TEST_CASE("re-pointing an array does not change an expression that holds its handle") {
  Array<float, 1> a = make_array<float>({1, 2, 3});
  const auto e = a + 0;
  a = make_array<float>({7, 8, 9});
  CHECK(array_equal(evaluate(e), make_array<float>({1, 2, 3})));
}

TEST_CASE("an expression releases its arrays when it goes") {
  const auto live = memory::stats(CpuPlace{}).live;
  {
    const auto e = ones<float>(Dim{100}) + ones<float>(Dim{100});
    CHECK(memory::stats(CpuPlace{}).live == live + 2);
  }
  CHECK(memory::stats(CpuPlace{}).live == live);
}
