// Handles that have no value, and durations and sizes at the ends of their ranges.
#include "executors.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <ratio>

using namespace support;

namespace {

Op nothing(Scheduler&) { co_await access(); }

Task<int> seven() { co_return 7; }

Op awaits_twice(Scheduler&, int& sum) {
  co_await access();
  Task<int> task = seven();
  sum += co_await task;
  sum += co_await task;
}

Op awaits_moved_from(Scheduler&, int& sum) {
  co_await access();
  Task<int> task = seven();
  Task<int> other = std::move(task);
  sum += co_await other;
  sum += co_await task;
}

Op awaits_moved_from_op(Scheduler& scheduler) {
  co_await access();
  Op op = nothing(scheduler);
  const Op other = std::move(op);
  co_await op;
}

Op sleeps(Scheduler&, std::chrono::duration<double> duration, bool& has_slept) {
  co_await access();
  co_await sleep_for(duration);
  has_slept = true;
}

}  // namespace

TEST_CASE("a task is awaited once, and not when it has been moved from") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    int sum = 0;
    CHECK_THROWS_WITH_AS(scheduler.wait(awaits_twice(scheduler, sum)), doctest::Contains("has been awaited already"),
                         OperationFailed);
    CHECK_THROWS_WITH_AS(scheduler.wait(awaits_moved_from(scheduler, sum)), doctest::Contains("has been moved from"),
                         OperationFailed);
    CHECK(sum == 14);
  });
}

TEST_CASE("an Op and a Var that have been moved from") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    Op op = nothing(scheduler);
    const Op taken = std::move(op);
    CHECK_THROWS_WITH_AS(scheduler.wait(op), doctest::Contains("moved from"), SchedulerError);
    CHECK_THROWS_WITH_AS(scheduler.wait(awaits_moved_from_op(scheduler)), doctest::Contains("moved from"),
                         OperationFailed);
    scheduler.wait(taken);
    Var var;
    const Var kept = std::move(var);
    CHECK(!var);
    CHECK(var.id() == 0);
    CHECK(var.version() == 0);
    CHECK(!var.is_poisoned());
    var.clear();
    CHECK_THROWS_AS(scheduler.wait(var), SchedulerError);
    CHECK_THROWS_AS(scheduler.submit(writes(var), [] {}), SchedulerError);
  });
}

TEST_CASE("durations at the ends of their ranges") {
  using Milli = std::chrono::duration<std::int64_t, std::milli>;
  using Years = std::chrono::duration<std::int64_t, std::ratio<31556952>>;
  const auto nan = std::chrono::duration<double>(std::nan(""));
  const auto infinite = std::chrono::duration<double>(std::numeric_limits<double>::infinity());
  on_every_pool([&](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var var;
    const auto long_enough = [&](const auto& duration) {
      std::atomic<bool> may_end = false;
      scheduler.submit(writes(var), [&] {
        while (!may_end) std::this_thread::yield();
      });
      std::thread other([&] {
        std::this_thread::sleep_for(5ms);
        may_end = true;
      });
      CHECK_NOTHROW(scheduler.wait_for(var, duration));
      scheduler.wait_all_for(duration);
      other.join();
    };
    long_enough(std::chrono::hours::max());
    long_enough(std::chrono::nanoseconds::max());
    long_enough(Milli::max());
    long_enough(Years::max());
    long_enough(infinite);
    const auto too_short = [&](const auto& duration) {
      std::atomic<bool> may_end = false;
      scheduler.submit(writes(var), [&] {
        while (!may_end) std::this_thread::yield();
      });
      CHECK_THROWS_AS(scheduler.wait_for(var, duration), DeadlineExceeded);
      CHECK_THROWS_AS(scheduler.wait_all_for(duration), DeadlineExceeded);
      may_end = true;
      scheduler.wait_all();
    };
    too_short(std::chrono::hours::min());
    too_short(Years::min());
    too_short(-infinite);
    too_short(nan);
    too_short(0ns);
  });
  on_every_executor([&](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    bool has_slept = false;
    scheduler.wait(sleeps(scheduler, nan, has_slept));
    CHECK(has_slept);
    scheduler.wait(sleeps(scheduler, -infinite, has_slept));
  });
}

TEST_CASE("sizes at the end of their range") {
  Scheduler scheduler({.workers = 2, .window_bytes = 1000});
  const Var var;
  std::atomic<int> runs = 0;
  for (int i = 0; i < 20; ++i) {
    scheduler.submit(writes(var), [&runs] { ++runs; }, {.bytes = PTRDIFF_MAX});
    scheduler.submit(reads(var), [&runs] { ++runs; }, {.bytes = 10});
  }
  scheduler.wait_all();
  CHECK(runs == 40);
  CHECK_THROWS_AS(scheduler.submit(writes(var), [] {}, {.bytes = PTRDIFF_MIN}), SchedulerError);
}
