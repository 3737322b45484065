// Kernels read and write as much at once as addresses and extents allow: results are those of the CPU at every start, length and extent, for what
// is aligned, what becomes aligned after some elements, and what never is.
#include <doctest/doctest.h>

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
constexpr double tolerance = 4e-6;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
void check_starts(const std::string& name, std::ptrdiff_t length) {
  INFO(name << " of " << length);
  const std::ptrdiff_t room = length + 20;
  const auto line = [=](Place p) { return numbers<T>(Dim{room}, 3).to(p); };
  const auto from = [=](std::ptrdiff_t start) { return range(start, start + length); };
  for (const std::ptrdiff_t start : {0, 1, 2, 3, 7, 16}) {
    INFO("from " << start);
    check_alike("into a new array", exactly, [&](Place p) { return evaluate(line(p)(from(start)) + T(1)); });
    check_alike("into the same place", exactly, [&](Place p) {
      auto x = line(p).clone();
      x(from(start)) += T(2);
      return x;
    });
    check_alike("two that are off alike", exactly, [&](Place p) {
      auto x = line(p).clone();
      x(from(start)) = line(p)(from(start)) + T(3);
      return x;
    });
    check_alike("two that are off differently", exactly, [&](Place p) {
      auto x = line(p).clone();
      x(from(start)) = line(p)(from(start + 1)) + line(p)(from(start));
      return x;
    });
  }
}

/// Rows with special values among ordinary ones: each kind in the first, the middle and the last column.
Array<float, 2> special_rows(std::ptrdiff_t columns) {
  const float kinds[] = {
      infinity, -infinity, nan, -0.0f, std::numeric_limits<float>::max(), -std::numeric_limits<float>::max()};
  auto x = numbers<float>(Dim{20, columns}, 5).clone();
  std::ptrdiff_t row = 0;
  for (const float kind : kinds) {
    for (const std::ptrdiff_t column : {std::ptrdiff_t{0}, columns / 2, columns - 1}) x[{row++, column}] = kind;
  }
  x(18, all) = -infinity;
  x(19, all) = 0.0f;
  return x;
}

}  // namespace

TEST_CASE("lines of every start and length") {
  for (const std::ptrdiff_t length : {1, 2, 3, 4, 5, 15, 16, 17, 255, 1000, 1023, 1024, 1025, 5003}) {
    check_starts<float>("float", length);
    check_starts<std::int8_t>("int8", length);
  }
  for (const std::ptrdiff_t length : {1, 3, 17, 1025}) {
    check_starts<double>("double", length);
    check_starts<bfloat16>("bfloat16", length);
    check_starts<std::int16_t>("int16", length);
  }
}

TEST_CASE("two types whose elements are off by another number each") {
  for (const std::ptrdiff_t start : {0, 1, 2, 3, 4}) {
    INFO("from " << start);
    check_alike("float and double", exactly, [&](Place p) {
      auto y = numbers<double>(Dim{300}, 1).to(p).clone();
      y(range(start, 290)) = numbers<double>(Dim{300}, 2).to(p)(range(start, 290)) +
                             cast<double>(numbers<float>(Dim{300}, 3).to(p)(range(start, 290)));
      return y;
    });
  }
}

