// Tests of what goes wrong in recordings: failing ops poison what ordinary ops would, and what cannot be recorded or replayed says so.
#include <iterator>
#include <optional>
#include <random>
#include <source_location>

#include "executors.hpp"

using namespace support;

namespace {

/// How a Var was left: its version, and the failure by which it is poisoned.
struct VarEnd {
  std::uint64_t version;
  std::string failure;

  static VarEnd of(Scheduler& sched, const Var& var) {
    return {var.version(), message_of<OperationFailed>([&] { sched.wait(var); })};
  }
};

struct FailingOp {
  std::vector<std::size_t> reads, writes;
  bool fails;
  OpOptions options;
};

std::vector<FailingOp> failing_workload(std::size_t count, std::size_t variables, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<FailingOp> ops(count);
  for (std::size_t i = 0; i < count; ++i) {
    FailingOp& op = ops[i];
    for (auto n = random() % 3; n > 0; --n) op.reads.push_back(random() % variables);
    for (auto n = 1 + random() % 2; n > 0; --n) op.writes.push_back(random() % variables);
    op.fails = random() % 12 == 0;
    op.options = {.name = "op " + std::to_string(i), .always_run = random() % 8 == 0};
  }
  return ops;
}

std::vector<Var> named(const std::vector<Var>& vars, const std::vector<std::size_t>& indices) {
  std::vector<Var> some;
  for (const std::size_t index : indices) some.push_back(vars[index]);
  return some;
}

/// Counts how often each op has run.
using Runs = std::vector<std::atomic<int>>;

void submit_all(Scheduler& sched, const std::vector<FailingOp>& ops, const std::vector<Var>& vars, Runs& runs) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const bool fails = ops[i].fails;
    const auto body = [&count = runs[i], fails] {
      ++count;
      if (fails) throw std::runtime_error("failed on purpose");
    };
    sched.submit(reads(named(vars, ops[i].reads)), writes(named(vars, ops[i].writes)), body, ops[i].options);
  }
}

void poison(Scheduler& sched, const Var& var) {
  sched.submit(writes(var), [] { throw 7; }, {.name = "poison"});
}

struct WorkloadEnd {
  std::vector<VarEnd> vars;
  std::vector<int> runs;
};

template <class Submit>
WorkloadEnd end_of_workload(const SchedulerOptions& options, const std::vector<FailingOp>& ops, const Submit& submit) {
  const std::vector<Var> vars(12);
  Runs runs(ops.size());
  Scheduler sched(options);
  poison(sched, vars[3]);
  poison(sched, vars[8]);
  submit(sched, vars, runs);
  sched.wait_all();
  WorkloadEnd end;
  for (const Var& var : vars) end.vars.push_back(VarEnd::of(sched, var));
  for (const std::atomic<int>& count : runs) end.runs.push_back(count);
  return end;
}

Op coroutine_op(Scheduler&, Var var) { co_await access(writes(var), {.name = "coroutine"}); }

}  // namespace

TEST_CASE("ops that fail leave every Var as they do when they are not recorded") {
  std::ptrdiff_t poisoned = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const std::vector<FailingOp> ops = failing_workload(60, 12, seed);
    const WorkloadEnd expected =
        end_of_workload({.executor = Inline{}}, ops, [&](Scheduler& sched, const std::vector<Var>& vars, Runs& runs) {
          for (int i = 0; i < 3; ++i) submit_all(sched, ops, vars, runs);
        });
    poisoned += std::ranges::count_if(expected.vars, [](const VarEnd& end) { return end.failure != ""; });
    for (const auto& [name, options, at_once] : executor_cases()) {
      CAPTURE(name);
      CAPTURE(seed);
      const WorkloadEnd end =
          end_of_workload(options, ops, [&](Scheduler& sched, const std::vector<Var>& vars, Runs& runs) {
            const auto step = sched.capture([&] { submit_all(sched, ops, vars, runs); });
            for (int i = 0; i < 3; ++i) step.replay();
          });
      CHECK(end.runs == expected.runs);
      for (std::size_t i = 0; i < end.vars.size(); ++i) {
        CAPTURE(i);
        CHECK(end.vars[i].version == expected.vars[i].version);
        CHECK(end.vars[i].failure == expected.vars[i].failure);
      }
    }
  }
  CHECK(poisoned > 20);  // of 144, so that there was something to compare
  CHECK(poisoned < 124);
}

