// Captured steps of assignments on a GPU: a replay is one launch of a graph where the driver has graphs, and the same work where it has none.
#include <doctest/doctest.h>

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

std::ptrdiff_t count_lines(const std::string& text, std::string_view part) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

using Vector = Array<float, 1>;

/// Gradient descent with momentum, all of whose assignments are kernels.
struct Descent {
  explicit Descent(Place place)
      : weights(numbers<float>(Dim{300}, 1).to(place)),
        velocity(zeros<float>(Dim{300}, place)),
        slope(zeros<float>(Dim{300}, place)) {}

  template <class Gradient, class Rate>
  void step(const Gradient& gradient, const Rate& rate) {
    slope = gradient * weights + 0.5f;
    velocity = 0.9f * velocity - rate * slope;
    weights += velocity;
  }
  Values result() const { return values_of(weights); }

  Vector weights, velocity, slope;
};

Values descend(Place place, int steps) {
  Descent descent(place);
  for (int k = 0; k < steps; ++k)
    descent.step(numbers<float>(Dim{300}, k % 3).to(place), 0.01f * static_cast<float>(k + 1));
  return descent.result();
}

}  // namespace

TEST_SUITE_BEGIN("captured steps");

TEST_CASE("replays of a step with its arrays and numbers as parameters compute what the statements do") {
  const Place gpu = GpuPlace{0};
  for (const int workers : {1, 3}) {
    Scheduler scheduler({.workers = workers});
    Descent descent(gpu);
    const Vector example = zeros<float>(Dim{300}, gpu);
    const auto step = scheduler.capture(
        [&](Parameter<Vector> gradient, Parameter<float> rate) {
          const Async on(scheduler);
          descent.step(gradient, rate);
        },
        example, 0.0f);
    for (int k = 0; k < 25; ++k)
      step.replay(numbers<float>(Dim{300}, k % 3).to(gpu), 0.01f * static_cast<float>(k + 1));
    CHECK(difference(descent.result(), descend(gpu, 25), 1e-6) == "");
  }
}

TEST_CASE("the page's step on a GPU") {
  Scheduler scheduler({.workers = 2});
  // --8<-- [start:step]
  const Place gpu = GpuPlace{0};
  Array<float, 1> weights = ones<float>(Dim{300}, gpu), velocity = zeros<float>(Dim{300}, gpu);
  const Array<float, 1> first = ones<float>(Dim{300}, gpu), second = full(Dim{300}, 2.0f, gpu);
  const auto step = scheduler.capture(
      [&](Parameter<Array<float, 1>> gradient, Parameter<float> rate) {
        const Async on{scheduler};
        velocity = 0.5f * velocity - rate * gradient;
        weights += velocity;
      },
      first, 0.5f);
  for (int k = 0; k < 4; ++k) step.replay(k % 2 == 0 ? first : second, 0.5f);  // one launch each, but for the first
  float weight = weights[{0}];
  // --8<-- [end:step]
  CHECK(weight == -3.4375f);
}

TEST_CASE("a step with sums, products and temporaries is replayed too") {
  const Place gpu = GpuPlace{0};
  const auto run = [&](Place place, bool captured) {
    Scheduler scheduler({.workers = 2});
    const Array<float, 2> x = numbers<float>(Dim{24, 6}, 1).to(place);
    const Vector y = numbers<float>(Dim{24}, 2).to(place);
    Vector w = zeros<float>(Dim{6}, place), slope = zeros<float>(Dim{6}, place), error = zeros<float>(Dim{24}, place);
    const auto once = [&] {
      const Async on(scheduler);
      error = sum<1>(x * w) - y;
      slope = sum<0>(x * reshape(error, Dim{24, 1})) / 24.0f;
      w -= 0.1f * slope;
    };
    if (captured) {
      const auto step = scheduler.capture(once);
      for (int k = 0; k < 12; ++k) step.replay();
    } else {
      for (int k = 0; k < 12; ++k) once();
    }
    return values_of(w);
  };
  CHECK(difference(run(gpu, true), run(CpuPlace{}, false), 1e-4) == "");
}