TEST_CASE("matrices of odd and even extents, with rows, columns and steps") {
  for (const std::ptrdiff_t rows : {1, 2, 7, 300}) {
    for (const std::ptrdiff_t columns : {1, 2, 3, 4, 8, 9, 33, 256, 257, 1028}) {
      INFO(rows << " x " << columns);
      const auto x = [=](Place p) { return numbers<float>(Dim{rows, columns}, 1).to(p); };
      const auto row = [=](Place p) { return numbers<float>(Dim{columns}, 2).to(p); };
      const auto column = [=](Place p) { return numbers<float>(Dim{rows, 1}, 3).to(p); };
      check_alike("row", exactly, [&](Place p) { return evaluate(relu(x(p) + row(p))); });
      check_alike("row and column", exactly, [&](Place p) { return evaluate(x(p) * 2 + row(p) - column(p)); });
      check_alike("every second row", exactly,
                  [&](Place p) { return evaluate(x(p)(range(none, none, 2), all) + row(p)); });
      check_alike("every second column", exactly,
                  [&](Place p) { return evaluate(x(p)(all, range(none, none, 2)) + 1); });
      check_alike("backwards", exactly, [&](Place p) { return evaluate(x(p)(all, range(none, none, -1)) + row(p)); });
      check_alike("without the first column", exactly, [&](Place p) {
        auto y = x(p).clone();
        y(all, range(1, none)) *= 2.0f;
        return y;
      });
    }
  }
  const auto cube = [](Place p) { return numbers<std::int16_t>(Dim{5, 7, 24}, 4).to(p); };
  check_alike("three axes", exactly, [&](Place p) {
    return evaluate(cube(p) + numbers<std::int16_t>(Dim{7, 1}, 2).to(p) +
                    numbers<std::int16_t>(Dim{5, 1, 24}, 2).to(p));
  });
  check_alike("three axes, off", exactly, [&](Place p) {
    return evaluate(cube(p)(all, all, range(1, none)) + numbers<std::int16_t>(Dim{7, 1}, 2).to(p));
  });
}

TEST_CASE("rows of every length are summed and normalised, aligned or not") {
  for (const std::ptrdiff_t columns : {1,   2,   3,   4,   7,   8,    12,   16,   31,   32,   60,   63,   64,   65,  68,
                                       127, 128, 132, 256, 260, 1000, 1001, 1024, 1028, 1500, 4096, 8191, 8192, 8196}) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return numbers<float>(Dim{5, columns}, 3).to(p); };
    check_alike("sum", tolerance, [&](Place p) { return evaluate(sum<1>(x(p))); });
    check_alike("products with a column", tolerance,
                [&](Place p) { return evaluate(sum<1>(x(p) * numbers<float>(Dim{5, 1}, 2).to(p) + x(p))); });
    check_alike("argmax", exactly, [&](Place p) { return evaluate(argmax<1>(x(p))); });
    check_alike("var", 4 * tolerance, [&](Place p) { return evaluate(var<1>(x(p))); });
    check_alike("logsumexp", tolerance, [&](Place p) { return evaluate(logsumexp<1>(x(p))); });
    check_alike("softmax", tolerance, [&](Place p) { return evaluate(softmax<1>(x(p))); });
    check_alike("log_softmax", tolerance, [&](Place p) { return evaluate(log_softmax<1>(x(p))); });
    check_alike("layernorm", 4 * tolerance, [&](Place p) {
      return evaluate(layernorm<1>(x(p), numbers<float>(Dim{columns}, 1).to(p), numbers<float>(Dim{columns}, 2).to(p)));
    });
    check_alike("softmax in place of a part", tolerance, [&](Place p) {
      auto y = numbers<float>(Dim{5, columns + 1}, 3).to(p).clone();
      y(all, range(1, none)) = softmax<1>(y(all, range(1, none)));
      return y;
    });
  }
  for (const std::ptrdiff_t columns : {1, 8, 9, 64, 100, 2048, 3001}) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return numbers<bfloat16>(Dim{3, columns}, 3).to(p); };
    check_alike("sum of bfloat16", 1e-2, [&](Place p) { return evaluate(sum<1>(x(p))); });
    check_alike("softmax of bfloat16", 1e-2, [&](Place p) { return evaluate(softmax<1>(x(p))); });
    check_alike("sum of int8", exactly,
                [&](Place p) { return evaluate(sum<1>(numbers<std::int8_t>(Dim{3, columns}, 3).to(p))); });
    check_alike("softmax of double", 1e-14,
                [&](Place p) { return evaluate(softmax<1>(numbers<double>(Dim{3, columns}, 3).to(p))); });
  }
}