TEST_CASE("a failed op of a replay is named, its readers are skipped, and the next replay mends it") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    // --8<-- [start:failure]
    Var loaded, shown, other;
    int shows = 0;
    auto step = sched.capture([&](Parameter<bool> fails) {
      sched.submit(writes(loaded),
                   [fails] {
                     if (fails.value()) throw std::runtime_error("no such file");
                   },
                   {.name = "load"});
      sched.submit(reads(loaded), writes(shown), [&] { ++shows; }, {.name = "show"});
      sched.submit(writes(other), [] {});
    });
    step.replay(true);
    CHECK_THROWS_AS(sched.wait(shown), OperationFailed);  // op 'load' (submitted at ...) failed: no such file
    // --8<-- [end:failure]
    const std::string message = message_of<OperationFailed>([&] { sched.wait(shown); });
    CHECK_MESSAGE(contains(message, "op 'load' (submitted at "), message);
    CHECK_MESSAGE(contains(message, "replay_errors_test.cpp"), message);
    CHECK_MESSAGE(contains(message, "failed: no such file"), message);
    sched.wait(other);
    CHECK_THROWS_AS(sched.wait(loaded), OperationFailed);  // a replay's Vars end one after the other
    CHECK(loaded.is_poisoned());
    CHECK(!other.is_poisoned());
    CHECK(shows == 0);
    CHECK(shown.version() == 1);
    step.replay(false);
    sched.wait_all();
    CHECK(!shown.is_poisoned());
    CHECK(shows == 1);
  }
}

TEST_CASE("the failure of a recorded op that writes nothing is thrown by wait_all, once a replay") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var var;
    auto step =
        sched.capture([&] { sched.submit(reads(var), [] { throw std::runtime_error("lost"); }, {.name = "look"}); });
    step.replay();
    const std::string message = message_of<OperationFailed>([&] { sched.wait_all(); });
    CHECK_MESSAGE(contains(message, "op 'look'"), message);
    CHECK_NOTHROW(sched.wait_all());
    step.replay();
    CHECK_THROWS_AS(sched.wait_all(), OperationFailed);
  }
}

TEST_CASE("a stop that is requested cancels recorded ops that have not begun, except those that always run") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    std::stop_source of_op, of_replays;
    Var a, b, c;
    int runs = 0, clean_ups = 0;
    auto step = sched.capture(
        [&] {
          sched.submit(writes(a), [&] { ++runs; }, {.name = "first", .stop = of_op.get_token()});
          sched.submit(reads(a), writes(b), [&] { ++runs; }, {.name = "second"});
          sched.submit(reads(a), writes(c), [&] { ++clean_ups; }, {.name = "clean up", .always_run = true});
        },
        {.name = "step", .stop = of_replays.get_token()});
    step.replay();
    sched.wait_all();
    CHECK(runs == 2);
    of_op.request_stop();
    step.replay();
    sched.wait_all();
    CHECK(runs == 2);
    CHECK(clean_ups == 2);
    std::string message = message_of<OperationFailed>([&] { sched.wait(b); });
    CHECK_MESSAGE(contains(message, "op 'first'"), message);
    CHECK_MESSAGE(contains(message, "cancelled"), message);
    a.clear();
    b.clear();
    of_replays.request_stop();
    step.replay();
    sched.wait_all();
    CHECK(runs == 2);
    CHECK(clean_ups == 3);
    message = message_of<OperationFailed>([&] { sched.wait(b); });
    CHECK_MESSAGE(contains(message, "op 'second'"), message);
    CHECK(!c.is_poisoned());
  }
}

