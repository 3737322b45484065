// Tests of cancellation by stop_token: what is pending does not start, what runs may look.
#include "executors.hpp"

using namespace support;

// --8<-- [start:stop_token]
TEST_CASE("a stop request cancels what has not begun and poisons what it should have written") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var batch;
    std::stop_source stop;
    int runs = 0;
    scheduler.stop();
    scheduler.submit(writes(batch), [&] { ++runs; }, {.name = "prepare", .stop = stop.get_token()});
    stop.request_stop();
    scheduler.start();
    try {
      scheduler.wait(batch);
      FAIL_CHECK("it was not cancelled");
    } catch (const OperationFailed& failed) {
      CHECK(contains(failed.what(), "'prepare'"));
      CHECK_THROWS_AS(failed.rethrow_cause(), Cancelled);
    }
    CHECK(runs == 0);
  });
}
// --8<-- [end:stop_token]

TEST_CASE("a running op may look at its token and end early") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::stop_source stop;
    std::atomic<bool> begun{false};
    std::atomic<bool> saw{false};
    scheduler.submit(writes(v),
                     [&, token = stop.get_token()] {
                       begun = true;
                       saw = eventually([&] { return token.stop_requested(); });
                     },
                     {.stop = stop.get_token()});
    REQUIRE(eventually([&] { return begun.load(); }));
    stop.request_stop();
    scheduler.wait(v);
    CHECK(saw);
    CHECK(!v.is_poisoned());
  });
}

TEST_CASE("a cancelled op that writes nothing is no failure of wait_all") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::stop_source stop;
    stop.request_stop();
    const Op op = scheduler.launch(reads(), [] {}, {.name = "quiet", .stop = stop.get_token()});
    scheduler.wait_all();
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(op); }), "'quiet'"));
  });
}

TEST_CASE("cleaning up runs although it was cancelled") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::stop_source stop;
    stop.request_stop();
    int runs = 0;
    scheduler.submit(writes(v), [&] { ++runs; }, {.always_run = true, .stop = stop.get_token()});
    scheduler.wait(v);
    CHECK(runs == 1);
  });
}

TEST_CASE("the body of a cancelled op is destroyed, callable or coroutine") {
  on_every_executor([](const SchedulerOptions& options) {
    const auto token = std::make_shared<int>(0);
    {
      Scheduler scheduler(options);
      const Var v;
      std::stop_source stop;
      stop.request_stop();
      const auto body = [](Scheduler&, Var var, std::stop_token stops, std::shared_ptr<int> held) -> Op {
        const auto local = held;
        co_await access(writes(var), {.stop = stops});
        ++*local;
      };
      for (int i = 0; i < 30; ++i) {
        scheduler.submit(writes(v), [token] { ++*token; }, {.stop = stop.get_token()});
        static_cast<void>(body(scheduler, v, stop.get_token(), token));
      }
      CHECK_THROWS_AS(scheduler.wait(v), OperationFailed);
      scheduler.wait_all();
    }
    CHECK(*token == 0);
    CHECK(token.use_count() == 1);
  });
}

TEST_CASE("stops that race with ops that begin leave every op either run or cancelled") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    for (int round = 0; round < 20; ++round) {
      std::stop_source stop;
      std::vector<Var> vars(50);
      std::atomic<int> runs{0};
      for (const Var& v : vars) scheduler.submit(writes(v), [&] { ++runs; }, {.stop = stop.get_token()});
      std::thread stopper([&] { stop.request_stop(); });
      scheduler.wait_all();
      stopper.join();
      const auto poisoned = std::ranges::count_if(vars, [](const Var& v) { return v.is_poisoned(); });
      CHECK(runs + poisoned == 50);
    }
  });
}
