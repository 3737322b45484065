// Tests of back-pressure: submit() blocks while too many ops, or too many bytes, are pending.
#include "executors.hpp"

#include <malloc.h>

using namespace support;

namespace {

std::size_t bytes_from_system() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

TEST_CASE("a window bounds the pending ops") {
  on_every_executor([](SchedulerOptions options) {
    for (const std::ptrdiff_t window : {1, 2, 16, 1000}) {
      options.window = window;
      Scheduler scheduler(options);
      const Var v;
      int runs = 0;
      std::uint64_t most = 0;
      for (int i = 0; i < 5000; ++i) {
        scheduler.submit(writes(v), [&] { ++runs; });
        most = std::max(most, scheduler.counters().pending);
      }
      scheduler.wait(v);
      CHECK(runs == 5000);
      CHECK(most <= static_cast<std::uint64_t>(window + window / 16 + 1));  // it looks once in window/16 ops
    }
  });
}

// --8<-- [start:window]
TEST_CASE("a window bounds the bytes that pending ops keep alive") {
  Scheduler scheduler({.workers = 2, .window_bytes = 1000});
  const Var v;
  std::ptrdiff_t most = 0;
  for (int i = 0; i < 200; ++i) {
    scheduler.submit(writes(v), [] {}, {.bytes = 300});  // blocks while the fourth would be pending
    most = std::max(most, scheduler.counters().bytes);
  }
  scheduler.wait_all();
  CHECK(most <= 1000);
  CHECK(scheduler.counters().bytes == 0);
}
// --8<-- [end:window]

TEST_CASE("an op larger than the window of bytes runs alone") {
  on_every_executor([](SchedulerOptions options) {
    options.window_bytes = 100;
    Scheduler scheduler(options);
    std::atomic<int> runs{0};
    for (int i = 0; i < 50; ++i) scheduler.submit(reads(), [&] { ++runs; }, {.bytes = i % 2 == 0 ? 5000 : 60});
    scheduler.wait_all();
    CHECK(runs == 50);
    CHECK(scheduler.counters().bytes == 0);
  });
}

TEST_CASE("several submitters share one window") {
  on_every_executor([](SchedulerOptions options) {
    options.window = 64;
    options.window_bytes = 10000;
    Scheduler scheduler(options);
    const Var v;
    std::atomic<int> runs{0};
    std::atomic<std::uint64_t> most{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          scheduler.submit(reads(v), [&] { ++runs; }, {.bytes = 500});
          std::uint64_t seen = most;
          while (scheduler.counters().pending > seen &&
                 !most.compare_exchange_weak(seen, scheduler.counters().pending)) {
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    scheduler.wait_all();
    CHECK(runs == 4000);
    CHECK(most <= 64 + 4 * 5);
    CHECK(scheduler.counters().bytes == 0);
  });
}

TEST_CASE("ops inside ops do not block on the window") {
  on_every_executor([](SchedulerOptions options) {
    options.window = 4;
    options.window_bytes = 10;
    Scheduler scheduler(options);
    std::atomic<int> runs{0};
    scheduler.submit(reads(), [&] {
      for (int i = 0; i < 200; ++i) scheduler.submit(reads(), [&] { ++runs; }, {.bytes = 8});
    });
    scheduler.wait_all();
    CHECK(runs == 200);
  });
}

TEST_SUITE_BEGIN("long");

TEST_CASE("memory stays flat over a long stream of ops") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var a;
    const Var b;
    std::atomic<long> runs{0};
    const auto submit = [&](long count) {
      for (long i = 0; i < count; ++i) {
        scheduler.submit(reads(a), writes(b), [&] { runs.fetch_add(1, std::memory_order_relaxed); });
      }
    };
    const long warm = 200000;
    const long count = 400000L * scale();
    submit(warm);
    scheduler.wait_all();
    const std::size_t before = bytes_from_system();
    submit(count);
    scheduler.wait_all();
    const std::size_t after = bytes_from_system();
    CHECK(runs == warm + count);
    CHECK(after <= before + (16u << 20));
  });
}

TEST_SUITE_END();