TEST_CASE("shutting down with cancel cancels the ops of a pending replay") {
  for (const int workers : {1, 2}) {
    Scheduler sched({.workers = workers});
    Var var;
    std::atomic<int> runs{0};
    auto step = sched.capture([&] {
      for (int i = 0; i < 3; ++i) sched.submit(writes(var), [&] { ++runs; }, {.name = "never"});
    });
    sched.stop();
    step.replay();
    step.replay();
    sched.shutdown(Shutdown::cancel);
    CHECK(runs == 0);
    CHECK(var.version() == 6);
    const std::string message = message_of<OperationFailed>([&] { sched.wait(var); });
    CHECK_MESSAGE(contains(message, "op 'never'"), message);
    step.replay();
    sched.wait(var);
    CHECK(runs == 3);
  }
}

TEST_CASE("what runs only once cannot be recorded, and the message says what to do") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options), other(options);
    Var var;
    const auto inner = sched.capture([&] { sched.submit(writes(var), [] {}); });
    const auto said = [&](auto body) {
      return message_of<SchedulerError>([&] { static_cast<void>(sched.capture(body)); });
    };
    std::string message = said([&] { static_cast<void>(coroutine_op(sched, var)); });
    CHECK_MESSAGE(contains(message, "capture of op 'coroutine': it is a coroutine, which runs only once"), message);
    message = said([&] { static_cast<void>(sched.launch(reads(), writes(var), [] {})); });
    CHECK_MESSAGE(contains(message, "use submit()"), message);
    message = said([&] { sched.erase(var); });
    CHECK_MESSAGE(contains(message, "outside the capture"), message);
    message = said([&] { inner.replay(); });
    CHECK_MESSAGE(contains(message, "replay of another recording"), message);
    message = said([&] { other.submit(writes(var), [] {}); });
    CHECK_MESSAGE(contains(message, "another scheduler"), message);
    message = said([&] { sched.wait(var); });
    CHECK_MESSAGE(contains(message, "wait outside the body of capture()"), message);
    CHECK_MESSAGE(said([&] { sched.wait_all(); }) != "", "wait_all");
    CHECK_NOTHROW(sched.wait_all());
    CHECK_NOTHROW(other.wait_all());
    CHECK(var.version() == 0);
  }
}

TEST_CASE("a capture whose body throws records nothing, and the thread submits as before") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    const auto token = std::make_shared<int>(0);
    Var var;
    CHECK_THROWS_AS(sched.capture([&] {
      sched.submit(writes(var), [token] { ++*token; });
      throw std::out_of_range("body");
    }),
                    std::out_of_range);
    CHECK(token.use_count() == 1);
    sched.submit(writes(var), [&] { *token += 10; });
    sched.wait(var);
    CHECK(*token == 10);
    CHECK(var.version() == 1);
  }
}

