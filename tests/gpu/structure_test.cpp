// Expressions on a GPU that are more than elementwise: normalisations, products, joined and moved elements, places and their errors.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"
#include "gpus.hpp"

using namespace tessera;
using cases::numbers;

namespace {

constexpr double exactly = 0;
constexpr double tolerance = 4e-6;

}  // namespace

TEST_CASE("softmax, log_softmax and standardise of rows of every length") {
  for (const std::ptrdiff_t columns : {1, 5, 32, 33, 700, 3000, 9000, 20000, 40000}) {
    INFO("rows of " << columns);
    const auto rows = [=](Place p) { return numbers<float>(Dim{3, columns}, 5).to(p); };
    check_alike("softmax", tolerance, [&](Place p) { return evaluate(softmax<1>(rows(p))); });
    check_alike("log_softmax", tolerance, [&](Place p) { return evaluate(log_softmax<1>(rows(p) * 0.5f)); });
    check_alike("standardise", tolerance, [&](Place p) { return evaluate(standardise<1>(rows(p))); });
  }
}

TEST_CASE("normalisations of columns, of all elements, of doubles, and inside larger expressions") {
  const auto matrix = [](Place p) { return numbers<float>(Dim{60, 35}, 5).to(p); };
  check_alike("columns", tolerance, [&](Place p) { return evaluate(softmax<0>(matrix(p))); });
  check_alike("standardised columns", tolerance, [&](Place p) { return evaluate(standardise<0>(matrix(p))); });
  check_alike("all elements", tolerance, [&](Place p) { return evaluate(softmax(matrix(p))); });
  check_alike("doubles", 1e-14, [](Place p) { return evaluate(softmax<1>(numbers<double>(Dim{4, 90}, 2).to(p))); });
  check_alike("long doubles", 1e-14,
              [](Place p) { return evaluate(softmax<1>(numbers<double>(Dim{2, 7000}, 2).to(p))); });
  check_alike("half", 1e-3, [](Place p) { return evaluate(softmax<1>(numbers<float16>(Dim{4, 90}, 2).to(p))); });
  check_alike("scaled", tolerance, [&](Place p) {
    return evaluate(softmax<1>(matrix(p) * 0.25f) * numbers<float>(Dim{35}, 1).to(p) +
                    numbers<float>(Dim{60, 1}, 2).to(p));
  });
  check_alike("layernorm", tolerance, [&](Place p) {
    return evaluate(layernorm<1>(matrix(p), numbers<float>(Dim{35}, 1).to(p), numbers<float>(Dim{35}, 2).to(p)));
  });
  check_alike("two in one expression", tolerance,
              [&](Place p) { return evaluate(softmax<1>(matrix(p)) + softmax<0>(matrix(p))); });
  check_alike("in place", tolerance, [&](Place p) {
    const auto x = matrix(p).clone();
    assign(x, softmax<1>(x));
    return x;
  });
  check_alike("into a transposed view", tolerance, [&](Place p) {
    auto x = zeros<float>(Dim{35, 60}, p);
    x.T() = softmax<1>(matrix(p));
    return x;
  });
  const float infinity = std::numeric_limits<float>::infinity();
  check_alike("infinities", exactly, [&](Place p) {
    return evaluate(
        softmax<1>(reshape(make_array(std::vector{1.0f, infinity, -infinity, -infinity}), Dim{2, 2}).to(p)));
  });
}

