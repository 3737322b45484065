// Tests of submitters that name the same Vars in different orders at the same time: no deadlock, every op once.
#include "executors.hpp"

using namespace support;

namespace {

/// Two writers of {a, b} and of {b, a} push for a while; each op counts itself under both Vars.
void push_against_each_other(const SchedulerOptions& options, std::chrono::milliseconds duration) {
  Scheduler scheduler(options);
  const Var a;
  const Var b;
  long runs = 0;
  std::atomic<long> submitted{0};
  const auto end = std::chrono::steady_clock::now() + duration;
  const auto push = [&](const Var& first, const Var& second) {
    while (std::chrono::steady_clock::now() < end) {
      for (int i = 0; i < 50; ++i) scheduler.submit(writes(first, second), [&runs] { ++runs; });
      submitted += 50;
    }
  };
  std::thread one([&] { push(a, b); });
  std::thread two([&] { push(b, a); });
  one.join();
  two.join();
  scheduler.wait_all();
  CHECK(runs == submitted);
  CHECK(a.version() == static_cast<std::uint64_t>(submitted));
  CHECK(b.version() == a.version());
}

}  // namespace

TEST_SUITE_BEGIN("long");

TEST_CASE("writers of {a, b} and of {b, a} on two threads do not wait for each other for ever") {
  for (const ExecutorCase& each : executor_cases()) {
    INFO(each.name);
    const bool once_each = scale() > 1 && each.name == "pool of 4";  // a minute for one executor, less for the others
    push_against_each_other(each.options, once_each ? 60s : 100ms);
  }
}

TEST_SUITE_END();

TEST_CASE("submitters of random sets of Vars keep every Var's order and run every op once") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const std::vector<Var> vars(6);
    std::vector<long> values(vars.size());  // not atomic: the Vars guard them
    std::atomic<long> expected{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Random random(t);
        for (int i = 0; i < 500; ++i) {
          std::vector<Var> mine;
          std::vector<std::size_t> at;
          for (std::size_t v = 0; v < vars.size(); ++v) {
            if (random.below(2) == 0) continue;
            at.push_back(v);
            mine.push_back(vars[v]);
          }
          std::ranges::reverse(mine);
          expected += static_cast<long>(at.size());
          scheduler.submit(writes(std::span(std::as_const(mine))), [&values, at] {
            for (const std::size_t v : at) ++values[v];
          });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    long sum = 0;
    for (const long value : values) sum += value;
    CHECK(sum == expected);
  });
}

TEST_CASE("threads that submit, wait, erase and wait with deadlines on the same Vars agree in the end") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const std::vector<Var> vars(4);
    std::vector<long> values(vars.size());
    std::atomic<long> submitted{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        Random random(10 + t);
        for (int i = 0; i < 300; ++i) {
          const std::size_t v = random.below(vars.size());
          switch (random.below(6)) {
            case 0: scheduler.wait(vars[v]); break;
            case 1: try { scheduler.wait_for(vars[v], std::chrono::microseconds(random.below(50)));
              } catch (const DeadlineExceeded&) {
              }
              break;
            case 2: {
              const Var own;
              scheduler.submit(reads(vars[v]), writes(own), [] {});
              scheduler.erase(own);
              break;
            }
            default: ++submitted; scheduler.submit(writes(vars[v]), [&values, v] { ++values[v]; });
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    long sum = 0;
    for (const long value : values) sum += value;
    CHECK(sum == submitted);
  });
}

TEST_CASE("a worker that is busy for long does not keep other ready ops from the other workers") {
  for (const int workers : {2, 4}) {
    Scheduler scheduler({.workers = workers});
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> arrived{0};
      std::atomic<bool> all_met{true};
      // Each waits until all have begun: that comes only if every one gets a worker of its own.
      for (int i = 0; i < workers; ++i) {
        scheduler.submit(reads(), [&] {
          ++arrived;
          if (!eventually([&] { return arrived == workers; })) all_met = false;
        });
        if (round % 3 == 1) spin(std::chrono::microseconds(round % 40));
      }
      scheduler.wait_all_for(60s);
      REQUIRE(all_met);
    }
  }
}

TEST_CASE("two schedulers do not take each other's workers") {
  Scheduler one({.workers = 1});
  Scheduler two({.workers = 1});
  for (int round = 0; round < 100; ++round) {
    std::atomic<bool> release{false};
    std::atomic<bool> released{false};
    const Var v;
    two.submit(writes(v), [] {});
    one.submit(reads(), [&] { released = eventually([&] { return release.load(); }); });
    two.wait_for(v, 30s);
    for (int i = 0; i < 3; ++i) {
      two.submit(writes(v), [] {});
      two.wait_for(v, 30s);
      std::this_thread::sleep_for(std::chrono::microseconds(round));
    }
    release = true;
    one.wait_all_for(30s);
    REQUIRE(released);
  }
}
