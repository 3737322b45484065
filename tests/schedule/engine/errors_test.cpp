// Tests of errors: what a failed op poisons, who is told, and what goes on.
#include "executors.hpp"

using namespace support;

// --8<-- [start:errors]
TEST_CASE("a wait says which op failed, where it was submitted, and what it threw") {
  Scheduler scheduler({.workers = 2});
  const Var weights;
  const Var loss;
  scheduler.submit(writes(weights), [] { throw std::runtime_error("no such file"); }, {.name = "load"});
  scheduler.submit(reads(weights), writes(loss), [] {}, {.name = "train"});  // skipped: what it reads does not exist
  const std::string message = message_of<OperationFailed>([&] { scheduler.wait(loss); });
  CHECK(contains(message, "'load'"));
  CHECK(contains(message, "errors_test.cpp"));
  CHECK(contains(message, "no such file"));
}
// --8<-- [end:errors]

TEST_CASE("a failing op does not stop ops that have nothing to do with it") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var a;
    const Var b;
    int runs = 0;
    scheduler.submit(writes(a), Throws{});
    for (int i = 0; i < 10; ++i) scheduler.submit(writes(b), [&] { ++runs; });
    scheduler.wait(b);
    CHECK(runs == 10);
    CHECK_THROWS_AS(scheduler.wait(a), OperationFailed);
  });
}

TEST_CASE("ops that read what a failed op should have written are skipped, and what they write is poisoned in turn") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var a;
    const Var b;
    const Var c;
    int runs = 0;
    scheduler.submit(writes(a), Throws{"cause"}, {.name = "first"});
    scheduler.submit(reads(a), writes(b), [&] { ++runs; });
    scheduler.submit(reads(b), writes(c), [&] { ++runs; });
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(c); }), "'first'"));
    CHECK(runs == 0);
    CHECK(a.is_poisoned());
    CHECK(b.is_poisoned());
    CHECK(c.is_poisoned());
  });
}

TEST_CASE("a poisoned Var rethrows at each wait, until it is cleared or rewritten") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    scheduler.submit(writes(v), Throws{});
    for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(scheduler.wait(v), OperationFailed);
    v.clear();
    scheduler.wait(v);
    CHECK(!v.is_poisoned());
    scheduler.submit(writes(v), Throws{});
    CHECK_THROWS_AS(scheduler.wait(v), OperationFailed);
    int runs = 0;
    scheduler.submit(writes(v), [&] { ++runs; });
    scheduler.wait(v);
    CHECK(runs == 1);
    CHECK(!v.is_poisoned());
  });
}

TEST_CASE("another Var that a failed op only read is unaffected") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var read;
    const Var written;
    scheduler.submit(reads(read), writes(written), Throws{});
    CHECK_THROWS_AS(scheduler.wait(written), OperationFailed);
    scheduler.wait(read);
    CHECK(!read.is_poisoned());
    int runs = 0;
    scheduler.submit(reads(read), [&] { ++runs; });
    scheduler.wait_all();
    CHECK(runs == 1);
  });
}

TEST_CASE("of two failures in a row the first is kept") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    scheduler.submit(writes(v), Throws{"one"}, {.name = "first"});
    scheduler.submit(writes(v), Throws{"two"}, {.name = "second"});
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(v); }), "one"));
  });
}

TEST_CASE("an op that must always run does, after failures too, and its success heals what it writes") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var file;
    const Var log;
    int closed = 0;
    scheduler.submit(writes(file), Throws{});
    scheduler.submit(reads(file), writes(log), [&] { ++closed; }, {.name = "close", .always_run = true});
    scheduler.wait(log);
    CHECK(closed == 1);
    CHECK(!log.is_poisoned());
  });
}

