// Reductions on a GPU: every operation, type, layout and size of the work, beside the CPU's.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

constexpr double exactly = 0;
constexpr double float_sums = 2e-6;
constexpr double double_sums = 1e-14;

/// Every reduction that floating types have, along an axis.
template <class T, int Axis>
void check_floating(const std::string& name, double tolerance, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  const auto operand = [=](Place place) { return numbers<T>(Dim{rows, columns}, 3).to(place); };
  check_alike(name + " sum", tolerance, [&](Place p) { return evaluate(sum<Axis>(operand(p) / 16)); });
  check_alike(name + " mean", tolerance, [&](Place p) { return evaluate(mean<Axis>(operand(p))); });
  check_alike(name + " var", tolerance * 8, [&](Place p) { return evaluate(var<Axis>(operand(p))); });
  check_alike(name + " stddev", tolerance * 8, [&](Place p) { return evaluate(stddev<Axis>(operand(p) * 0.5f)); });
  check_alike(name + " min", exactly, [&](Place p) { return evaluate(min<Axis>(operand(p))); });
  check_alike(name + " max", exactly, [&](Place p) { return evaluate(max<Axis>(operand(p), keepdims)); });
  check_alike(name + " argmin", exactly, [&](Place p) { return evaluate(argmin<Axis>(operand(p))); });
  check_alike(name + " argmax", exactly, [&](Place p) { return evaluate(argmax<Axis>(operand(p))); });
  check_alike(name + " logsumexp", tolerance * 4, [&](Place p) { return evaluate(logsumexp<Axis>(operand(p))); });
  check_alike(name + " norm", tolerance, [&](Place p) { return evaluate(norm<Axis>(operand(p))); });
  check_alike(name + " any", exactly, [&](Place p) { return evaluate(any<Axis>(operand(p) > 3)); });
  check_alike(name + " all", exactly, [&](Place p) { return evaluate(all_of<Axis>(operand(p) > -4)); });
  check_alike(name + " count", exactly, [&](Place p) { return evaluate(count_nonzero<Axis>(operand(p))); });
}

template <class T>
void check_integers(const std::string& name) {
  const auto operand = [](Place place) { return numbers<T>(Dim{37, 41}, 5).to(place); };
  check_alike(name + " sum", exactly, [&](Place p) { return evaluate(sum<0>(operand(p))); });
  check_alike(name + " sum of all", exactly, [&](Place p) { return evaluate(sum(operand(p))); });
  check_alike(name + " prod", exactly, [&](Place p) { return evaluate(prod<1>(operand(p) | T(1))); });
  check_alike(name + " min", exactly, [&](Place p) { return evaluate(min<1>(operand(p))); });
  check_alike(name + " max", exactly, [&](Place p) { return evaluate(max<0>(operand(p))); });
  check_alike(name + " argmax", exactly, [&](Place p) { return evaluate(argmax<0>(operand(p))); });
}

}  // namespace

TEST_CASE("rows and columns of floats are reduced as on the CPU") {
  check_floating<float, 1>("rows of 24", float_sums, 17, 24);
  check_floating<float, 0>("columns of 17", float_sums, 17, 24);
  check_floating<float, 1>("rows of 3000", float_sums, 5, 3000);
  check_floating<float, 0>("columns of 3000", float_sums, 3000, 40);
  check_floating<double, 1>("rows of doubles", double_sums, 9, 70);
  check_floating<double, 0>("columns of doubles", double_sums, 70, 9);
}

TEST_CASE("integers are reduced in 64 bits") {
  check_integers<std::int8_t>("int8");
  check_integers<std::int32_t>("int32");
  check_integers<std::int64_t>("int64");
  check_integers<std::uint8_t>("uint8");
  check_integers<std::uint64_t>("uint64");
}

TEST_CASE("16-bit floats and complex numbers are reduced in their compute types") {
  check_alike("half", 2e-3, [](Place p) { return evaluate(sum<1>(numbers<float16>(Dim{7, 90}, 2).to(p))); });
  check_alike("brain half", 1e-2, [](Place p) { return evaluate(mean<0>(numbers<bfloat16>(Dim{90, 7}, 2).to(p))); });
  check_alike("complex sum", float_sums,
              [](Place p) { return evaluate(sum<1>(numbers<std::complex<float>>(Dim{7, 90}, 2).to(p))); });
  check_alike("complex mean", double_sums,
              [](Place p) { return evaluate(mean<0>(numbers<std::complex<double>>(Dim{90, 7}, 2).to(p))); });
  check_alike("complex norm", float_sums,
              [](Place p) { return evaluate(norm<1>(numbers<std::complex<float>>(Dim{7, 90}, 2).to(p))); });
}

