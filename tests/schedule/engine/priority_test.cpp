// Tests of priorities: urgent ops first among those that are ready, and nobody starved.
#include "executors.hpp"

#include <mutex>

using namespace support;

TEST_CASE("with one worker the ready ops begin by priority") {
  for (const ExecutorCase& each : executor_cases()) {
    if (each.at_once != 1) continue;
    INFO(each.name);
    Scheduler scheduler(each.options);
    const Var gate;
    std::vector<Priority> order;
    scheduler.stop();
    for (int i = 0; i < 4; ++i) {
      for (const Priority priority : {Priority::low, Priority::normal, Priority::high}) {
        scheduler.submit(reads(gate), [&order, priority] { order.push_back(priority); }, {.priority = priority});
      }
    }
    scheduler.start();
    scheduler.wait_all_for(30s);
    CHECK(order.size() == 12);
    // Now and then one of a lower priority goes first, so that it is not starved.
    int inversions = 0;
    for (auto at = order.begin(); at != order.end(); ++at) {
      inversions += std::any_of(at, order.end(), [at](Priority later) { return later < *at; }) ? 1 : 0;
    }
    CHECK(inversions <= 1);
  }
}

TEST_CASE("of the ops that one op makes ready the urgent ones go first") {
  for (const ExecutorCase& each : executor_cases()) {
    if (each.at_once != 1) continue;
    INFO(each.name);
    int urgent_first = 0;
    for (int round = 0; round < 10; ++round) {
      Scheduler scheduler(each.options);
      const Var v;
      std::vector<int> order;
      scheduler.stop();
      scheduler.submit(writes(v), [] {});
      scheduler.submit(reads(v), [&] { order.push_back(1); });
      scheduler.submit(reads(v), [&] { order.push_back(2); }, {.priority = Priority::low});
      scheduler.submit(reads(v), [&] { order.push_back(0); }, {.priority = Priority::high});
      scheduler.start();
      scheduler.wait_all_for(30s);
      urgent_first += order == std::vector{0, 1, 2} ? 1 : 0;
    }
    CHECK(urgent_first >= 7);
  }
}

TEST_CASE("a low op is not starved by a stream of high ones") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::atomic<bool> low_ran{false};
    std::atomic<int> high_runs{0};
    constexpr int most = 100000;
    // Each high op submits the next one before it ends, so that at every moment some are ready.
    struct Again {
      Scheduler* scheduler;
      std::atomic<bool>* stop;
      std::atomic<int>* runs;
      void operator()() const {
        const int run = ++*runs;
        if (stop->load() || run > most) return;
        scheduler->submit(reads(), Again(*this), {.priority = Priority::high});
      }
    };
    scheduler.stop();
    for (int i = 0; i < 8; ++i) {
      scheduler.submit(reads(), Again{&scheduler, &low_ran, &high_runs}, {.priority = Priority::high});
    }
    scheduler.submit(reads(), [&] { low_ran = true; }, {.priority = Priority::low});
    scheduler.start();
    scheduler.wait_all();
    CHECK(low_ran);
    CHECK(high_runs < most);
  });
}
