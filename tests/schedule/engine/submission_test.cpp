// Tests of submission: starting and stopping, bulk, many submitters, and what submit() refuses.
#include "executors.hpp"

#include <memory>

using namespace support;

// --8<-- [start:basics]
TEST_CASE("an op runs when what it reads has been written") {
  Scheduler scheduler({.workers = 2});
  const Var text;
  const Var length;
  std::string words;
  std::size_t letters = 0;
  scheduler.submit(writes(text), [&] { words = "read and write"; });
  scheduler.submit(reads(text), writes(length), [&] { letters = words.size(); }, {.name = "count"});
  scheduler.wait(length);
  CHECK(letters == 14);
}
// --8<-- [end:basics]

// --8<-- [start:options]
TEST_CASE("an op has a name and a priority, and may run whatever has failed before") {
  Scheduler scheduler({.workers = 2});
  const Var file;
  const Var closed;
  const std::string path = "weights.npy";
  int closings = 0;
  scheduler.submit(writes(file), [] { throw std::runtime_error("disk full"); },
                   {.name = "save " + path, .priority = Priority::high});
  const OpOptions clean_up{.name = "close", .priority = Priority::low, .always_run = true};
  scheduler.submit(reads(file), writes(closed), [&] { ++closings; }, clean_up);
  scheduler.wait(closed);
  CHECK(closings == 1);
  CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(file); }), "op 'save weights.npy'"));
}
// --8<-- [end:options]

// --8<-- [start:op_name]
/// Whoever passes a name on takes an OpName: a literal, or a std::string, which is copied.
void submit_step(Scheduler& scheduler, const Var& weights, OpName name) {
  scheduler.submit(writes(weights), [] {}, {.name = name});
}
// --8<-- [end:op_name]

TEST_CASE("names that are passed on are those of the records") {
  Scheduler scheduler({.workers = 2});
  const Var weights;
  const Trace trace(scheduler);
  submit_step(scheduler, weights, "first");
  submit_step(scheduler, weights, "step " + std::to_string(2));
  scheduler.wait_all();
  const std::vector<OpRecord> records = trace.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].name == "first");
  CHECK(records[1].name == "step 2");
}

// --8<-- [start:counters]
TEST_CASE("the counters of a scheduler say how much there is to do") {
  Scheduler scheduler({.workers = 2});
  const Var v;
  scheduler.stop();
  for (int i = 0; i < 3; ++i) scheduler.submit(writes(v), [] {}, {.bytes = 100});
  const SchedulerCounters before = scheduler.counters();
  CHECK(before.submitted == 3);
  CHECK(before.pending == 3);
  CHECK(before.running == 0);
  CHECK(before.bytes == 300);
  CHECK(before.busy.size() == 2);  // how long each worker has run ops
  scheduler.start();
  scheduler.wait_all();
  CHECK(scheduler.counters().pending == 0);
}
// --8<-- [end:counters]

TEST_CASE("what is submitted while the scheduler is stopped runs after start, each time") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int runs = 0;
    for (int round = 1; round <= 20; ++round) {
      scheduler.stop();
      for (int i = 0; i < 10; ++i) scheduler.submit(writes(v), [&] { ++runs; });
      CHECK(scheduler.counters().pending == 10);
      scheduler.start();
      scheduler.wait_all();
      CHECK(runs == 10 * round);
    }
  });
}

TEST_CASE("nothing begins while the scheduler is stopped, and stop waits for what runs") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    for (int i = 0; i < 200; ++i) {
      scheduler.submit(reads(), [&] {
        ++begun;
        spin(10us);
        ++ended;
      });
    }
    scheduler.stop();
    const int at_stop = begun;
    CHECK(ended == at_stop);
    std::this_thread::sleep_for(5ms);
    CHECK(begun == at_stop);
    scheduler.start();
    scheduler.wait_all();
    CHECK(ended == 200);
  });
}

TEST_CASE("many small ops on one Var give the serial result, visible to a wait on another thread") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::uint64_t value = 1;
    std::uint64_t expected = 1;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      scheduler.submit(writes(v), [&value, i] { value = value * 3 + i; });
      expected = expected * 3 + i;
    }
    std::uint64_t seen = 0;
    std::thread([&] {
      scheduler.wait(v);
      seen = value;
    }).join();
    CHECK(seen == expected);
    CHECK(v.version() == 5000);
  });
}