TEST_CASE("several axes, all axes and axes of views are reduced") {
  const auto cube = [](Place p) { return numbers<float>(Dim{6, 11, 8}, 4).to(p); };
  check_alike("outer axes", float_sums, [&](Place p) { return evaluate(sum<0, 2>(cube(p))); });
  check_alike("middle axis", float_sums, [&](Place p) { return evaluate(sum<1>(cube(p))); });
  check_alike("all axes", float_sums, [&](Place p) { return evaluate(sum(cube(p) * cube(p))); });
  check_alike("transposed", float_sums, [&](Place p) { return evaluate(sum<0>(transpose(cube(p), {2, 0, 1}))); });
  check_alike("reversed", exactly,
              [&](Place p) { return evaluate(argmax<2>(cube(p)(range(none, none, -1), ellipsis))); });
  check_alike("broadcast", float_sums, [&](Place p) {
    return evaluate(sum<0>(numbers<float>(Dim{6, 1}, 1).to(p) * numbers<float>(Dim{9}, 2).to(p)));
  });
  check_alike("position among all", exactly, [&](Place p) { return evaluate(argmin(cube(p))); });
  check_alike("fused twice", float_sums,
              [&](Place p) { return evaluate(sum<1>(exp(cube(p) - max<1>(cube(p), keepdims)))); });
  check_alike("into a view", float_sums, [&](Place p) {
    auto result = full(Dim{6, 16}, -1.0f, p);
    result(all, range(0, 16, 2)) = sum<1>(cube(p));
    return result;
  });
}

TEST_CASE("sums in parts are merged") {
  const auto line = [](Place p) { return numbers<float>(Dim{100003}, 4).to(p); };
  check_alike("one sum", float_sums, [&](Place p) { return evaluate(sum(line(p))); });
  check_alike("one position", exactly, [&](Place p) { return evaluate(argmax(line(p))); });
  check_alike("one variance", 1e-5, [&](Place p) { return evaluate(var(line(p))); });
  check_alike("columns", float_sums,
              [&](Place p) { return evaluate(mean<0>(numbers<float>(Dim{20000, 9}, 4).to(p))); });
}

TEST_CASE("rows that begin off aligned addresses are folded in packs from the first aligned one on") {
  for (const std::ptrdiff_t columns : {67, 131, 515, 1030, 3001}) {
    for (const std::ptrdiff_t first : {0, 1, 3}) {
      INFO("rows of " << columns << " from " << first << " on");
      const auto x = [=](Place p) { return numbers<float>(Dim{5, columns}, 3).to(p)(all, range(first, columns)); };
      check_alike("sum", float_sums, [&](Place p) { return evaluate(sum<1>(x(p) / 16)); });
      check_alike("two operands", float_sums, [&](Place p) { return evaluate(sum<1>(x(p) * (x(p) + 1) / 256)); });
      check_alike("var", 1e-5, [&](Place p) { return evaluate(var<1>(x(p))); });
      check_alike("argmax", exactly, [&](Place p) { return evaluate(argmax<1>(x(p))); });
      check_alike("min of bytes", exactly, [&](Place p) {
        return evaluate(min<1>(numbers<std::uint8_t>(Dim{5, columns}, 3).to(p)(all, range(first, columns))));
      });
      check_alike("half", 4e-3, [&](Place p) {
        return evaluate(mean<1>(numbers<float16>(Dim{5, columns}, 2).to(p)(all, range(first, columns))));
      });
    }
  }
  check_alike("a line in parts", exactly,
              [](Place p) { return evaluate(argmin(numbers<float>(Dim{100003}, 4).to(p)(range(3, 100003)))); });
  check_alike("a line's sum in parts", float_sums,
              [](Place p) { return evaluate(sum(numbers<float>(Dim{100003}, 4).to(p)(range(3, 100003)))); });
}

TEST_CASE("outputs of a few values are folded by a thread each") {
  check_floating<float, 1>("rows of 3", float_sums, 300, 3);
  check_floating<float, 1>("rows of 4", float_sums, 300, 4);
  check_floating<double, 1>("rows of 10", double_sums, 300, 10);
  check_floating<double, 1>("rows of 16 doubles", double_sums, 300, 16);
  for (std::ptrdiff_t columns = 1; columns <= 17; ++columns) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return numbers<float>(Dim{70, columns, 5}, 3).to(p); };
    const auto bytes = [=](Place p) { return numbers<std::int8_t>(Dim{70, columns}, 3).to(p); };
    check_alike("of bytes", exactly, [&](Place p) { return evaluate(sum<1>(bytes(p))); });
    check_alike("stepped", float_sums, [&](Place p) { return evaluate(sum<1>(x(p)(all, all, 2))); });
    check_alike("reversed", exactly, [&](Place p) { return evaluate(argmax<1>(x(p)(all, range(none, none, -1), 1))); });
    check_alike("weighted", float_sums,
                [&](Place p) { return evaluate(sum<1>(x(p)(all, all, 0) * numbers<float>(Dim{columns}, 4).to(p))); });
    if (columns <= 3)
      check_alike("two axes", float_sums, [&](Place p) { return evaluate(sum<1, 2>(x(p) * 0.25f, keepdims)); });
  }
}

