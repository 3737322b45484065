// Tests of ops inside ops: the outer one ends after them, and they may not fight for what it holds.
#include "executors.hpp"

using namespace support;

namespace {

/// How far apart the frames of the functions are that ops run in.
struct StackUse {
  std::uintptr_t lowest = UINTPTR_MAX, highest = 0;
  std::thread::id thread;

  [[gnu::noinline]] void look() {
    const auto seen = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));  // locals may lie elsewhere
    if (thread == std::thread::id()) thread = std::this_thread::get_id();
    if (thread != std::this_thread::get_id()) return;  // another stack
    lowest = std::min(lowest, seen);
    highest = std::max(highest, seen);
  }
  std::uintptr_t bytes() const { return highest - lowest; }
};

/// Each op submits the next one and awaits it.
Op dive(Scheduler& scheduler, int depth, int& deepest, StackUse& stack) {
  co_await access({.name = "dive"});
  stack.look();
  deepest = std::max(deepest, depth);
  if (depth == 1000) co_return;
  const Op inner = dive(scheduler, depth + 1, deepest, stack);
  co_await inner;
  stack.look();
  deepest += 1000;
}

Op sum_range(Scheduler& scheduler, const std::vector<int>& values, std::size_t begin, std::size_t end, long& sum) {
  co_await access({.name = "sum"});
  if (end - begin <= 8) {
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    co_return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  long left = 0;
  long right = 0;
  const Op first = sum_range(scheduler, values, begin, middle, left);
  const Op second = sum_range(scheduler, values, middle, end, right);
  co_await first;
  co_await second;
  sum = left + right;
}

}  // namespace

TEST_CASE("ops within ops, many thousands deep") {
  // A walk over all that are around each of them would take half a minute.
  constexpr int depth = 100'000;
  on_every_pool([&](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::atomic<int> runs = 0;
    const std::function<void(int)> go_down = [&](int level) {
      ++runs;
      if (level < depth) scheduler.submit(writes(Var()), [&go_down, level] { go_down(level + 1); });
    };
    scheduler.submit(writes(Var()), [&] { go_down(1); });
    scheduler.wait_all();
    CHECK(runs == depth);
  });
}

TEST_CASE("a thousand ops inside each other need no stack") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    int deepest = 0;
    StackUse stack;
    const Op op = dive(scheduler, 0, deepest, stack);
    scheduler.wait(op);
    CHECK(deepest == 1000 + 1000 * 1000);
    CHECK(stack.bytes() < 64000);
  });
}

TEST_CASE("a tree of ops that await their parts") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::vector<int> values(5000);
    long expected = 0;
    for (std::size_t i = 0; i < values.size(); ++i) expected += values[i] = static_cast<int>(i * i % 101);
    long sum = 0;
    const Op op = sum_range(scheduler, values, 0, values.size(), sum);
    scheduler.wait(op);
    CHECK(sum == expected);
  });
}

// --8<-- [start:nested]
TEST_CASE("an op ends after the ops that it has submitted") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var whole;
    const Var part;
    std::atomic<int> parts{0};
    int seen = 0;
    scheduler.submit(writes(whole), [&] {
      for (int i = 0; i < 10; ++i) scheduler.submit(writes(part), [&] { ++parts; });
    });
    scheduler.submit(reads(whole), [&] { seen = parts; });
    scheduler.wait_all();
    CHECK(seen == 10);
  });
}
// --8<-- [end:nested]

TEST_CASE("an op inside another may not access what that one writes, nor write what it reads") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var read;
    const Var written;
    std::atomic<int> refused{0};
    const auto refuses = [&](const auto& call) {
      refused += contains(message_of<SchedulerError>(call), "'outer'") ? 1 : 0;
    };
    scheduler.submit(reads(read), writes(written),
                     [&] {
                       refuses([&] { scheduler.submit(reads(written), [] {}); });
                       refuses([&] { scheduler.submit(writes(written), [] {}); });
                       refuses([&] { scheduler.submit(writes(read), [] {}); });
                       refuses([&] { scheduler.erase(read); });
                       scheduler.submit(reads(), [&] { refuses([&] { scheduler.submit(writes(read), [] {}); }); });
                     },
                     {.name = "outer"});
    scheduler.wait(written);
    CHECK(refused == 5);
  });
}

TEST_CASE("an op inside another may read what that one reads, even when a writer is queued in between") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    int value = 1;
    std::atomic<int> seen{0};
    scheduler.stop();
    scheduler.submit(reads(v), [&] {
      for (int i = 0; i < 5; ++i) {
        scheduler.submit(reads(v), [&] {
          seen += value;
          scheduler.submit(reads(v), [&] { seen += value; });
        });
      }
    });
    scheduler.submit(writes(v), [&] { value = 100; });
    scheduler.start();
    scheduler.wait_for(v, 20s);
    CHECK(seen == 10);
    CHECK(value == 100);
  });
}

TEST_CASE("the failure of an inner op is told by its Vars, and the outer op is unaffected") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var outer;
    const Var inner;
    scheduler.submit(writes(outer), [&] { scheduler.submit(writes(inner), Throws{}, {.name = "inner"}); });
    scheduler.wait(outer);
    CHECK(contains(message_of<OperationFailed>([&] { scheduler.wait(inner); }), "'inner'"));
  });
}

TEST_CASE("an op that has thrown still ends after its inner ops") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var outer;
    std::atomic<int> runs{0};
    scheduler.submit(writes(outer), [&] {
      for (int i = 0; i < 20; ++i) scheduler.submit(reads(), [&] { ++runs; });
      throw std::runtime_error("after them");
    });
    CHECK_THROWS_AS(scheduler.wait(outer), OperationFailed);
    CHECK(runs == 20);
  });
}
