// Tests of the end: draining, cancelling, and destroying a scheduler in the middle of work.
#include "executors.hpp"
#include "standard_error.hpp"

using namespace support;

namespace {

Op signals_when_done(Scheduler&, Var v, Completion go, std::atomic<int>& count) {
  co_await access(writes(v));
  co_await go;
  ++count;
}

}  // namespace

// --8<-- [start:shutdown]
TEST_CASE("shutdown drains or cancels, and the scheduler can be used again") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int runs = 0;
    for (int i = 0; i < 50; ++i) scheduler.submit(writes(v), [&] { ++runs; });
    scheduler.shutdown(Shutdown::drain);
    CHECK(runs == 50);
    scheduler.stop();
    for (int i = 0; i < 50; ++i) scheduler.submit(writes(v), [&] { ++runs; });
    scheduler.shutdown(Shutdown::cancel);
    CHECK(runs == 50);
    CHECK(v.is_poisoned());
    scheduler.submit(writes(v), [&] { ++runs; });
    scheduler.wait(v);
    CHECK(runs == 51);
  });
}
// --8<-- [end:shutdown]

TEST_CASE("the destructor drains, and drops what is pending in a stopped scheduler") {
  on_every_executor([](const SchedulerOptions& options) {
    const auto token = std::make_shared<std::atomic<int>>(0);
    for (const bool stopped : {false, true}) {
      *token = 0;
      Var v;
      {
        Scheduler scheduler(options);
        if (stopped) scheduler.stop();
        for (int i = 0; i < 100; ++i) scheduler.submit(writes(v), [token] { ++*token; });
      }
      CHECK(*token == (stopped ? 0 : 100));
      CHECK(token.use_count() == 1);
      CHECK(v.is_poisoned() == stopped);
    }
  });
}

TEST_CASE("a scheduler is destroyed at once after its last op has ended, again and again") {
  on_every_executor([](const SchedulerOptions& options) {
    std::atomic<int> runs{0};
    for (int round = 0; round < 300; ++round) {
      Scheduler scheduler(options);
      const Var v;
      for (int i = 0; i < round % 5; ++i) scheduler.submit(writes(v), [&] { ++runs; });
      switch (round % 4) {
        case 0: scheduler.wait(v); break;
        case 1: scheduler.wait_all(); break;
        case 2: scheduler.wait_all_for(30s); break;
        default: break;
      }
    }
    CHECK(runs == 600);
  });
}

TEST_CASE("a scheduler is destroyed while foreign threads signal what its last ops wait for") {
  on_every_executor([](const SchedulerOptions& options) {
    std::atomic<int> count{0};
    for (int round = 0; round < 100; ++round) {
      const Completion go;
      std::thread signaller;
      {
        Scheduler scheduler(options);
        const Var v;
        for (int i = 0; i < 3; ++i) static_cast<void>(signals_when_done(scheduler, v, go, count));
        signaller = std::thread([&go] { go.signal(); });
      }
      signaller.join();
    }
    CHECK(count == 300);
  });
}

// --8<-- [start:shutdown_for]
TEST_CASE("shutdown_for says which coroutines have not ended") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Completion go;
    std::atomic<int> count{0};
    static_cast<void>(signals_when_done(scheduler, v, go, count));  // nobody signals it
    const auto message = [&](Shutdown how) -> std::string {
      try {
        scheduler.shutdown_for(how, 10ms);
      } catch (const DeadlineExceeded& late) {
        return late.what();
      }
      return "it has ended";
    };
    CHECK(eventually([&] { return message(Shutdown::drain).find("have not ended: op") != std::string::npos; }));
    CHECK(message(Shutdown::cancel).find("shutdown_test.cpp") != std::string::npos);  // it has begun: nobody cancels it
    go.signal();
    scheduler.shutdown_for(Shutdown::drain, 30s);
    CHECK(count == 1);
  });
}
// --8<-- [end:shutdown_for]