TEST_CASE("many short rows are folded several by each team of threads") {
  constexpr std::ptrdiff_t rows = (1 << 17) + 3;
  for (const std::ptrdiff_t columns : {4, 8, 20, 64}) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return numbers<float>(Dim{rows, columns}, 3).to(p); };
    check_alike("sum", float_sums, [&](Place p) { return evaluate(sum<1>(x(p))); });
    if (columns == 20) check_alike("max", exactly, [&](Place p) { return evaluate(max<1>(x(p) * 2)); });
  }
  check_alike("of bytes", exactly,
              [](Place p) { return evaluate(sum<1>(numbers<std::uint8_t>(Dim{rows, 16}, 3).to(p))); });
  check_alike("any", exactly, [](Place p) { return evaluate(any<1>(numbers<double>(Dim{rows, 6}, 3).to(p) > 3)); });
  check_alike("into a view", exactly, [](Place p) {
    const auto y = full(Dim{rows, 2}, -1.0f, p);
    assign(y(all, 1), min<1>(numbers<float>(Dim{rows, 8}, 3).to(p)));
    return y;
  });
}

TEST_CASE("of many columns each thread folds several side by side") {
  constexpr std::ptrdiff_t columns = 1 << 15;
  const auto x = [](Place p) { return numbers<float>(Dim{19, columns}, 3).to(p); };
  check_alike("sum", float_sums, [&](Place p) { return evaluate(sum<0>(x(p))); });
  check_alike("max", exactly, [&](Place p) { return evaluate(max<0>(x(p) * 2)); });
  check_alike("mean with a row and a column", float_sums, [&](Place p) {
    return evaluate(mean<0>(x(p) * numbers<float>(Dim{columns}, 2).to(p) + numbers<float>(Dim{19, 1}, 4).to(p)));
  });
  check_alike("norm", float_sums, [&](Place p) { return evaluate(norm<0>(x(p))); });
  check_alike("bytes", exactly,
              [](Place p) { return evaluate(sum<0>(numbers<std::uint8_t>(Dim{19, columns}, 3).to(p))); });
  check_alike("half", 1e-2, [](Place p) { return evaluate(sum<0>(numbers<bfloat16>(Dim{9, 2 * columns}, 3).to(p))); });
  check_alike("in parts", float_sums,
              [](Place p) { return evaluate(sum<0>(numbers<float>(Dim{600, 1 << 14}, 3).to(p) / 16)); });
  check_alike("into a view", exactly, [&](Place p) {
    const auto y = full(Dim{columns, 2}, -1.0f, p);
    assign(y(all, 1), min<0>(x(p)));
    return y;
  });
  check_alike("two kept axes", float_sums,
              [](Place p) { return evaluate(sum<1>(numbers<float>(Dim{3, 20, columns / 2}, 3).to(p))); });
}

TEST_CASE("empty axes give neutral values, and no outputs give no work") {
  check_alike("sum over nothing", exactly, [](Place p) { return evaluate(sum<1>(zeros<float>(Dim{4, 0}, p))); });
  check_alike("product over nothing", exactly, [](Place p) { return evaluate(prod<1>(zeros<float>(Dim{4, 0}, p))); });
  check_alike("no outputs", exactly, [](Place p) { return evaluate(sum<1>(zeros<float>(Dim{0, 4}, p))); });
  CHECK_THROWS_AS(evaluate(max<1>(zeros<float>(Dim{4, 0}, Place(GpuPlace{0})))), ShapeError);
}

TEST_CASE("NaN and infinities go through extremes and positions") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto special = [&](Place p) {
    return reshape(
               make_array(std::vector{1.0f, nan, 3.0f, nan, infinity, 2.0f, -infinity, 5.0f, -infinity}, CpuPlace{}),
               Dim{3, 3})
        .to(p);
  };
  check_alike("max", exactly, [&](Place p) { return evaluate(max<1>(special(p))); });
  check_alike("min", exactly, [&](Place p) { return evaluate(min<1>(special(p))); });
  check_alike("argmax", exactly, [&](Place p) { return evaluate(argmax<1>(special(p))); });
  check_alike("argmin", exactly, [&](Place p) { return evaluate(argmin<0>(special(p))); });
  check_alike("logsumexp", exactly, [&](Place p) { return evaluate(logsumexp<1>(special(p))); });
}