TEST_CASE("a replay of kernels is one launch of a graph, whose arguments are those of the replay" *
          doctest::skip(!fake::is_here() || !fake::has_graphs())) {
  const Place gpu = GpuPlace{0};
  Scheduler scheduler({.workers = 1});
  Descent descent(gpu);
  const Vector first = numbers<float>(Dim{300}, 0).to(gpu), second = numbers<float>(Dim{300}, 1).to(gpu);
  const auto step = scheduler.capture(
      [&](Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on(scheduler);
        descent.step(gradient, rate);
      },
      first, 0.1f);
  step.replay(first, 0.01f);
  step.replay(first, 0.01f);
  scheduler.wait_all();
  fake::start_log();
  step.replay(first, 0.01f);
  scheduler.wait_all();
  CHECK(count_lines(fake::log(), "launch a graph of 3 kernels") == 1);
  CHECK(count_lines(fake::log(), "launch") == 1);
  CHECK(count_lines(fake::log(), "change") == 0);
  fake::start_log();
  for (int k = 0; k < 4; ++k) step.replay(k % 2 == 0 ? second : first, 0.02f);
  scheduler.wait_all();
  CHECK(count_lines(fake::log(), "launch a graph of 3 kernels") == 4);
  CHECK(count_lines(fake::log(), "launch") == 4);
  CHECK(count_lines(fake::log(), "change") == 5);  // 4 gradients, and the rate's first one
  CHECK(count_lines(fake::log(), "prepare") == 0);
  Descent wanted(gpu);
  for (int k = 0; k < 3; ++k) wanted.step(first, 0.01f);
  for (int k = 0; k < 4; ++k) wanted.step(k % 2 == 0 ? second : first, 0.02f);
  CHECK(difference(descent.result(), wanted.result(), 1e-6) == "");
}

TEST_CASE("a step that also runs on the host is replayed op by op") {
  const Place gpu = GpuPlace{0};
  Scheduler scheduler({.workers = 2});
  Vector there = zeros<float>(Dim{64}, gpu), here = zeros<float>(Dim{64}, Place(CpuPlace{}));
  int runs = 0;
  const auto step = scheduler.capture([&] {
    const Async on(scheduler);
    there += 1.0f;
    here += 2.0f;
    scheduler.submit(writes(here.var()), [&] { ++runs; });
    there = there * 2.0f;
  });
  for (int k = 0; k < 5; ++k) step.replay();
  CHECK(difference(values_of(there), Values(64, 62.0), 0) == "");
  CHECK(difference(values_of(here), Values(64, 10.0), 0) == "");
  CHECK(runs == 5);
}

TEST_CASE("a replay whose launches the driver refuses poisons what it writes, and the next one mends it" *
          doctest::skip(!fake::is_here())) {
  const Place gpu = GpuPlace{0};
  Scheduler scheduler({.workers = 1});
  Vector x = full(Dim{32}, 1.0f, gpu), y = zeros<float>(Dim{32}, gpu), z = zeros<float>(Dim{32}, gpu);
  const auto step = scheduler.capture([&] {
    const Async on(scheduler);
    y = x + 1.0f;
    z = y * 3.0f;
  });
  for (int k = 0; k < 3; ++k) step.replay();
  scheduler.wait_all();
  {
    const fake::Failing failing(10, 801);
    step.replay();
    CHECK_THROWS_AS(scheduler.wait(z.var()), OperationFailed);
    CHECK_THROWS_AS(scheduler.wait(y.var()), OperationFailed);
  }
  step.replay();
  scheduler.wait(z.var());
  CHECK(difference(values_of(z), Values(32, 6.0), 0) == "");
}

TEST_CASE("a step that is told to stop leaves its launches out") {
  const Place gpu = GpuPlace{0};
  Scheduler scheduler({.workers = 1});
  Vector x = full(Dim{32}, 1.0f, gpu);
  std::stop_source stop;
  const auto step = scheduler.capture(
      [&] {
        const Async on(scheduler);
        x += 1.0f;
        x += 1.0f;
      },
      CaptureOptions{.stop = stop.get_token()});
  for (int k = 0; k < 3; ++k) step.replay();
  scheduler.wait_all();
  stop.request_stop();
  step.replay();
  CHECK_THROWS_AS(scheduler.wait(x.var()), OperationFailed);
  x = full(Dim{32}, 7.0f, gpu);
  CHECK(difference(values_of(x), Values(32, 7.0), 0) == "");
}

TEST_SUITE_END();