TEST_CASE("any type may be thrown, and the cause is the object that was thrown") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    struct Mine {
      int code;
    };
    const auto caught = [&](auto body) {
      scheduler.submit(writes(v), body);
      try {
        scheduler.wait(v);
      } catch (const OperationFailed& failed) {
        return std::pair(failed.cause(), std::string(failed.what()));
      }
      return std::pair(std::exception_ptr(), std::string());
    };
    const auto [number, text] = caught([] { throw 42; });
    CHECK(contains(text, "not a std::exception"));
    v.clear();
    int seen = 0;
    try {
      std::rethrow_exception(number);
    } catch (int value) {
      seen = value;
    }
    CHECK(seen == 42);
    const auto [mine, unused] = caught([] { throw Mine{7}; });
    v.clear();
    try {
      std::rethrow_exception(mine);
    } catch (const Mine& value) {
      seen = value.code;
    }
    CHECK(seen == 7);
    CHECK(contains(caught([] { throw std::string("a string"); }).second, "a string"));
    v.clear();
    CHECK(contains(caught([] { throw "a literal"; }).second, "a literal"));
  });
}

TEST_CASE("the failure of an op that writes nothing is thrown by the next wait_all, once") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    scheduler.submit(reads(v), Throws{"check"}, {.name = "assert"});
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait_all(); }), "'assert'"));
    scheduler.wait_all();
    CHECK(!v.is_poisoned());
  });
}

TEST_CASE("a failure that was waited for is not thrown again by wait_all, whenever the op ended") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    for (int i = 0; i < 20; ++i) {
      const Op op = scheduler.launch(reads(v), Throws{});
      if (i % 2 == 1) spin(50us);
      CHECK_THROWS_AS(scheduler.wait(op), OperationFailed);
    }
    scheduler.wait_all();
    const Op first = scheduler.launch(reads(v), Throws{"waited for"});
    scheduler.submit(reads(v), Throws{"forgotten"});
    CHECK_THROWS_AS(scheduler.wait(first), OperationFailed);
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait_all(); }), "forgotten"));
  });
}

TEST_CASE("in the middle of a queue of writes a failure poisons and a success heals") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int skipped_runs = 0;
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 5; ++i) scheduler.submit(writes(v), [] {});
      scheduler.submit(writes(v), Throws{});
      scheduler.submit(reads(v), writes(v), [&] { ++skipped_runs; });
      scheduler.submit(writes(v), [] {});
    }
    scheduler.wait(v);
    CHECK(skipped_runs == 0);
    CHECK(v.version() == 800);
    CHECK(!v.is_poisoned());
  });
}

TEST_CASE("clearing a Var while writers of it fail and succeed does not break its queue") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<bool> done{false};
    std::thread clearer([&] {
      while (!done) {
        v.clear();
        static_cast<void>(v.is_poisoned());
      }
    });
    for (int i = 0; i < 3000; ++i) {
      scheduler.submit(writes(v), [i] {
        if (i % 7 == 0) throw i;
      });
    }
    scheduler.wait_all();
    done = true;
    clearer.join();
    CHECK(v.version() == 3000);
  });
}

TEST_CASE("the N-th op throws, for every N: all others that do not depend on it run") {
  on_every_executor([](const SchedulerOptions& options) {
    constexpr int ops = 30;
    for (int failing = 0; failing < ops; ++failing) {
      Scheduler scheduler(options);
      std::vector<Var> vars(5);
      std::atomic<int> runs{0};
      for (int i = 0; i < ops; ++i) {
        const Var& from = vars[static_cast<std::size_t>(i % 5)];
        const Var& to = vars[static_cast<std::size_t>((i * 3 + 1) % 5)];
        scheduler.submit(reads(from), writes(to), [&runs, i, failing] {
          ++runs;
          if (i == failing) throw std::runtime_error("this one");
        });
      }
      scheduler.shutdown(Shutdown::drain);
      CHECK(scheduler.counters().pending == 0);
      std::uint64_t versions = 0;
      for (const Var& var : vars) versions += var.version();
      CHECK(versions == ops);
      CHECK(runs > failing);
    }
  });
}