TEST_CASE("products of every type, batched, transposed and with vectors") {
  const auto a = [](Place p) { return numbers<float>(Dim{33, 20}, 1).to(p); };
  const auto b = [](Place p) { return numbers<float>(Dim{20, 47}, 2).to(p); };
  check_alike("matrices", tolerance, [&](Place p) { return evaluate(dot(a(p), b(p))); });
  check_alike("transposed", tolerance, [&](Place p) { return evaluate(dot(b(p).T(), a(p).T())); });
  check_alike("epilogue", tolerance,
              [&](Place p) { return evaluate(relu(dot(a(p), b(p)) + numbers<float>(Dim{47}, 3).to(p))); });
  check_alike("vector", tolerance, [&](Place p) { return evaluate(dot(a(p), numbers<float>(Dim{20}, 3).to(p))); });
  check_alike("strided", tolerance,
              [&](Place p) { return evaluate(dot(a(p)(all, range(0, 20, 2)), b(p)(range(0, 20, 2), all))); });
  check_alike("batch", tolerance, [&](Place p) {
    return evaluate(matmul(numbers<float>(Dim{3, 5, 8}, 1).to(p), numbers<float>(Dim{8, 6}, 2).to(p)));
  });
  check_alike("batch of both", tolerance, [&](Place p) {
    return evaluate(matmul(numbers<float>(Dim{2, 1, 5, 8}, 1).to(p), numbers<float>(Dim{3, 8, 6}, 2).to(p)));
  });
  check_alike("half", 1e-2, [](Place p) {
    return evaluate(dot(numbers<float16>(Dim{9, 17}, 1).to(p), numbers<float16>(Dim{17, 5}, 2).to(p)));
  });
  check_alike("integers", exactly, [](Place p) {
    return evaluate(dot(numbers<std::int32_t>(Dim{9, 17}, 1).to(p), numbers<std::int32_t>(Dim{17, 5}, 2).to(p)));
  });
  check_alike("complex", tolerance, [](Place p) {
    return evaluate(
        dot(numbers<std::complex<float>>(Dim{9, 17}, 1).to(p), numbers<std::complex<float>>(Dim{17, 5}, 2).to(p)));
  });
  check_alike("into a transposed view", tolerance, [&](Place p) {
    auto c = zeros<float>(Dim{47, 33}, p);
    c.T() = dot(a(p), b(p));
    return c;
  });
  check_alike("in place", tolerance, [&](Place p) {
    const auto c = numbers<float>(Dim{20, 20}, 4).to(p).clone();
    assign(c, dot(c, c));
    return c;
  });
}

TEST_CASE("elements are joined, moved and repeated") {
  const auto a = [](Place p) { return numbers<float>(Dim{4, 6}, 1).to(p); };
  check_alike("concat", exactly, [&](Place p) { return evaluate(concat<1>(a(p), a(p) * 2)); });
  check_alike("stack", exactly, [&](Place p) { return evaluate(stack<0>(a(p), a(p) + 1)); });
  check_alike("roll", exactly, [&](Place p) { return evaluate(roll<1>(a(p), 2)); });
  check_alike("flip", exactly, [&](Place p) { return evaluate(flip<0>(a(p))); });
  check_alike("overlap", exactly, [&](Place p) {
    auto x = numbers<float>(Dim{50}, 3).to(p).clone();
    x(range(1, 50)) = x(range(0, 49)) + 0;
    return x;
  });
}

TEST_CASE("copies between places of every layout") {
  const auto host = numbers<float>(Dim{6, 7, 5}, 3);
  const auto gpu = host.to(Place(GpuPlace{0}));
  CHECK(difference(values_of(gpu), values_of(host), 0) == "");
  CHECK(difference(values_of(gpu(all, range(0, 7, 2))), values_of(host(all, range(0, 7, 2))), 0) == "");
  CHECK(difference(values_of(transpose(gpu, {2, 0, 1})), values_of(transpose(host, {2, 0, 1})), 0) == "");
  CHECK(difference(values_of(gpu(range(none, none, -1), ellipsis)), values_of(host(range(none, none, -1), ellipsis)),
                   0) == "");
  CHECK(difference(values_of(transpose(host, {1, 2, 0}).to(Place(GpuPlace{0}))), values_of(transpose(host, {1, 2, 0})),
                   0) == "");
  CHECK(difference(values_of(gpu.T().clone()), values_of(host.T()), 0) == "");
  CHECK(difference(values_of(gpu.T().to(Place(other_gpu()))), values_of(host.T()), 0) == "");
  CHECK(difference(values_of(evaluate(gpu.to(Place(PinnedPlace{})) * 2)), values_of(evaluate(host * 2)), 0) == "");
}