TEST_CASE("an end that waits for coroutines says on stderr for which") {
  on_every_executor([](const SchedulerOptions& each) {
    SchedulerOptions options = each;
    options.patience = 20ms;
    for (const bool destroys : {false, true}) {
      const Completion go;
      std::atomic<int> count{0};
      StandardError caught;
      std::thread signaller([&] {
        CHECK(eventually([&] { return caught.text().find("coroutines have not ended") != std::string::npos; }));
        go.signal();
      });
      {
        Scheduler scheduler(options);
        const Var v, w;
        static_cast<void>(signals_when_done(scheduler, v, go, count));
        for (int i = 0; i < 12; ++i) static_cast<void>(signals_when_done(scheduler, Var(), go, count));
        static_cast<void>(signals_when_done(scheduler, w, go, count));
        CHECK(eventually([&] {  // all have begun
          try {
            scheduler.wait_all_for(5ms);
          } catch (const DeadlineExceeded& late) {
            return std::string(late.what()).find(" and 6 more") != std::string::npos;
          }
          return false;
        }));
        if (!destroys) scheduler.shutdown(Shutdown::drain);
      }
      signaller.join();
      CHECK(count == 14);
      const std::string text = caught.text();
      CHECK(text.starts_with(destroys ? "tessera: ~Scheduler: no op has run for 0.02 s"
                                      : "tessera: shutdown: no op has run for 0.02 s"));
      CHECK(text.find(" and 6 more") != std::string::npos);
      CHECK(text.find("tessera:", 1) == std::string::npos);  // it is said once
    }
  });
}

TEST_CASE("an end that waits for nothing but its own work is silent") {
  on_every_executor([](const SchedulerOptions& each) {
    SchedulerOptions options = each;
    options.patience = 1ms;
    const StandardError caught;
    {
      Scheduler scheduler(options);
      for (int i = 0; i < 4; ++i) scheduler.submit(writes(Var()), [] { std::this_thread::sleep_for(20ms); });
    }
    CHECK(caught.text() == "");
    options.patience = -1ms;
    CHECK_THROWS_WITH_AS(Scheduler{options}, doctest::Contains("patience is -1 ms"), SchedulerError);
  });
}

TEST_CASE("a scheduler may live and die inside an op of another one") {
  on_every_executor([](const SchedulerOptions& outer_options) {
    on_every_executor([&](const SchedulerOptions& inner_options) {
      Scheduler outer(outer_options);
      const Var done;
      std::atomic<int> runs{0};
      outer.submit(writes(done), [&] {
        Scheduler inner(inner_options);
        const Var v;
        for (int i = 0; i < 20; ++i) inner.submit(writes(v), [&] { ++runs; });
      });
      outer.wait(done);
      CHECK(runs == 20);
    });
  });
}

TEST_CASE("an op may hold the last handle of its own scheduler") {
  on_every_pool([](const SchedulerOptions& options) {
    std::atomic<int> runs{0};
    for (int round = 0; round < 20; ++round) {
      auto scheduler = std::make_shared<Scheduler>(options);
      const Var v;
      std::atomic<bool> go{false};
      const int before = runs;
      Scheduler& used = *scheduler;
      used.submit(writes(v), [&runs, &go, held = scheduler]() mutable {
        eventually([&] { return go.load(); });
        held.reset();
        ++runs;
      });
      for (int i = 0; i < 5; ++i) used.submit(writes(v), [&] { ++runs; });
      scheduler.reset();
      go = true;
      REQUIRE(eventually([&] { return runs == before + 6; }));
      REQUIRE(eventually([&] { return v.version() >= 6; }));
    }
  });
}

TEST_CASE("cancelling in the middle of work ends every op, run or not, and leaks none") {
  on_every_executor([](const SchedulerOptions& options) {
    const auto token = std::make_shared<std::atomic<int>>(0);
    for (int round = 0; round < 20; ++round) {
      Scheduler scheduler(options);
      std::vector<Var> vars(4);
      for (int i = 0; i < 200; ++i) {
        scheduler.submit(reads(vars[static_cast<std::size_t>(i % 4)]), writes(vars[static_cast<std::size_t>(i % 3)]),
                         [token] { ++*token; });
      }
      scheduler.shutdown(Shutdown::cancel);
      CHECK(scheduler.counters().pending == 0);
    }
    CHECK(token.use_count() == 1);
  });
}
