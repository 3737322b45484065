// Tests of coroutine ops: registration in the order of submission, what they await, and where they fail.
#include "executors.hpp"

using namespace support;

static_assert(!std::copyable<Op> && std::movable<Op>);

namespace {

// --8<-- [start:coroutine]
Op add_one(Scheduler&, Var from, Var to, const int& source, int& sum) {
  co_await access(reads(from), writes(to), {.name = "add one"});  // registered here, on the thread that calls
  sum = source + 1;                                               // runs on a worker when both are ready
}
// --8<-- [end:coroutine]

Op count_after(Scheduler&, Var awaited, Var v, std::atomic<int>& count) {
  co_await access(writes(v));
  co_await awaited;
  ++count;
}

Op yields(Scheduler&, Var v, int times, std::atomic<int>& count) {
  co_await access(reads(v), {.name = "yields"});
  for (int i = 0; i < times; ++i) {
    co_await yield();
    ++count;
  }
}

Op throws_before_access(Scheduler&, const Var& v, bool fails) {
  if (fails) throw std::logic_error("too early");
  co_await access(writes(v));
}

Op throws_after_access(Scheduler&, Var v) {
  co_await access(writes(v), {.name = "late"});
  co_await yield();
  throw std::logic_error("too late");
}

Op without_access(Scheduler&, int& runs) {
  ++runs;
  co_return;
}

Op two_accesses(Scheduler&, Var v, std::string& message) {
  co_await access(writes(v), {.name = "twice"});
  try {
    co_await access(writes(v));
  } catch (const SchedulerError& error) {
    message = error.what();
  }
}

Op tries_again(Scheduler&, std::vector<Var> erased, Var v, int& runs) {
  try {
    co_await access(reads(std::span(std::as_const(erased))), writes(v), {.name = "first", .bytes = 100});
    runs += 100;
  } catch (const SchedulerError&) {
  }
  co_await access(writes(v), {.name = "second"});
  ++runs;
}

Op awaits_first(Scheduler&, Var v, std::string& message) {
  try {
    co_await v;
  } catch (const SchedulerError& error) {
    message = error.what();
  }
  co_await access();
}

Op awaits_own(Scheduler&, Var mine, bool write, std::string& message) {
  if (write) {
    co_await access(writes(mine), {.name = "owner"});
  } else {
    co_await access(reads(mine), {.name = "owner"});
  }
  try {
    co_await mine;
  } catch (const SchedulerError& error) {
    message = error.what();
  }
}

Op awaits_op(Scheduler&, const Op& other, Var v, std::string& message) {
  co_await access(writes(v));
  try {
    co_await other;
  } catch (const OperationFailed& error) {
    message = error.what();
  }
}

Op many_vars(Scheduler&, std::vector<Var> vars, int& runs) {
  co_await access(writes(std::span(std::as_const(vars))));
  ++runs;
}

Op waits_for_itself(Scheduler&, std::unique_ptr<Op>& self, Var v, std::string& message) {
  co_await access(writes(v), {.name = "narcissus"});
  try {
    co_await *self;
  } catch (const SchedulerError& error) {
    message = error.what();
  }
}

}  // namespace

TEST_CASE("coroutine ops and callables keep the order of submission on the Vars they share") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var a;
    const Var b;
    int x = 1;
    int y = 0;
    for (int i = 0; i < 100; ++i) {
      scheduler.submit(writes(a), [&] {
        x *= 2;
        x %= 1001;
      });
      static_cast<void>(add_one(scheduler, a, b, x, y));
      scheduler.submit(reads(b), writes(a), [&] { x = y; });
    }
    scheduler.wait(a);
    int expected = 1;
    for (int i = 0; i < 100; ++i) expected = expected * 2 % 1001 + 1;
    CHECK(x == expected);
  });
}

TEST_CASE("awaiting a Var holds no worker") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var slow;
    const Completion go;
    std::atomic<int> count{0};
    const auto waits_for_go = [](Scheduler&, Var v, Completion completion) -> Op {
      co_await access(writes(v));
      co_await completion;
    };
    static_cast<void>(waits_for_go(scheduler, slow, go));
    std::vector<Var> vars(20);
    for (const Var& v : vars) static_cast<void>(count_after(scheduler, slow, v, count));
    const Var other;
    scheduler.submit(writes(other), [] {});
    scheduler.wait(other);  // every worker would be blocked by then
    CHECK(count == 0);
    go.signal();
    scheduler.wait_all();
    CHECK(count == 20);
  });
}

TEST_CASE("an op that yields lets others go first and comes back") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<int> count{0};
    for (int i = 0; i < 10; ++i) static_cast<void>(yields(scheduler, v, 100, count));
    scheduler.submit(writes(v), [&] { count += 1000; });
    scheduler.wait(v);
    CHECK(count == 2000);
  });
}