TEST_CASE("strided copies out of pinned memory come after the copy that fills it") {
  const auto host = numbers<float>(Dim{30, 40}, 3);
  const auto gpu = host.to(Place(GpuPlace{0}));
  const auto pinned = gpu.to(Place(PinnedPlace{}));  // not there yet
  CHECK(difference(values_of(pinned.T().to(Place(GpuPlace{0}))), values_of(host.T()), 0) == "");
  const auto again = evaluate(gpu + 1).to(Place(PinnedPlace{}));
  CHECK(difference(values_of(again(all, range(0, 40, 3)).to(Place(other_gpu()))),
                   values_of(evaluate(host + 1)(all, range(0, 40, 3))), 0) == "");
}

TEST_CASE("scalars of a GPU come to the host, and places do not mix") {
  const auto a = numbers<float>(Dim{40}, 1).to(Place(GpuPlace{0}));
  CHECK(item(sum(a)) == doctest::Approx(item(sum(a.to(CpuPlace{})))));
  CHECK(array_equal(a, a.clone()));
  CHECK(allclose(a * 2, a + a));
  const auto b = numbers<float>(Dim{40}, 1);
  CHECK_THROWS_AS(evaluate(a + b), PlaceError);
  CHECK_THROWS_AS(assign(b, a + 1), PlaceError);
  if (device_count() > 1) CHECK_THROWS_AS(evaluate(a + b.to(Place(GpuPlace{1}))), PlaceError);
}

TEST_CASE("slices are taken by index on a GPU") {
  const auto array = numbers<float>(Dim{9, 4, 3}, 1);
  const auto on_gpu = array.to(Place(GpuPlace{0}));
  const auto indices = make_array(std::vector<std::int64_t>{3, -1, 0, 3, 8});
  CHECK(difference(values_of(take(on_gpu, indices)), values_of(take(array, indices)), 0) == "");
  CHECK(difference(values_of(take(on_gpu, indices.to(Place(GpuPlace{0})))), values_of(take(array, indices)), 0) == "");
  CHECK(difference(values_of(take(on_gpu.T(), make_array(std::vector<std::int64_t>{2, 0}))),
                   values_of(take(array.T(), make_array(std::vector<std::int64_t>{2, 0}))), 0) == "");
  const auto result = zeros<float>(Dim{5, 4, 3}, Place(GpuPlace{0}));
  take_into(result, on_gpu, indices);
  CHECK(difference(values_of(result), values_of(take(array, indices)), 0) == "");
  CHECK_THROWS_AS(take(on_gpu, make_array(std::vector<std::int64_t>{9})), IndexError);
  CHECK_THROWS_AS(take_into(result, array, indices), PlaceError);
}

TEST_CASE("inner products conjugate their left operand") {
  check_alike("real", tolerance, [](Place p) {
    return evaluate(vecdot(numbers<float>(Dim{5, 30}, 1).to(p), numbers<float>(Dim{5, 30}, 2).to(p)));
  });
  check_alike("complex", tolerance, [](Place p) {
    return evaluate(
        vecdot(numbers<std::complex<float>>(Dim{30}, 1).to(p), numbers<std::complex<float>>(Dim{30}, 2).to(p)));
  });
}

namespace {

struct Halved {
  static float map(float a) { return a / 2; }
};

}  // namespace

TEST_CASE("an operation without CUDA text is an error that names it, and changes nothing") {
  const auto on_gpu = numbers<float>(Dim{5}, 1).to(Place(GpuPlace{0}));
  const Values before = values_of(on_gpu);
  CHECK_THROWS_AS(assign(on_gpu, F<Halved>(on_gpu)), DTypeError);
  CHECK_THROWS_AS(evaluate(sum(F<Halved>(on_gpu))), DTypeError);
  CHECK(difference(values_of(on_gpu), before, 0) == "");
}
