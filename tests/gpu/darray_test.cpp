// Expressions of dynamic arrays on a GPU: the same values as on the CPU, for types, functions, layouts and reductions.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

import tessera;

#include "comparison.hpp"

using namespace tessera;

namespace {

constexpr double exactly = 0;

/// Elements in row-major order, as complex numbers of double precision.
Values values_of_any(const DArray& array) {
  const DArray host = array.to(CpuPlace{}).cast(DType::complex128).clone().flatten();
  const auto all = get<Array<std::complex<double>, 1>>(host);
  return {all.data(), all.data() + all.size()};
}

/// Small numbers of both signs, or of none where the type has none, at a place.
DArray numbers(DType dtype, const DDim& shape, std::ptrdiff_t seed, Place place) {
  DArray made = arange(DType::int64, product(shape)).reshape(shape);
  made = (made * 7 + seed) % 11 - 5;
  if (kind(dtype) == Kind::unsigned_integer) made = abs(made);
  if (dtype == DType::boolean) return DArray(made > 0).to(place);
  return made.cast(dtype).to(place);
}

/// The same program on the CPU and on a GPU gives the same dtype, shape and values.
template <class Program>
void check_same(const std::string& name, double tolerance, const Program& program) {
  INFO(name);
  const DArray on_cpu = program(Place(CpuPlace{}));
  const DArray on_gpu = program(Place(GpuPlace{0}));
  CHECK(on_gpu.place() == Place(GpuPlace{0}));
  CHECK(on_gpu.dtype() == on_cpu.dtype());
  CHECK(on_gpu.shape() == on_cpu.shape());
  CHECK(difference(values_of_any(on_gpu), values_of_any(on_cpu), tolerance) == "");
}

constexpr DType floats[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
constexpr DType integers[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                              DType::uint8, DType::uint16, DType::uint32, DType::uint64};

double tolerance_of(DType dtype) {
  if (dtype == DType::float64) return 1e-14;
  if (dtype == DType::float32) return 2e-6;
  return dtype == DType::float16 ? 2e-3 : 2e-2;
}

}  // namespace

TEST_CASE("arithmetic of dynamic arrays on a GPU") {
  for (const DType dtype : floats) {
    check_same(std::string(name(dtype)), tolerance_of(dtype), [&](Place p) {
      const DArray a = numbers(dtype, make_ddim({5, 7}), 3, p), b = numbers(dtype, make_ddim({7}), 4, p);
      return DArray(a + 2 * b - exp(a) / (1 + abs(b)));
    });
  }
  for (const DType dtype : integers) {
    check_same(std::string(name(dtype)), exactly, [&](Place p) {
      const DArray a = numbers(dtype, make_ddim({3, 4, 5}), 1, p), b = numbers(dtype, make_ddim({4, 1}), 2, p);
      return DArray(where(a > b, (a * 3) ^ b, maximum(a, b) << 1));
    });
  }
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    check_same(std::string(name(dtype)), 1e-5, [&](Place p) {
      const DArray a = numbers(dtype, make_ddim({6}), 1, p);
      return DArray(conj(a * std::complex<double>(0.5, 2)) / 3 + exp(a / 8));
    });
  }
}

TEST_CASE("types meet and are converted on a GPU as on the CPU") {
  check_same("float16 with float32", 1e-6, [](Place p) {
    return DArray(numbers(DType::float16, make_ddim({4, 6}), 1, p) * numbers(DType::float32, make_ddim({6}), 2, p));
  });
  check_same("int8 with int32", exactly, [](Place p) {
    return DArray(numbers(DType::int8, make_ddim({4, 6}), 1, p) - numbers(DType::int32, make_ddim({4, 1}), 2, p));
  });
  for (const DType to : {DType::boolean, DType::int8, DType::int64, DType::bfloat16, DType::float64}) {
    check_same("cast to " + std::string(name(to)), exactly,
               [&](Place p) { return DArray(cast(numbers(DType::float32, make_ddim({33}), 1, p) * 2, to)); });
  }
  check_same("float32 into float16 elements", exactly, [](Place p) {
    DArray to = zeros(DType::float16, make_ddim({2, 9}), p);
    to(all, range(0, 8)) = numbers(DType::float32, make_ddim({2, 8}), 5, p) / 3;
    return to;
  });
  check_same("comparison", exactly, [](Place p) {
    const DArray a = numbers(DType::int16, make_ddim({40}), 0, p);
    return DArray((a > 1) & (a != 3));
  });
}