TEST_CASE("long rows and columns are normalised in parts") {
  for (const std::ptrdiff_t columns : {32772, 70000, 70001, 131072}) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return numbers<float>(Dim{2, columns}, 3).to(p); };
    check_alike("softmax", tolerance, [&](Place p) { return evaluate(softmax<1>(x(p))); });
    check_alike("log_softmax", tolerance, [&](Place p) { return evaluate(log_softmax<1>(x(p) * 0.5f) + 1); });
    check_alike("standardise", 4 * tolerance, [&](Place p) { return evaluate(standardise<1>(x(p))); });
  }
  for (const std::ptrdiff_t rows : {3, 600, 5000}) {
    for (const std::ptrdiff_t columns : {8, 33, 64}) {
      INFO(rows << " x " << columns);
      const auto x = [=](Place p) { return numbers<float>(Dim{rows, columns}, 3).to(p); };
      check_alike("softmax", tolerance, [&](Place p) { return evaluate(softmax<0>(x(p))); });
      check_alike("log_softmax", tolerance, [&](Place p) { return evaluate(log_softmax<0>(x(p))); });
      check_alike("standardise", 4 * tolerance, [&](Place p) { return evaluate(standardise<0>(x(p) + 0.5f)); });
      check_alike("in place", tolerance, [&](Place p) {
        auto y = x(p).clone();
        assign(y, softmax<0>(y) * 2);
        return y;
      });
    }
  }
}

TEST_CASE("infinities, NaN, zeros and the largest numbers in rows of every kind") {
  for (const std::ptrdiff_t columns : {5, 8, 64, 900, 1024, 9001, 40000}) {
    INFO("rows of " << columns);
    const auto x = [=](Place p) { return special_rows(columns).to(p); };
    check_alike("softmax", tolerance, [&](Place p) { return evaluate(softmax<1>(x(p))); });
    check_alike("log_softmax", tolerance, [&](Place p) { return evaluate(log_softmax<1>(x(p))); });
    check_alike("logsumexp", tolerance, [&](Place p) { return evaluate(logsumexp<1>(x(p))); });
    check_alike("max", exactly, [&](Place p) { return evaluate(max<1>(x(p))); });
    check_alike("argmin", exactly, [&](Place p) { return evaluate(argmin<1>(x(p))); });
  }
  const auto columns = [](Place p) { return special_rows(2000).to(p); };
  check_alike("columns", tolerance, [&](Place p) { return evaluate(softmax<0>(columns(p).T().clone())); });
  check_alike("logsumexp of columns", tolerance,
              [&](Place p) { return evaluate(logsumexp<0>(columns(p).T().clone())); });
}

TEST_CASE("sums in so many parts that a block merges them") {
  const auto line = [](Place p) { return numbers<float>(Dim{700001}, 4).to(p); };
  check_alike("one sum", tolerance, [&](Place p) { return evaluate(sum(line(p))); });
  check_alike("one position", exactly, [&](Place p) { return evaluate(argmax(line(p))); });
  check_alike("from the second on", tolerance, [&](Place p) { return evaluate(sum(line(p)(range(1, none)))); });
  check_alike("one logsumexp", tolerance, [&](Place p) { return evaluate(logsumexp(line(p))); });
}

TEST_CASE("random numbers are the CPU's, several of one call or one by one") {
  const random::Key key{7};
  const auto filled = [](auto shape, Place p, const auto& expression) {
    Array<typename std::remove_cvref_t<decltype(expression)>::value_type, decltype(shape)::rank> y(shape, p);
    y = expression;
    return y;
  };
  for (const std::ptrdiff_t length : {1, 3, 4, 5, 1000, 1022}) {
    INFO(length << " numbers");
    const Dim line{length};
    check_alike("uniform float", exactly, [&](Place p) { return filled(line, p, random::uniform<float>(key, line)); });
    check_alike("uniform double", exactly,
                [&](Place p) { return filled(line, p, random::uniform<double>(key, line)); });
    check_alike("uniform bfloat16", exactly,
                [&](Place p) { return filled(line, p, random::uniform<bfloat16>(key, line)); });
    check_alike("normal float", 2e-6, [&](Place p) { return filled(line, p, random::normal<float>(key, line)); });
    check_alike("normal double", 4e-15, [&](Place p) { return filled(line, p, random::normal<double>(key, line)); });
    check_alike("both types", exactly, [&](Place p) {
      return filled(line, p, random::uniform<double>(key, line) + cast<double>(random::uniform<float>(key, line)));
    });
  }
  for (const std::ptrdiff_t columns : {1, 4, 6, 64}) {
    INFO("rows of " << columns);
    const Dim shape{5, columns};
    check_alike("rows", exactly, [&](Place p) { return filled(shape, p, random::uniform<float>(key, shape) * 2); });
    check_alike("normal rows", 2e-6, [&](Place p) { return filled(shape, p, random::normal<float>(key, shape) + 1); });
    check_alike("a row for all", exactly, [&](Place p) {
      return evaluate(numbers<float>(shape, 1).to(p) + random::uniform<float>(key, Dim{columns}));
    });
    check_alike("dropout", exactly, [&](Place p) {
      return evaluate(where(random::uniform<float>(key, shape) < 0.5f, numbers<float>(shape, 1).to(p), 0.0f));
    });
    check_alike("into a part", exactly, [&](Place p) {
      auto y = zeros<float>(Dim{5, columns + 1}, p);
      y(all, range(1, none)) = random::uniform<float>(key, shape);
      return y;
    });
  }
}

