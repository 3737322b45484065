// Asynchronous arrays on GPUs: ops give work to streams, which order it among themselves without the host.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

/// Gradient descent on a least squares problem: reads and writes of the same arrays in many orders.
template <class Scope>
Values train(Place place, int steps, const Scope& scope) {
  const Array<float, 2> x = numbers<float>(Dim{24, 6}, 1).to(place);
  const Array<float, 1> y = numbers<float>(Dim{24}, 2).to(place);
  Array<float, 1> w = zeros<float>(Dim{6}, place);
  Array<float, 1> velocity = zeros<float>(Dim{6}, place);
  Array<float, 1> error = zeros<float>(Dim{24}, place);
  Array<float, 1> slope = zeros<float>(Dim{6}, place);
  {
    [[maybe_unused]] const auto guard = scope();
    for (int step = 0; step < steps; ++step) {
      error = dot(x, w) - y;
      slope = sum<0>(x * reshape(error, Dim{24, 1})) / 24.0f;
      velocity = 0.9f * velocity - 0.01f * slope;
      w += velocity;
    }
  }
  return values_of(w);
}

}  // namespace

TEST_CASE("a training on a GPU gives the CPU's weights, with and without a scheduler") {
  const auto at_once = [] { return 0; };
  const Values wanted = train(CpuPlace{}, 20, at_once);
  CHECK(difference(train(GpuPlace{0}, 20, at_once), wanted, 1e-4) == "");
  for (const int workers : {1, 2, 3}) {
    Scheduler scheduler({.workers = workers});
    CHECK(difference(train(GpuPlace{0}, 20, [&] { return Async(scheduler); }), wanted, 1e-4) == "");
  }
}

TEST_CASE("the host waits for no stream until it needs a result" * doctest::test_suite("fake")) {
  const Array<float, 1> a = numbers<float>(Dim{1000}, 1).to(Place(GpuPlace{0}));
  Array<float, 1> b = zeros<float>(Dim{1000}, Place(GpuPlace{0}));
  b = a + 1;  // the kernels are loaded
  b = b * b;
  synchronize();
  fake::start_log();
  b = a + 1;
  b = b * b;
  CHECK(fake::pending_work() == 2);
  CHECK(fake::log().find("host waits") == std::string::npos);
  CHECK(float(b[{3}]) == (float(a[{3}]) + 1) * (float(a[{3}]) + 1));
  CHECK(fake::pending_work() == 0);
}

TEST_CASE("work of several threads on one array is ordered by events") {
  const Place gpu = GpuPlace{0};
  Array<std::int64_t, 1> total = zeros<std::int64_t>(Dim{500}, gpu);
  Scheduler scheduler({.workers = 3});
  {
    Async on(scheduler);
    for (std::int64_t i = 1; i <= 60; ++i) {
      const Array<std::int64_t, 1> part = zeros<std::int64_t>(Dim{500}, gpu);
      assign(part, full(Dim{500}, i, gpu) * 2);
      total = total * 3 + part;  // no order but this one gives the result
    }
  }
  std::int64_t wanted = 0;
  for (std::int64_t i = 1; i <= 60; ++i)
    wanted = static_cast<std::int64_t>(static_cast<std::uint64_t>(wanted) * 3 + static_cast<std::uint64_t>(i) * 2);
  CHECK(std::int64_t(total[{0}]) == wanted);
  CHECK(std::int64_t(total[{499}]) == wanted);
}

TEST_CASE("memory that is freed while a kernel uses it is not given to other streams") {
  const Place gpu = GpuPlace{0};
  Array<float, 1> sum_of_all = zeros<float>(Dim{4096}, gpu);
  for (int i = 0; i < 50; ++i) {
    const Array<float, 1> temporary = full(Dim{4096}, static_cast<float>(i), gpu);
    sum_of_all += temporary * 2;  // freed at the end of the turn, when nothing has run
  }
  CHECK(float(sum_of_all[{0}]) == 2450.0f);
  CHECK(float(sum_of_all[{4095}]) == 2450.0f);
}

TEST_CASE("pinned memory waits for the copies that read it") {
  const Place gpu = GpuPlace{0};
  Array<float, 1> pinned = zeros<float>(Dim{1000}, Place(PinnedPlace{}));
  std::vector<Array<float, 1>> copies;
  for (int i = 0; i < 5; ++i) {
    pinned = full(Dim{1000}, static_cast<float>(i), Place(PinnedPlace{})) + 0;
    copies.push_back(pinned.to(gpu));
  }
  for (int i = 0; i < 5; ++i) CHECK(float(copies[static_cast<std::size_t>(i)][{999}]) == static_cast<float>(i));
}