TEST_CASE("captures may be nested: each records what is submitted in its own body") {
  Scheduler sched;
  Var var;
  std::vector<int> order;
  std::optional<Step<>> inner;
  const auto outer = sched.capture([&] {
    sched.submit(writes(var), [&] { order.push_back(1); });
    inner = sched.capture([&] { sched.submit(writes(var), [&] { order.push_back(3); }); });
    sched.submit(writes(var), [&] { order.push_back(2); });
  });
  outer.replay();
  inner->replay();
  sched.wait_all();
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("a Var that is bound so that the edges would be wrong is refused, and nothing is submitted") {
  Scheduler sched;
  Var fixed, a, b;
  const auto step = sched.capture(
      [&](Parameter<Var> from, Parameter<Var> to) { sched.submit(reads(from, fixed), writes(to), [] {}); });
  const auto said = [&](const Var& from, const Var& to) {
    return message_of<SchedulerError>([&] { step.replay(from, to); });
  };
  CHECK(said(a, b) == "");
  CHECK(said(fixed, b) == "");           // both are only read
  const std::string twice = said(a, a);  // which of the two comes first depends on where their stand-ins lie
  CHECK_MESSAGE((contains(twice, "parameter 1: Var " + std::to_string(a.id()) + " is also parameter 0") ||
                 contains(twice, "parameter 0: Var " + std::to_string(a.id()) + " is also parameter 1")),
                twice);
  CHECK_MESSAGE(contains(said(a, fixed), " is in the recording already"), said(a, fixed));
  Var moved;
  const Var taken = std::move(moved);
  CHECK_MESSAGE(contains(said(moved, b), "parameter 0: its Var has been moved from"), said(moved, b));
  sched.wait_all();
  CHECK(b.version() == 2);
  CHECK(fixed.version() == 0);
}

TEST_CASE("a Var that has been erased cannot be replayed on") {
  Scheduler sched;
  Var var;
  const auto step = sched.capture([&] { sched.submit(writes(var), [] {}); });
  step.replay();
  sched.erase(var);
  const std::string message = message_of<SchedulerError>([&] { step.replay(); });
  CHECK_MESSAGE(contains(message, "has been erased"), message);
  sched.wait_all();
}

TEST_CASE("a parameter means nothing outside its recording") {
  Scheduler sched;
  Var var;
  std::optional<Parameter<Var>> kept;
  const auto step = sched.capture([&](Parameter<Var> parameter) {
    kept = parameter;
    sched.submit(writes(parameter), [] {});
  });
  CHECK_THROWS_AS(static_cast<void>(kept->value()), SchedulerError);
  CHECK_THROWS_AS(sched.submit(writes(*kept), [] {}), SchedulerError);
  CHECK_THROWS_AS(sched.capture([&] { sched.submit(writes(*kept), [] {}); }), SchedulerError);
  step.replay(var);
  sched.wait_all();
  CHECK(var.version() == 1);
}

TEST_CASE("a step outlives its scheduler but cannot be replayed then") {
  std::optional<Step<>> step;
  {
    Scheduler sched;
    step = sched.capture([] {});
    step->replay();
  }
  const std::string message = message_of<SchedulerError>([&] { step->replay(); });
  CHECK_MESSAGE(contains(message, "its scheduler has been destroyed"), message);
}

TEST_CASE("an op that a recorded op submits may not access what the replay writes") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var own, sibling;
    const auto step = sched.capture([&] {
      sched.submit(writes(own), [&] { sched.submit(reads(sibling), [] {}); }, {.name = "asks"});
      sched.submit(writes(sibling), [] {});
    });
    step.replay();
    const std::string message = message_of<OperationFailed>([&] { sched.wait(own); });
    CHECK_MESSAGE(contains(message, "op 'asks'"), message);
    CHECK_MESSAGE(contains(message, "the op around it, 'replay'"), message);
    CHECK(!sibling.is_poisoned());
  }
}

TEST_CASE("a trace has one record of every recorded op and replay, and none of the replay itself") {
  for (const auto& [name, options, at_once] : executor_cases()) {
    CAPTURE(name);
    Scheduler sched(options);
    Var a, b;
    const auto step = sched.capture([&](Parameter<bool> fails, Parameter<Var> to) {
      sched.submit(writes(a), [fails] { fails.value() ? throw 1 : 0; }, {.name = "first"});
      sched.submit(reads(a), writes(to), [] {}, {.name = "second"});
    });
    step.replay(false, b);
    sched.wait_all();
    const Trace trace(sched);
    step.replay(false, b);
    step.replay(true, b);
    sched.wait_all();
    const std::vector<OpRecord> records = trace.records();
    REQUIRE(records.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(i);
      CHECK(records[i].id == i + 1);
      CHECK(records[i].name == (i % 2 == 0 ? "first" : "second"));
      CHECK(records[i].writes == std::vector{i % 2 == 0 ? a.id() : b.id()});
      CHECK(records[i].queued <= records[i].start);
      CHECK(records[i].start <= records[i].end);
    }
    CHECK(records[3].reads == std::vector{a.id()});
    CHECK(records[1].start >= records[0].end);
    CHECK(records[1].outcome == Outcome::succeeded);
    CHECK(records[2].outcome == Outcome::failed);
    CHECK(records[3].outcome == Outcome::skipped);
  }
}
