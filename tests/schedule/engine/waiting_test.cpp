// Tests of waiting: for a Var, for an op, for all, with deadlines, and where waiting is refused.
#include "executors.hpp"

using namespace support;

TEST_CASE("a wait for a fresh Var, and one for nothing pending, return at once") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    scheduler.wait(v);
    scheduler.wait_all();
    scheduler.wait_for(v, 0ms);
    scheduler.wait_all_for(0ms);
    CHECK(scheduler.counters().submitted == 0);
  });
}

TEST_CASE("wait is for pending writes and not for pending reads; wait_all is for both") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<bool> written{false};
    std::atomic<bool> release{false};
    std::atomic<bool> read{false};
    scheduler.submit(writes(v), [&] {
      spin(2ms);
      written = true;
    });
    scheduler.wait_for(v, 30s);
    CHECK(written);
    scheduler.submit(reads(v), [&] {
      eventually([&] { return release.load(); });
      read = true;
    });
    scheduler.wait_for(v, 30s);
    CHECK(!read);
    release = true;
    scheduler.wait_all_for(30s);
    CHECK(read);
  });
}

// --8<-- [start:deadline]
TEST_CASE("a wait with a deadline says which op has not ended") {
  Scheduler scheduler({.workers = 2});
  const Var v;
  std::atomic<bool> release{false};
  scheduler.submit(writes(v), [&] { eventually([&] { return release.load(); }); }, {.name = "download"});
  const std::string message = message_of<DeadlineExceeded>([&] { scheduler.wait_for(v, 5ms); });
  CHECK(contains(message, "'download'"));
  CHECK(contains(message, "waiting_test.cpp"));
  release = true;
  scheduler.wait(v);
}
// --8<-- [end:deadline]

TEST_CASE("a waiter that gives up at its deadline leaves the queue as it would be without it") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<bool> release{false};
    std::vector<int> order;
    scheduler.submit(writes(v), [&] { eventually([&] { return release.load(); }); });
    for (int i = 0; i < 5; ++i) {
      scheduler.submit(writes(v), [&order, i] { order.push_back(i); });
      CHECK_THROWS_AS(scheduler.wait_for(v, 1ms), DeadlineExceeded);
      scheduler.submit(reads(v), [&order, i] { static_cast<void>(order.size() + static_cast<std::size_t>(i)); });
    }
    CHECK_THROWS_AS(scheduler.wait_all_for(1ms), DeadlineExceeded);
    release = true;
    scheduler.wait_all();
    CHECK(order == std::vector{0, 1, 2, 3, 4});
    CHECK(v.version() == 6);
  });
}

TEST_CASE("deadlines that pass while the Var is granted lose no wake-up") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int passed = 0;
    for (int i = 0; i < 300; ++i) {
      for (int k = 0; k < 3; ++k) scheduler.submit(writes(v), [i] { spin(std::chrono::microseconds(i % 30)); });
      try {
        scheduler.wait_for(v, std::chrono::microseconds(i % 50));
      } catch (const DeadlineExceeded&) {
        ++passed;
      }
      scheduler.submit(reads(v), [] {});
    }
    scheduler.wait_all();
    CHECK(v.version() == 900);
    WARN(passed > 0);  // seldom, on a machine that is busy otherwise
  });
}

TEST_CASE("many threads may wait for one Var and for everything") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<int> value{0};
    for (int i = 0; i < 200; ++i) scheduler.submit(writes(v), [&] { ++value; });
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        t % 2 == 0 ? scheduler.wait(v) : scheduler.wait_all();
        wrong += value == 200 ? 0 : 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  });
}

TEST_CASE("an op may be waited for while it is pending and after it has ended") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int runs = 0;
    const Op op = scheduler.launch(reads(), writes(v), [&] { ++runs; });
    scheduler.wait(op);
    CHECK(runs == 1);
    scheduler.wait(op);
    static_cast<void>(scheduler.launch(writes(v), [&] { ++runs; }));  // a handle may be dropped at once
    scheduler.wait(v);
    CHECK(runs == 2);
  });
}

TEST_CASE("the op of another scheduler is refused") {
  Scheduler one({.executor = Inline{}});
  Scheduler two({.executor = Inline{}});
  const Op op = one.launch(reads(), [] {}, {.name = "here"});
  CHECK(contains(message_of<SchedulerError>([&] { two.wait(op); }), "'here'"));
  one.wait(op);
}

// --8<-- [start:blocking]
TEST_CASE("a wait that would block a worker is refused and says what to do instead") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Var result;
    std::string message;
    scheduler.submit(writes(result), [&] { message = message_of<SchedulerError>([&] { scheduler.wait(v); }); },
                     {.name = "step"});
    scheduler.wait(result);
    CHECK(contains(message, "'step'"));
    CHECK(contains(message, "co_await"));
  });
}
// --8<-- [end:blocking]

TEST_CASE("every call that blocks is refused inside an op") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    Scheduler other({.executor = Inline{}});
    const Var v;
    const Op op = scheduler.launch(reads(), [] {});
    scheduler.wait(op);
    std::atomic<int> refused{0};
    const auto refuses = [&](const auto& call) { refused += message_of<SchedulerError>(call).empty() ? 0 : 1; };
    scheduler.submit(reads(), [&] {
      refuses([&] { scheduler.wait(v); });
      refuses([&] { scheduler.wait_for(v, 1ms); });
      refuses([&] { scheduler.wait(op); });
      refuses([&] { scheduler.wait_all(); });
      refuses([&] { scheduler.wait_all_for(1ms); });
      refuses([&] { scheduler.stop(); });
      refuses([&] { scheduler.shutdown(Shutdown::drain); });
      refuses([&] { other.wait_all(); });
    });
    scheduler.wait_all();
    CHECK(refused == 8);
  });
}

TEST_CASE("a thread that helps until its Var is ready does not leave those asleep who wait for everything") {
  Scheduler scheduler({.workers = 1});
  const Var var;
  for (int round = 0; round < 500; ++round) {
    std::atomic<bool> told{true};
    for (int op = 0; op < 3; ++op) scheduler.submit(writes(var), [] {});
    std::thread all([&] {
      try {
        scheduler.wait_all_for(std::chrono::seconds(10));
      } catch (const DeadlineExceeded&) {
        told = false;
      }
    });
    scheduler.wait(var);
    all.join();
    REQUIRE(told);
  }
}
