// Tests of Vars: handles, versions, and what may run at the same time.
#include "executors.hpp"

using namespace support;

static_assert(std::regular<Var> && std::is_nothrow_move_constructible_v<Var>);

TEST_CASE("a Var is a handle: copies are the same Var, new ones are others") {
  const Var a;
  const Var b;
  const Var c = a;
  CHECK(a == c);
  CHECK(a != b);
  CHECK(a.id() == c.id());
  CHECK(a.id() != b.id());
}

TEST_CASE("a Var that was moved from is empty and refused") {
  Scheduler scheduler({.executor = Inline{}});
  Var a;
  const Var b = std::move(a);
  CHECK(!a);  // NOLINT(bugprone-use-after-move): that is the question
  CHECK(b);
  CHECK(contains(message_of<SchedulerError>([&] { scheduler.submit(writes(a), [] {}, {.name = "scale"}); }), "scale"));
  CHECK(contains(message_of<SchedulerError>([&] { scheduler.wait(a); }), "moved from"));
}

// --8<-- [start:versions]
TEST_CASE("the version of a Var counts the writes that have ended") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    for (int i = 0; i < 10; ++i) scheduler.submit(reads(v), [] {});
    scheduler.wait_all();
    CHECK(v.version() == 0);
    for (int i = 0; i < 10; ++i) scheduler.submit(writes(v), [] {});
    scheduler.wait(v);
    CHECK(v.version() == 10);
  });
}
// --8<-- [end:versions]

TEST_CASE("readers of one Var run at the same time, as many as there are workers") {
  for (const ExecutorCase& each : executor_cases()) {
    INFO(each.name);
    Scheduler scheduler(each.options);
    const Var v;
    Overlap readers;
    std::atomic<bool> met{true};
    for (int i = 0; i < 10 - 10 % each.at_once; ++i) {
      scheduler.submit(reads(v), [&] {
        readers.enter();
        if (!eventually([&] { return readers.most() >= each.at_once; })) met = false;
        readers.leave();
      });
    }
    // wait_for does not lend this thread to the pool: the workers alone meet.
    scheduler.wait_all_for(60s);
    CHECK(met);
    CHECK(readers.most() == each.at_once);
  }
}

TEST_CASE("writers of one Var run alone and in the order of submission") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    Overlap inside;
    std::vector<int> order;
    for (int i = 0; i < 10; ++i) {
      scheduler.submit(writes(v), [&, i] {
        inside.enter();
        spin(20us);
        order.push_back(i);
        inside.leave();
      });
    }
    scheduler.wait(v);
    CHECK(inside.most() == 1);
    CHECK(order == std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  });
}

TEST_CASE("readers and writers of one Var exclude each other and keep their order") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int value = 0;
    std::atomic<int> wrong{0};
    for (int round = 1; round <= 50; ++round) {
      scheduler.submit(writes(v), [&value, round] { value = round; });
      for (int reader = 0; reader < round % 4; ++reader) {
        scheduler.submit(reads(v), [&value, &wrong, round] { wrong += value == round ? 0 : 1; });
      }
    }
    scheduler.wait_all();
    CHECK(wrong == 0);
    CHECK(value == 50);
  });
}

TEST_CASE("a Var that is named twice is merged into one access, and a write wins") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Var w;
    int runs = 0;
    scheduler.submit(reads(v, w, v), writes(v, v), [&] { ++runs; });
    scheduler.submit(writes(v), [&] { runs += 10; });
    scheduler.wait(v);
    scheduler.wait_all();
    CHECK(runs == 11);
    CHECK(v.version() == 2);
    CHECK(w.version() == 0);
  });
}

TEST_CASE("a Var may be let go of while ops on it are pending") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::vector<int> values(100);
    std::atomic<int> wrong{0};
    for (int i = 0; i < 100; ++i) {
      const Var v;
      int& value = values[static_cast<std::size_t>(i)];
      scheduler.submit(writes(v), [&value, i] { value = i; });
      scheduler.submit(reads(v), [&value, &wrong, i] { wrong += value == i ? 0 : 1; });
    }
    scheduler.wait_all();
    CHECK(wrong == 0);
    CHECK(values.back() == 99);
  });
}

TEST_CASE("an op may name more Vars than fit into it") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    for (const std::size_t count : {4, 5, 64, 1000}) {
      std::vector<Var> vars(count);
      int sum = 0;
      for (const Var& var : vars) scheduler.submit(writes(var), [] {});
      scheduler.submit(reads(std::span(vars).first(count / 2)), writes(std::span(vars).last(count - count / 2)),
                       [&] { sum = 1; });
      for (const Var& var : vars) scheduler.submit(writes(var), [] {});
      scheduler.wait_all();
      CHECK(sum == 1);
      CHECK(vars.front().version() == 2);
      CHECK(vars.back().version() == 3);
    }
  });
}

TEST_CASE("two schedulers may share a Var") {
  for (const ExecutorCase& first : executor_cases()) {
    if (contains(first.name, "permuting")) continue;  // its ops run when its own scheduler is waited for
    INFO(first.name);
    Scheduler one(first.options);
    const Var v;
    long count = 0;
    {
      Scheduler two({.workers = 2});
      for (int i = 0; i < 500; ++i) {
        one.submit(writes(v), [&] { ++count; });
        two.submit(writes(v), [&] { ++count; });
      }
      two.wait(v);
      CHECK(count == 1000);
    }
    one.wait_all();
    CHECK(v.version() == 1000);
  }
}