TEST_CASE("functions of dynamic arrays on a GPU") {
  const auto check = [](const char* name, auto function) {
    check_same(name, 2e-6, [&](Place p) {
      const DArray x = numbers(DType::float32, make_ddim({23}), 1, p) / 8.0;
      return DArray(function(x));
    });
  };
  check("sqrt", [](const DArray& x) { return sqrt(abs(x)); });
  check("log1p", [](const DArray& x) { return log1p(x); });
  check("tanh", [](const DArray& x) { return tanh(x); });
  check("sigmoid", [](const DArray& x) { return sigmoid(x); });
  check("gelu", [](const DArray& x) { return gelu(x); });
  check("erf", [](const DArray& x) { return erf(x); });
  check("relu", [](const DArray& x) { return relu(x); });
  check("sin of cos", [](const DArray& x) { return sin(cos(x)); });
  check("pow", [](const DArray& x) { return pow(abs(x) + 1, 1.5); });
  check("round", [](const DArray& x) { return round(x * 4); });
  check("floor_divide", [](const DArray& x) { return floor_divide(x, 0.25f); });
  check("isnan", [](const DArray& x) { return isnan(x / abs(x)); });
  check("clip", [](const DArray& x) { return clip(x, -0.25, 0.5); });
  check("user", [](const DArray& x) { return x * x * x - 2 * x; });
}

TEST_CASE("dynamic arrays of any layout on a GPU") {
  check_same("reversed and transposed", exactly, [](Place p) {
    const DArray a = numbers(DType::float32, make_ddim({6, 8}), 1, p);
    return DArray(a.transpose()({range(none, none, -1), all}) + a({0, newaxis, range(0, 6)}));
  });
  check_same("into every second column", exactly, [](Place p) {
    DArray a = numbers(DType::float64, make_ddim({5, 8}), 1, p);
    a({all, range(0, 8, 2)}) = 2 * a({all, range(1, 8, 2)});
    return a;
  });
  check_same("onto itself, reversed", exactly, [](Place p) {
    DArray a = numbers(DType::int32, make_ddim({30}), 1, p);
    a({all}) = a({range(none, none, -1)}) + a;
    return a;
  });
  check_same("compound operators", exactly, [](Place p) {
    DArray a = numbers(DType::float32, make_ddim({4, 4}), 1, p);
    a += 2;
    a *= a.transpose();
    return a;
  });
  check_same("filled", exactly, [](Place p) {
    DArray a = zeros(DType::int16, make_ddim({3, 3}), p);
    a = 7;
    a({1, all}) = -1;
    return a;
  });
  check_same("no elements", exactly, [](Place p) {
    return DArray(zeros(DType::float32, make_ddim({0, 3}), p) + ones(DType::float32, make_ddim({3}), p));
  });
  check_same("a copy of what one name holds", exactly, [](Place p) {
    const DArray a = numbers(DType::bfloat16, make_ddim({9}), 1, p);
    return a.transpose().clone();
  });
}