TEST_CASE("more tiles than a band has, beside what lies along the rows") {
  for (const std::ptrdiff_t rows : {64, 300}) {
    const auto x = [=](Place p) { return numbers<float>(Dim{rows, 500}, 1).to(p); };
    const auto y = [=](Place p) { return numbers<float>(Dim{500, rows}, 2).to(p); };
    check_alike("sum", exactly, [&](Place p) { return evaluate(x(p) + y(p).T()); });
    check_alike("sum with a row and a column", exactly, [&](Place p) {
      return evaluate(x(p) + y(p).T() * numbers<float>(Dim{500}, 3).to(p) - numbers<float>(Dim{rows, 1}, 4).to(p));
    });
    check_alike("in place", exactly, [&](Place p) {
      auto z = x(p).clone();
      z += y(p).T();
      return z;
    });
    check_alike("bytes", exactly, [&](Place p) {
      return evaluate(numbers<std::int8_t>(Dim{rows, 500}, 1).to(p) +
                      numbers<std::int8_t>(Dim{500, rows}, 2).to(p).T());
    });
  }
  check_alike("several planes", exactly, [](Place p) {
    return evaluate(numbers<float>(Dim{3, 290, 40}, 1).to(p) +
                    transpose(numbers<float>(Dim{3, 40, 290}, 2).to(p), {0, 2, 1}));
  });
}

TEST_CASE("slices of every width and layout are taken") {
  const auto indices = make_array(std::vector<std::int64_t>{3, -1, 0, 3, 8, 5, 5});
  for (const std::ptrdiff_t columns : {1, 2, 3, 4, 8, 33, 1000}) {
    INFO("slices of " << columns);
    const auto bytes = numbers<std::int8_t>(Dim{9, columns}, 1);
    CHECK(difference(values_of(take(bytes.to(Place(GpuPlace{0})), indices)), values_of(take(bytes, indices)), 0) == "");
    const auto floats = numbers<float>(Dim{9, 3, columns + 1}, 1);
    const auto on_gpu = floats.to(Place(GpuPlace{0}));
    CHECK(difference(values_of(take(on_gpu, indices)), values_of(take(floats, indices)), 0) == "");
    CHECK(difference(values_of(take(on_gpu(all, all, range(1, none)), indices)),
                     values_of(take(floats(all, all, range(1, none)), indices)), 0) == "");
    CHECK(difference(values_of(take(on_gpu(all, range(none, none, -1), all), indices)),
                     values_of(take(floats(all, range(none, none, -1), all), indices)), 0) == "");
    CHECK(difference(values_of(take(on_gpu(range(none, none, -1), all, range(none, none, 2)), indices)),
                     values_of(take(floats(range(none, none, -1), all, range(none, none, 2)), indices)), 0) == "");
  }
  const auto pairs = numbers<double>(Dim{9, 6}, 2);
  CHECK(difference(values_of(take(pairs.to(Place(GpuPlace{0})), indices)), values_of(take(pairs, indices)), 0) == "");
  const auto line = numbers<float>(Dim{9}, 2);
  CHECK(difference(values_of(take(line.to(Place(GpuPlace{0})), indices)), values_of(take(line, indices)), 0) == "");
}
