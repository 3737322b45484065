// Tests of erase: a Var lives until the ops submitted before have ended, and may not be named afterwards.
#include "executors.hpp"

using namespace support;

// --8<-- [start:erase]
TEST_CASE("an erased Var lives until the ops submitted before have ended; then its storage is returned") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    auto storage = std::make_unique<int>(0);
    int last = 0;
    for (int i = 0; i < 10; ++i) scheduler.submit(writes(v), [&] { ++*storage; });
    scheduler.submit(reads(v), [&] { last = *storage; });
    scheduler.erase(v, [&] { storage.reset(); });
    scheduler.wait_all();
    CHECK(last == 10);
    CHECK(storage == nullptr);
  });
}
// --8<-- [end:erase]

TEST_CASE("nothing may be submitted on a Var after it has been erased, and nothing has happened then") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var erased;
    const Var other;
    scheduler.stop();
    scheduler.erase(erased);
    for (int i = 0; i < 3; ++i) {
      const auto late = [&] { scheduler.submit(reads(other), writes(erased), [] {}, {.name = "late"}); };
      const std::string message = message_of<SchedulerError>(late);
      CHECK(contains(message, "late"));
      CHECK(contains(message, "erased"));
      CHECK(contains(message, "deletion_test.cpp"));
    }
    CHECK_THROWS_AS(scheduler.erase(erased), SchedulerError);
    scheduler.start();
    scheduler.submit(writes(other), [] {});
    scheduler.wait_all();
    CHECK(other.version() == 1);
    scheduler.wait(erased);
  });
}

TEST_CASE("the storage is returned even if the ops before failed or were cancelled") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    std::atomic<int> returned{0};
    scheduler.stop();
    scheduler.submit(writes(v), Throws{});
    scheduler.erase(v, [&] { ++returned; });
    const Var w;
    std::stop_source stop;
    stop.request_stop();
    scheduler.submit(writes(w), [] {}, {.stop = stop.get_token()});
    scheduler.erase(w, [&] { ++returned; });
    scheduler.start();
    scheduler.wait_all();
    CHECK(returned == 2);
  });
}

TEST_CASE("many Vars are erased in the middle of work on several threads") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::atomic<int> returned{0};
    std::atomic<int> late{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 300; ++i) {
          const Var v;
          auto alive = std::make_shared<std::atomic<bool>>(true);
          for (int k = 0; k < 3; ++k) scheduler.submit(writes(v), [alive, &late] { late += alive->load() ? 0 : 1; });
          scheduler.erase(v, [alive, &returned] {
            *alive = false;
            ++returned;
          });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    CHECK(returned == 900);
    CHECK(late == 0);
  });
}