TEST_CASE("dynamic arrays on a GPU are reduced along axes") {
  const auto check = [](const char* name, double tolerance, DType dtype, auto reduction) {
    check_same(name, tolerance, [&](Place p) {
      const DArray x = numbers(dtype, make_ddim({4, 9, 5}), 1, p);
      return DArray(reduction(x));
    });
  };
  check("sum of all", 1e-6, DType::float32, [](const DArray& x) { return sum(x * 0.5); });
  check("sum of the last", 1e-6, DType::float32, [](const DArray& x) { return sum(x, {-1}); });
  check("sum of two, kept", 1e-3, DType::float16, [](const DArray& x) { return sum(x / 4, {0, 2}, keepdims); });
  check("integers", exactly, DType::int8, [](const DArray& x) { return sum(x, {1}); });
  check("prod", 1e-5, DType::float64, [](const DArray& x) { return prod(x / 4 + 1, {1}); });
  check("mean", 1e-5, DType::float32, [](const DArray& x) { return mean(x, {0}); });
  check("mean of integers", 1e-12, DType::int32, [](const DArray& x) { return mean(x, {0}); });
  check("var", 1e-5, DType::float32, [](const DArray& x) { return var(x, {1}); });
  check("max", exactly, DType::float32, [](const DArray& x) { return max(x, {2}); });
  check("argmin", exactly, DType::int16, [](const DArray& x) { return argmin(x, {1}); });
  check("any", exactly, DType::float32, [](const DArray& x) { return any(x > 4, {2}); });
  check("logsumexp", 1e-5, DType::float32, [](const DArray& x) { return logsumexp(x, {2}); });
  check("norm", 1e-5, DType::float32, [](const DArray& x) { return norm(x); });
  check("softmax written out", 1e-6, DType::float32, [](const DArray& x) {
    const DArray e = exp(x - max(x, {-1}, keepdims));
    return e / sum(e, {-1}, keepdims);
  });
  check("softmax", 1e-6, DType::float32, [](const DArray& x) { return softmax(x, -1); });
}

TEST_CASE("joining and products of dynamic arrays on a GPU") {
  check_same("concat", exactly, [](Place p) {
    const DArray a = numbers(DType::int32, make_ddim({2, 3}), 1, p);
    return concat({a, a + 1}, 0);
  });
  check_same("product", 1e-5, [](Place p) {
    return dot(numbers(DType::float32, make_ddim({5, 6}), 1, p), numbers(DType::float32, make_ddim({6, 4}), 2, p));
  });
  check_same("roll", exactly, [](Place p) { return roll(numbers(DType::uint8, make_ddim({4, 5}), 1, p), 2, 1); });
}

TEST_CASE("values of dynamic arrays come from a GPU") {
  const DArray x = numbers(DType::float32, make_ddim({3, 4}), 1, GpuPlace{0});
  const double total = sum(x);
  double by_hand = 0;
  for (std::ptrdiff_t i = 0; i < 3; ++i) {
    for (std::ptrdiff_t j = 0; j < 4; ++j) by_hand += x[make_ddim({i, j})].get().as<double>();
  }
  CHECK(total == by_hand);
  CHECK(to_string(DArray(x + 0)) == to_string(DArray(x.to(CpuPlace{}) + 0)));
}

TEST_CASE("two dynamic arrays of different places say so") {
  const DArray here = ones(DType::float32, make_ddim({3})), there = ones(DType::float32, make_ddim({3}), GpuPlace{0});
  CHECK_THROWS_AS(DArray(here + there), PlaceError);
  DArray to = zeros(DType::float32, make_ddim({3}));
  CHECK_THROWS_AS(to({all}) = there * 2, PlaceError);
}

TEST_CASE("dynamic arrays on a GPU in an Async scope") {
  DArray a = numbers(DType::float32, make_ddim({50}), 1, GpuPlace{0});
  DArray total, b = zeros(DType::float32, make_ddim({50}), GpuPlace{0});
  {
    Scheduler scheduler({.workers = 2});
    const Async on{scheduler};
    for (int k = 0; k < 10; ++k) {
      b({all}) = a * 2 - b;
      a({all}) = b / 2;
      total = sum(a * b);
    }
  }
  DArray c = numbers(DType::float32, make_ddim({50}), 1, CpuPlace{}), d = zeros(DType::float32, make_ddim({50})), e;
  for (int k = 0; k < 10; ++k) {
    d({all}) = c * 2 - d;
    c({all}) = d / 2;
    e = sum(c * d);
  }
  CHECK(difference(values_of_any(b), values_of_any(d), 1e-6) == "");
  CHECK(difference(values_of_any(total), values_of_any(e), 1e-5) == "");
}