TEST_CASE("a coroutine that fails before its access tells whoever waits for it, or else wait_all") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    {
      const Op op = throws_before_access(scheduler, v, true);
      CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(op); }), "too early"));
    }
    scheduler.wait_all();
    static_cast<void>(throws_before_access(scheduler, v, true));
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait_all(); }), "too early"));
    static_cast<void>(throws_before_access(scheduler, v, false));
    scheduler.wait(v);
    CHECK(v.version() == 1);
  });
}

TEST_CASE("a coroutine that fails after its access poisons what it writes") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    static_cast<void>(throws_after_access(scheduler, v));
    const std::string message = message_of<OperationFailed>([&] { scheduler.wait(v); });
    CHECK(contains(message, "'late'"));
    CHECK(contains(message, "too late"));
  });
}

TEST_CASE("a coroutine op without an access ends where it was called") {
  Scheduler scheduler({.executor = Inline{}});
  int runs = 0;
  const Op op = without_access(scheduler, runs);
  CHECK(runs == 1);
  scheduler.wait(op);
  CHECK(scheduler.counters().submitted == 0);
}

TEST_CASE("a second access is refused") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::string message;
    static_cast<void>(two_accesses(scheduler, v, message));
    scheduler.wait(v);
    CHECK(contains(message, "'twice'"));
    CHECK(v.version() == 1);
  });
}

TEST_CASE("a coroutine whose access is refused may try another one") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    for (const std::size_t count : {1, 3, 50}) {
      const std::vector<Var> vars(count);
      scheduler.erase(vars.back());
      const Var v;
      int runs = 0;
      static_cast<void>(tries_again(scheduler, vars, v, runs));
      scheduler.wait(v);
      CHECK(runs == 1);
      CHECK(v.version() == 1);
      if (count > 1) CHECK(vars.front().version() == 0);
    }
    scheduler.wait_all();
    CHECK(scheduler.counters().bytes == 0);
  });
}

TEST_CASE("nothing can be awaited before access, on the thread that submits and inside another op") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::string message;
    static_cast<void>(awaits_first(scheduler, v, message));
    CHECK(contains(message, "access"));
    message.clear();
    const auto outer = [](Scheduler& inner, Var around, Var awaited, std::string& text) -> Op {
      co_await access(writes(around));
      static_cast<void>(awaits_first(inner, awaited, text));
    };
    const Var w;
    static_cast<void>(outer(scheduler, w, v, message));
    scheduler.wait(w);
    CHECK(contains(message, "access"));
  });
}

TEST_CASE("an op cannot await a Var that it has itself, even when a writer is queued behind it") {
  on_every_executor([](const SchedulerOptions& options) {
    for (const bool write : {true, false}) {
      Scheduler scheduler(options);
      const Var v;
      std::string message;
      scheduler.stop();
      static_cast<void>(awaits_own(scheduler, v, write, message));
      scheduler.submit(writes(v), [] {});
      scheduler.start();
      scheduler.wait(v);
      CHECK(contains(message, "'owner'"));
    }
  });
}

TEST_CASE("an op gets the failure of an op that it awaits") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    for (int i = 0; i < 20; ++i) {
      std::string message;
      const Op failing = scheduler.launch(reads(), Throws{"lost"}, {.name = "fetch"});
      if (i % 2 == 1) spin(30us);
      static_cast<void>(awaits_op(scheduler, failing, v, message));
      scheduler.wait(v);
      CHECK(contains(message, "'fetch'"));
    }
    scheduler.wait_all();
  });
}

TEST_CASE("an op cannot wait for its own end") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::unique_ptr<Op> self;
    std::string message;
    scheduler.stop();
    self = std::make_unique<Op>(waits_for_itself(scheduler, self, v, message));
    scheduler.start();
    scheduler.wait(v);
    CHECK(contains(message, "'narcissus'"));
  });
}

TEST_CASE("coroutines may name many Vars, and their handles may be dropped before or after they end") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const std::vector<Var> vars(70);
    int runs = 0;
    std::vector<Op> kept;
    for (int i = 0; i < 50; ++i) {
      Op op = many_vars(scheduler, vars, runs);
      if (i % 2 == 0) kept.push_back(std::move(op));
    }
    scheduler.wait_all();
    CHECK(runs == 50);
    for (const Op& op : kept) scheduler.wait(op);
  });
}

TEST_CASE("a coroutine that is resumed on another thread while it is being suspended loses nothing") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    constexpr int rounds = 2000;
    std::atomic<int> count{0};
    std::vector<Completion> signals(rounds);
    std::thread signaller([&] {
      for (const Completion& completion : signals) completion.signal();
    });
    const auto waits = [](Scheduler&, Completion completion, std::atomic<int>& done) -> Op {
      co_await access();
      co_await completion;
      ++done;
    };
    for (const Completion& completion : signals) static_cast<void>(waits(scheduler, completion, count));
    signaller.join();
    scheduler.wait_all();
    CHECK(count == rounds);
  });
}
