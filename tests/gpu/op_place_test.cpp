// Ops that name a GPU as their place: their context is that GPU's stream, and they end when it has done their work.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
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
                       assign(y, x * 2);
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

TEST_CASE("work that a library is given by the stream is part of the op, and ordered with that on its arrays" *
          doctest::test_suite("fake")) {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> x = full(Dim{100}, 3.f, Place(GpuPlace{0}));
  Array<float, 1> y = zeros<float>(Dim{100}, Place(GpuPlace{0}));
  const auto library_copies = [](float* to, const float* from, std::ptrdiff_t bytes, void* stream) {
    const auto copy = fake::function_of<int(const void*, const void*, std::size_t, void*)>("cuMemcpyAsync");
    CHECK(copy(to, from, static_cast<std::size_t>(bytes), stream) == 0);
  };
  const Var copied;
  std::atomic<bool> is_copied = false;
  std::optional<fake::Holding> holding{std::in_place};
  {
    Async on{scheduler};
    x = x * 2;
  }
  // --8<-- [start:run_on]
  scheduler.submit(reads(x.var()), writes(y.var(), copied),
                   [=](device::Stream& stream) mutable {
                     run_on(stream, std::tie(x), std::tie(y), [&] {
                       library_copies(y.data(), x.data(), x.size() * 4, stream.native());  // starts when x * 2 is there
                     });
                   },
                   {.name = "copy", .place = GpuPlace{0}});
  // --8<-- [end:run_on]
  scheduler.submit(reads(copied), [&] { is_copied = true; });
  CHECK(!is_copied);
  holding.reset();
  scheduler.wait(copied);
  scheduler.wait_all();
  CHECK(is_copied);
  CHECK(difference(values_of(y), Values(100, 6.0), 0) == "");
  const Array<float, 1> here = zeros<float>(Dim{100});
  device::Stream& stream = device::Stream::current(GpuPlace{0});
  CHECK_THROWS_WITH_AS(run_on(stream, std::tie(here), std::tie(y), [] {}), doctest::Contains("an array is on cpu"),
                       PlaceError);
  CHECK_THROWS_AS(run_on(stream, std::tie(), std::tie(y), [] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST_CASE("an op whose body throws ends when the GPU has done what it was given before" * doctest::test_suite("fake")) {
  Scheduler scheduler({.workers = 1});
  const Array<float, 1> y = full(Dim{100}, 3.f, Place(GpuPlace{0}));
  const Var out;
  scheduler.submit(writes(y.var(), out),
                   [y](device::Stream&) {
                     assign(y, y * 2);
                     throw std::runtime_error("too late");
                   },
                   {.place = GpuPlace{0}});
  CHECK_THROWS_AS(scheduler.wait(out), OperationFailed);
  CHECK(device::Stream::current(GpuPlace{0}).mark().is_reached());
}

TEST_CASE("a GPU op of a replay that is cancelled while it waits runs again in the next one" *
          doctest::test_suite("fake")) {
  Scheduler scheduler({.workers = 1});
  const Array<float, 1> y = full(Dim{64}, 1.f, Place(GpuPlace{0}));
  std::atomic<int> runs = 0;
  auto step = scheduler.capture([&] {
    scheduler.submit(writes(y.var()),
                     [&, y](device::Stream&) {
                       ++runs;
                       assign(y, y * 2);
                     },
                     {.place = GpuPlace{0}});
  });
  std::optional<fake::Holding> holding{std::in_place};
  step.replay();
  while (runs == 0) std::this_thread::yield();
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    holding.reset();
  });
  scheduler.shutdown(Shutdown::cancel);
  release.join();
  step.replay();
  scheduler.wait_all();
  CHECK(runs == 2);
  CHECK(difference(values_of(y), Values(64, 4.0), 0) == "");
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
