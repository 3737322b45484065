// Tests of idleness: no CPU time without work, and a quick way back.
#include "executors.hpp"

#include <sys/resource.h>

using namespace support;

namespace {

std::chrono::microseconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

TEST_CASE("an idle scheduler uses no CPU time") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    for (int i = 0; i < 1000; ++i) scheduler.submit(writes(v), [] {});
    scheduler.wait(v);
    std::this_thread::sleep_for(100ms);
    const auto before = cpu_time();
    std::this_thread::sleep_for(200ms);
    const auto used = cpu_time() - before;
    CHECK(used.count() < 20000);  // us; one spinning worker would use 200,000
  });
}

TEST_CASE("an op that waits for a completion uses no CPU time, and neither does a thread that waits for the op") {
  const auto waits = [](Scheduler&, Var v, Completion completion) -> Op {
    co_await access(writes(v));
    co_await completion;
  };
  on_every_executor([&](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    const Completion go;
    static_cast<void>(waits(scheduler, v, go));
    std::thread waiter([&] { scheduler.wait(v); });
    std::this_thread::sleep_for(50ms);
    const auto before = cpu_time();
    std::this_thread::sleep_for(200ms);
    const auto used = cpu_time() - before;
    go.signal();
    waiter.join();
    CHECK(used.count() < 20000);
  });
}

TEST_CASE("an idle scheduler wakes up soon") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::vector<std::chrono::nanoseconds> delays;
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(3ms);
      const auto submitted = std::chrono::steady_clock::now();
      std::chrono::nanoseconds delay{};
      scheduler.submit(reads(), [&] { delay = std::chrono::steady_clock::now() - submitted; });
      scheduler.wait_all_for(30s);  // this thread does not help
      delays.push_back(delay);
    }
    std::ranges::nth_element(delays, delays.begin() + 10);
    MESSAGE("median of idle to running: ", delays[10].count() / 1000, " us");
    CHECK(delays[10] < 20ms);  // a lost wake-up would be found by nobody; the bench has the figure
  });
}