TEST_CASE("submitters on several threads lose nothing and each keeps its order") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    constexpr int submitters = 4;
    constexpr int each = 500;
    std::vector<std::vector<int>> orders(submitters);
    std::vector<std::thread> threads;
    for (std::size_t at = 0; at < submitters; ++at) {
      threads.emplace_back([&, at] {
        for (int i = 0; i < each; ++i) scheduler.submit(writes(v), [&orders, at, i] { orders[at].push_back(i); });
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    for (const std::vector<int>& order : orders) {
      CHECK(order.size() == each);
      CHECK(std::ranges::is_sorted(order));
    }
  });
}

TEST_CASE("a body of any size and alignment is kept until it has run, and destroyed once") {
  on_every_executor([](const SchedulerOptions& options) {
    const auto token = std::make_shared<int>(0);
    {
      Scheduler scheduler(options);
      const Var v;
      struct alignas(64) Large {
        char bytes[5000] = {};
      };
      for (int i = 0; i < 20; ++i) {
        scheduler.submit(writes(v), [token] { ++*token; });
        scheduler.submit(writes(v), [token, large = Large()] { *token += 1 + large.bytes[4999]; });
      }
      scheduler.wait(v);
    }
    CHECK(*token == 40);
    CHECK(token.use_count() == 1);
  });
}

TEST_CASE("a body that only moves may be submitted") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int seen = 0;
    scheduler.submit(writes(v), [value = std::make_unique<int>(7), &seen] { seen = *value; });
    scheduler.wait(v);
    CHECK(seen == 7);
  });
}

TEST_CASE("what a body holds is given back before the Vars that it writes are") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    for (int i = 0; i < 50; ++i) {
      auto token = std::make_shared<int>(0);
      const std::weak_ptr<int> watch = token;
      scheduler.submit(writes(v), [held = std::move(token)] { ++*held; });
      scheduler.wait(v);
      CHECK(watch.expired());
    }
  });
}

TEST_CASE("an op that is submitted while a body is destroyed is a part of that body's op") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Var w;
    std::atomic<int> runs{0};
    struct SubmitsAtItsEnd {
      Scheduler* scheduler;
      const Var* var;
      std::atomic<int>* runs;
      SubmitsAtItsEnd(Scheduler* s, const Var* v, std::atomic<int>* r) : scheduler(s), var(v), runs(r) {}
      SubmitsAtItsEnd(SubmitsAtItsEnd&& other) noexcept
          : scheduler(std::exchange(other.scheduler, nullptr)), var(other.var), runs(other.runs) {}
      ~SubmitsAtItsEnd() {
        if (scheduler != nullptr) scheduler->submit(writes(*var), [runs = runs] { ++*runs; });
      }
    };
    scheduler.submit(writes(v), [last = SubmitsAtItsEnd(&scheduler, &w, &runs)] {});
    scheduler.wait(v);
    CHECK(runs == 1);
  });
}

TEST_CASE("options out of range are refused with their values") {
  CHECK(contains(message_of<SchedulerError>([] { Scheduler({.workers = -1}); }), "-1"));
  CHECK(contains(message_of<SchedulerError>([] { Scheduler({.workers = 100000}); }), "100000"));
  CHECK(contains(message_of<SchedulerError>([] { Scheduler({.window = -5}); }), "-5"));
  CHECK(contains(message_of<SchedulerError>([] { Scheduler({.window_bytes = -7}); }), "-7"));
  Scheduler scheduler({.executor = Inline{}});
  const Var v;
  const auto submit = [&] { scheduler.submit(writes(v), [] {}, {.name = "copy", .bytes = -3}); };
  const std::string message = message_of<SchedulerError>(submit);
  CHECK(contains(message, "copy"));
  CHECK(contains(message, "-3"));
}

TEST_CASE("a body whose copy throws is not submitted") {
  struct CopyThrows {
    CopyThrows() = default;
    CopyThrows(const CopyThrows&) { throw std::logic_error("no copies"); }
    void operator()() const {}
  };
  Scheduler scheduler({.executor = Inline{}});
  const Var v;
  const CopyThrows body;
  CHECK_THROWS_AS(scheduler.submit(writes(v), body), std::logic_error);
  CHECK(scheduler.counters().submitted == 0);
  scheduler.submit(writes(v), [] {});
  scheduler.wait(v);
  CHECK(v.version() == 1);
}
