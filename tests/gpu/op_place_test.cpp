// Ops that name a GPU as their place: their context is that GPU's stream, and they end when it has done their work.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "comparison.hpp"

using namespace tessera;

namespace {

const SchedulerOptions every_executor[] = {{.workers = 1}, {.workers = 2}, {.executor = Inline{}}};

}  // namespace

TEST_CASE("an op ends when its GPU has done its work, and holds no worker until then" * doctest::test_suite("fake")) {
  for (const SchedulerOptions& options : {SchedulerOptions{.workers = 1}, SchedulerOptions{.workers = 2}}) {
    Scheduler scheduler(options);
    const Array<float, 1> x = full(Dim{100}, 3.f, Place(GpuPlace{0}));
    const Array<float, 1> y = zeros<float>(Dim{100}, Place(GpuPlace{0}));
    const Var scaled, others;
    std::atomic<int> count = 0;
    std::atomic<bool> is_scaled = false;
    std::optional<fake::Holding> holding{std::in_place};
    // --8<-- [start:place]
    scheduler.submit(reads(x.var()), writes(y.var(), scaled),
                     [&](device::Stream& stream) {
                       assign(y, x * 2);  // or a call of a CUDA library with stream.native()
                       CHECK(stream.place() == GpuPlace{0});
                     },
                     {.name = "scale", .place = GpuPlace{0}});
    scheduler.submit(reads(scaled), [&] { is_scaled = true; });  // when the GPU has done it
    // --8<-- [end:place]
    for (int i = 0; i < 20; ++i) scheduler.submit(writes(others), [&] { ++count; });
    scheduler.wait(others);
    CHECK(count == 20);
    CHECK(!is_scaled);
    holding.reset();
    scheduler.wait_all();
    CHECK(is_scaled);
    CHECK(difference(values_of(y), Values(100, 6.0), 0) == "");
  }
}

TEST_CASE("ops on a GPU are recorded and replayed") {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    const Array<float, 1> y = full(Dim{64}, 1.f, Place(GpuPlace{0}));
    int runs = 0;
    auto step = scheduler.capture([&] {
      scheduler.submit(writes(y.var()),
                       [&, y](device::Stream&) {
                         ++runs;
                         assign(y, y * 2);
                       },
                       {.name = "double", .place = GpuPlace{0}});
    });
    for (int i = 0; i < 5; ++i) step.replay();
    scheduler.wait_all();
    CHECK(runs == 5);
    CHECK(difference(values_of(y), Values(64, 32.0), 0) == "");
  }
}

TEST_CASE("what the body of an op on a GPU throws poisons what it should have written") {
  Scheduler scheduler({.workers = 1});
  const Var out;
  scheduler.submit(writes(out), [](device::Stream&) { throw std::runtime_error("no such weights"); },
                   {.place = GpuPlace{0}});
  CHECK_THROWS_WITH_AS(scheduler.wait(out), doctest::Contains("no such weights"), OperationFailed);
}

TEST_CASE("a place and a body that do not fit say so") {
  Scheduler scheduler({.workers = 1});
  const Var out;
  CHECK_THROWS_WITH_AS(scheduler.submit(writes(out), [] {}, {.name = "fit", .place = GpuPlace{0}}),
                       doctest::Contains("'fit'"), SchedulerError);
  CHECK_THROWS_WITH_AS(scheduler.submit(writes(out), [](device::Stream&) {}, {.name = "fit"}),
                       doctest::Contains("its place is cpu"), SchedulerError);
  scheduler.submit(writes(out), [](device::Stream&) {}, {.place = GpuPlace{99}});
  CHECK_THROWS_AS(scheduler.wait(out), OperationFailed);
}
