// Tests of completions and timers: what happens outside of the scheduler.
#include "executors.hpp"

using namespace support;

namespace {

// --8<-- [start:completion]
Op read_in_background(Scheduler&, Var data, Completion read, const int& device, int& value) {
  co_await access(writes(data), {.name = "read"});
  co_await read;  // no worker is held; any thread signals it, once
  value = device;
}
// --8<-- [end:completion]

Op count_completed(Scheduler&, Completion completion, std::atomic<int>& count) {
  co_await access();
  co_await completion;
  ++count;
}

Op sleeps(Scheduler&, Var v, std::chrono::milliseconds duration, Overlap& asleep, std::atomic<int>& woken) {
  co_await access(reads(v), {.name = "sleeps"});
  asleep.enter();
  co_await sleep_for(duration);
  asleep.leave();
  ++woken;
}

}  // namespace

TEST_CASE("an op goes on when its completion is signalled, on any thread") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var data;
    const Completion read;
    int device = 0;
    int value = 0;
    static_cast<void>(read_in_background(scheduler, data, read, device, value));
    CHECK(!read.is_complete());
    std::thread([&] {
      device = 17;
      read.signal();
    }).join();
    scheduler.wait(data);
    CHECK(read.is_complete());
    CHECK(value == 17);
  });
}

TEST_CASE("a completion that was signalled before is awaited without waiting") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Completion over;
    over.signal();
    std::atomic<int> count{0};
    for (int i = 0; i < 10; ++i) static_cast<void>(count_completed(scheduler, over, count));
    scheduler.wait_all();
    CHECK(count == 10);
  });
}

TEST_CASE("signalling a completion twice is an error that changes nothing") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Completion completion;
    std::atomic<int> count{0};
    static_cast<void>(count_completed(scheduler, completion, count));
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        try {
          completion.signal();
        } catch (const SchedulerError& error) {
          refused += contains(error.what(), "before") ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    CHECK(refused == 7);
    CHECK(count == 1);
    CHECK_THROWS_AS(completion.fail(nullptr), SchedulerError);
  });
}

TEST_CASE("a completion that fails throws what it was given in every op that awaits it") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Completion read;
    int unused = 0;
    static_cast<void>(read_in_background(scheduler, v, read, unused, unused));
    read.fail(std::make_exception_ptr(std::runtime_error("disk on fire")));
    const std::string message = message_of<OperationFailed>([&] { scheduler.wait(v); });
    CHECK(contains(message, "'read'"));
    CHECK(contains(message, "disk on fire"));
  });
}

TEST_CASE("a wait with a deadline names the op whose completion never comes") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Completion read;
    int unused = 0;
    static_cast<void>(read_in_background(scheduler, v, read, unused, unused));
    const std::string message = message_of<DeadlineExceeded>([&] { scheduler.wait_for(v, 5ms); });
    CHECK(contains(message, "'read'"));
    CHECK(contains(message, "completion_test.cpp"));
    read.signal();
    scheduler.wait(v);
  });
}

TEST_CASE("ten thousand completions in flight are signalled by threads that know no scheduler") {
  on_every_executor([](const SchedulerOptions& options) {
    const auto* permuting = std::get_if<Permuting>(&options.executor);
    if (permuting != nullptr && permuting->seed > 1) return;  // it looks at all that are ready each time
    Scheduler scheduler(options);
    constexpr std::size_t in_flight = 10000;
    const std::vector<Completion> completions(in_flight);
    std::atomic<int> count{0};
    for (const Completion& completion : completions) static_cast<void>(count_completed(scheduler, completion, count));
    CHECK(scheduler.counters().pending == in_flight);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < in_flight; i += 4) completions[i].signal();
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    CHECK(count == in_flight);
  });
}

TEST_CASE("ops that sleep hold no worker") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler scheduler(options);
    const Var v;
    Overlap asleep;
    std::atomic<int> woken{0};
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i)
      static_cast<void>(sleeps(scheduler, v, std::chrono::milliseconds(20 + i % 3), asleep, woken));
    scheduler.wait_all();
    CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
    CHECK(woken == 100);
    CHECK(asleep.most() > at_once);
    CHECK(asleep.inside() == 0);
  }
}

TEST_CASE("a sleep of nothing, or of less, goes on at once") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    Overlap asleep;
    std::atomic<int> woken{0};
    static_cast<void>(sleeps(scheduler, v, 0ms, asleep, woken));
    static_cast<void>(sleeps(scheduler, v, -5ms, asleep, woken));
    scheduler.wait_all();
    CHECK(woken == 2);
  });
}
