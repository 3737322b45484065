// Ops of the CPU that need what a GPU computes wait for it without holding a worker.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

const Place gpu = GpuPlace{0};

// --8<-- [start:ready]
Op add_up(Scheduler&, Array<float, 1> loss, double& total, const Var& turns) {
  co_await access(reads(loss.var()), writes(turns), {.name = "add up"});
  co_await ready(loss);  // until the GPU has computed it; no worker is held
  total += float(loss[{0}]);
}
// --8<-- [end:ready]

Op note_when_reached(Scheduler&, device::StreamMark mark, std::atomic<bool>& is_noted) {
  co_await access();
  co_await mark;
  is_noted = mark.is_reached();
}

bool host_has_slept() { return fake::log().find("host waits") != std::string::npos; }

const SchedulerOptions every_executor[] = {{.workers = 1}, {.workers = 2}, {.executor = Inline{}}};

/// A copy in pinned memory that the GPU has not made yet.
Array<float, 1> copied_later(float value, std::ptrdiff_t length = 100) {
  const Array<float, 1> on_gpu = full(Dim{length}, value, gpu);
  return on_gpu.to(Place(PinnedPlace{}));
}

}  // namespace

TEST_CASE("an assignment in pinned memory waits for the GPU without a worker" * doctest::test_suite("fake")) {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    const Array<float, 1> sum = zeros<float>(Dim{100}, Place(PinnedPlace{}));
    std::atomic<int> others = 0;
    std::optional<fake::Holding> holding{std::in_place};
    const Array<float, 1> source = copied_later(3);
    fake::start_log();
    {
      Async on(scheduler);
      assign(sum, source * 2 + sum);
    }
    const Var after;
    for (int i = 0; i < 50; ++i) scheduler.submit(writes(after), [&] { ++others; });
    scheduler.wait(after);  // one worker is enough: the assignment has none
    CHECK(others == 50);
    CHECK(fake::pending_work() > 0);
    CHECK(!host_has_slept());
    holding.reset();
    scheduler.wait_all();
    CHECK(!host_has_slept());
    CHECK(difference(values_of(sum), Values(100, 6.0), 0) == "");
  }
}

TEST_CASE("ops that give up their turn keep their order") {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    Array<float, 1> total = zeros<float>(Dim{10}, Place(PinnedPlace{}));
    {
      Async on(scheduler);
      for (int i = 1; i <= 40; ++i) {
        const Array<float, 1> part = copied_later(static_cast<float>(i % 3), 10);
        total = total * 2 + part;
        total = where(total > 1000, total - 1000, total);
      }
    }
    double wanted = 0;
    for (int i = 1; i <= 40; ++i) {
      wanted = wanted * 2 + i % 3;
      if (wanted > 1000) wanted -= 1000;
    }
    CHECK(difference(values_of(total), Values(10, wanted), 0) == "");
  }
}

TEST_CASE("a recorded step gives up turns too") {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    const Array<float, 1> source = zeros<float>(Dim{64}, Place(PinnedPlace{}));
    const Array<float, 1> doubled = zeros<float>(Dim{64}, Place(PinnedPlace{}));
    const Array<float, 1> plus = zeros<float>(Dim{64}, Place(PinnedPlace{}));
    const auto step = scheduler.capture([&] {
      const Async on(scheduler);
      assign(doubled, source * 2);
      assign(plus, doubled + source);
    });
    for (int i = 0; i < 20; ++i) {
      const Array<float, 1> fresh = copied_later(static_cast<float>(i), 64);
      assign(source, fresh + 0);
      const Array<float, 1> reader = source.to(gpu);  // the GPU reads it later
      step.replay();
      scheduler.wait_all();
      CHECK(difference(values_of(plus), Values(64, 3.0 * i), 0) == "");
      CHECK(difference(values_of(reader), Values(64, 1.0 * i), 0) == "");
    }
  }
}

TEST_CASE("a coroutine awaits what a GPU computes") {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    const Array<float, 1> x = numbers<float>(Dim{500}, 1).to(gpu);
    Array<float, 1> loss = zeros<float>(Dim{1}, gpu);
    double total = 0;
    const Var turns;  // each loss is an array of its own: without it the ops would add at the same time
    double wanted = 0;
    fake::start_log();
    for (int i = 1; i <= 5; ++i) {
      {
        Async on(scheduler);
        loss = sum<0>(x * 0 + static_cast<float>(i), keepdims);
      }
      static_cast<void>(add_up(scheduler, loss, total, turns));
      wanted += 500.0 * i;
    }
    scheduler.wait_all();
    CHECK(total == wanted);
  }
}

TEST_CASE("a coroutine awaits a mark without a worker" * doctest::test_suite("fake")) {
  for (const SchedulerOptions& options : every_executor) {
    Scheduler scheduler(options);
    std::atomic<bool> is_noted = false;
    std::atomic<bool> has_run = false;
    std::optional<fake::Holding> holding{std::in_place};
    const Array<float, 1> a = full(Dim{10}, 1.0f, gpu);
    fake::start_log();
    const Op op = note_when_reached(scheduler, device::Stream::current(GpuPlace{0}).mark(), is_noted);
    const Var after;
    scheduler.submit(writes(after), [&] { has_run = true; });
    scheduler.wait(after);
    CHECK(has_run);
    CHECK(!is_noted);
    holding.reset();
    scheduler.wait(op);
    CHECK(is_noted);
    CHECK(!host_has_slept());
  }
}

TEST_CASE("many ops that wait for several streams go on, each in time") {
  Scheduler scheduler({.workers = 3});
  std::vector<Array<float, 1>> sums;
  for (int i = 0; i < 60; ++i) sums.push_back(zeros<float>(Dim{30}, Place(PinnedPlace{})));
  std::vector<std::thread> threads;
  for (int part = 0; part < 3; ++part) {
    threads.emplace_back([&, part] {
      for (std::size_t i = static_cast<std::size_t>(part); i < sums.size(); i += 3) {
        const Array<float, 1> source = copied_later(static_cast<float>(i), 30);
        Async on(scheduler);
        assign(sums[i], source + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  scheduler.wait_all();
  for (std::size_t i = 0; i < sums.size(); ++i)
    CHECK(difference(values_of(sums[i]), Values(30, static_cast<double>(i) + 1), 0) == "");
}

TEST_CASE("only a callable op gives up its turn, and once") {
  Scheduler scheduler({.workers = 1});
  CHECK_THROWS_WITH_AS(schedule::give_up_turn({}), doctest::Contains("no op with a callable body is running"),
                       SchedulerError);
  int calls = 0;
  const Var twice;
  scheduler.submit(writes(twice), [&] {
    if (++calls > 1) return;
    schedule::give_up_turn({});
    CHECK_THROWS_WITH_AS(schedule::give_up_turn({}), doctest::Contains("has given up its turn already"),
                         SchedulerError);
  });
  scheduler.wait(twice);
  CHECK(calls == 2);
  bool has_refused = false;
  const auto coroutine = [](Scheduler&, bool& refused) -> Op {
    co_await access();
    CHECK_THROWS_WITH_AS(schedule::give_up_turn({}), doctest::Contains("co_await what it waits for"), SchedulerError);
    refused = true;
  };
  scheduler.wait(coroutine(scheduler, has_refused));
  CHECK(has_refused);
}
