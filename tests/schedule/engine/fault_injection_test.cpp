// Fault injection: the N-th allocation inside a submission fails, for every N: the caller gets std::bad_alloc and the scheduler is as
// before. Not for ThreadSanitizer, which has an operator new of its own.
#include "executors.hpp"

#include <array>
#include <cstdlib>
#include <new>

using namespace support;

namespace {

thread_local long allocations_until_failure = -1;  // none fails

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) throw std::bad_alloc();
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes == 0 ? 1 : bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes == 0 ? 1 : bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

/// Calls `action` with the first allocation failing, then with the second, until it succeeds. Returns how often it failed.
template <class Action, class Check>
int fail_each_allocation(const Action& action, const Check& unchanged) {
  for (int failures = 0;; ++failures) {
    allocations_until_failure = failures;
    bool failed = false;
    try {
      action();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    allocations_until_failure = -1;
    if (!failed) return failures;
    unchanged();
  }
}

struct Counts {
  std::uint64_t submitted, pending;
  std::ptrdiff_t bytes;
  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts counts_of(const Scheduler& scheduler) {
  const SchedulerCounters counters = scheduler.counters();
  return {.submitted = counters.submitted, .pending = counters.pending, .bytes = counters.bytes};
}

Op coroutine_op(Scheduler&, std::span<const Var> vars, std::array<char, 500> large, int& runs) {
  co_await access(writes(vars), {.name = "coroutine"});
  runs += 1 + large[0];
}

/// What is recycled hides allocations, so it is used up by ops that stay pending, until allocations have failed `wanted` times.
constexpr int wanted = 4;
constexpr int most = 1000000;

template <class Submit>
void check_every_submission(const SchedulerOptions& options, const Submit& submit) {
  Scheduler scheduler(options);
  const std::vector<Var> vars(20);
  int runs = 0;
  int failures = 0;
  int changes = 0;
  int ops = 0;
  scheduler.stop();
  for (; failures < wanted && ops < most; ++ops) {
    const Counts before = counts_of(scheduler);
    failures += fail_each_allocation([&] { submit(scheduler, vars, runs); },
                                     [&] { changes += counts_of(scheduler) == before ? 0 : 1; });
    changes += counts_of(scheduler).submitted == before.submitted + 1 ? 0 : 1;
  }
  scheduler.start();
  scheduler.wait_all();
  CHECK(failures >= wanted);
  CHECK(changes == 0);
  CHECK(runs == ops);
  CHECK(vars[0].version() == static_cast<std::uint64_t>(ops));
  CHECK(scheduler.counters().bytes == 0);
}

}  // namespace

TEST_CASE("a submission that finds no memory throws bad_alloc and changes nothing") {
  on_every_executor([](const SchedulerOptions& options) {
    check_every_submission(options, [](Scheduler& scheduler, const std::vector<Var>& vars, int& runs) {
      scheduler.submit(writes(vars[0]), [&runs] { ++runs; });
    });
  });
}

TEST_CASE("so does one with many Vars, a large body, bytes and a stop_token") {
  on_every_executor([](const SchedulerOptions& options) {
    const std::stop_source stop;
    check_every_submission(options, [&stop](Scheduler& scheduler, const std::vector<Var>& vars, int& runs) {
      scheduler.submit(writes(std::span(vars)), [&runs, large = std::array<char, 1000>()] { runs += 1 + large[0]; },
                       {.stop = stop.get_token(), .bytes = 100});
    });
  });
}

TEST_CASE("so does one that returns a handle") {
  on_every_executor([](const SchedulerOptions& options) {
    check_every_submission(options, [](Scheduler& scheduler, const std::vector<Var>& vars, int& runs) {
      static_cast<void>(scheduler.launch(reads(vars[1]), writes(vars[0]), [&runs] { ++runs; }));
    });
  });
}

TEST_CASE("a coroutine op that finds no memory for its frame is not there; without its accesses it fails") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const std::vector<Var> vars(20);
    int runs = 0;
    int failed = 0;
    int submitted = 0;
    scheduler.stop();
    std::vector<Op> ops;
    ops.reserve(100000);
    while (failed < wanted && ops.size() + 10 < ops.capacity()) {
      for (int n = 0;; ++n) {
        const std::uint64_t before = scheduler.counters().submitted;
        allocations_until_failure = n;
        try {
          ops.push_back(coroutine_op(scheduler, vars, {}, runs));
        } catch (const std::bad_alloc&) {
        }
        const bool succeeded = allocations_until_failure >= 0;
        allocations_until_failure = -1;
        const std::uint64_t now = scheduler.counters().submitted;
        submitted += static_cast<int>(now - before);
        failed += succeeded ? 0 : 1;
        if (succeeded) break;
      }
    }
    scheduler.start();
    scheduler.wait(vars[0]);
    CHECK(runs == submitted);
    CHECK(failed >= wanted);
    int with_failure = 0;
    for (const Op& op : ops) with_failure += message_of<OperationFailed>([&] { scheduler.wait(op); }).empty() ? 0 : 1;
    CHECK(with_failure + submitted == static_cast<int>(ops.size()));
  });
}

TEST_CASE("Vars, completions and schedulers that find no memory throw bad_alloc") {
  std::vector<Var> vars;
  vars.reserve(100000);
  int failures = 0;
  while (failures < wanted && vars.size() < vars.capacity())
    failures += fail_each_allocation([&] { vars.emplace_back(); }, [] {});
  CHECK(failures >= wanted);
  CHECK(fail_each_allocation([] { const Completion completion; }, [] {}) > 0);
  on_every_executor([](const SchedulerOptions& options) {
    CHECK(fail_each_allocation([&] { const Scheduler scheduler(options); }, [] {}) > 0);
  });
}

TEST_CASE("a failure that finds no memory for its record is still a failure") {
  Scheduler scheduler({.executor = Inline{}});
  const Var v;
  scheduler.submit(writes(v), [] {
    allocations_until_failure = 0;
    throw 1;
  });
  allocations_until_failure = -1;
  CHECK_THROWS_AS(scheduler.wait(v), OperationFailed);
  CHECK(v.is_poisoned());
}

TEST_CASE("a steady stream of ops asks the system for no memory") {
  Scheduler scheduler({.executor = Inline{}});
  const Var a;
  const Var b;
  int runs = 0;
  const auto stream = [&] {
    for (int i = 0; i < 1000; ++i) {
      scheduler.submit(reads(a), writes(b), [&] { ++runs; });
      static_cast<void>(scheduler.launch(writes(b), [&] { ++runs; }));
    }
  };
  stream();
#if !__has_feature(address_sanitizer)
  allocations_until_failure = 0;  // the next one would throw
#endif
  stream();
  allocations_until_failure = -1;
  CHECK(runs == 4000);
}

TEST_CASE("an assignment to a view that finds no memory changes nothing") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Array<float, 2> a = zeros<float>(Dim{40, 6});
    std::vector<float> expected(240, 0.0f);
    scheduler.stop();
    int failures = 0;
    for (std::ptrdiff_t i = 0; i < 300; ++i) {
      const std::ptrdiff_t row = i * 7 % 38, column = i % 5, from = i * 11 % 38;
      const Async on{scheduler, {.disjoint_views = true}};
      auto to = a(range(row, row + 2), range(column, column + 2));
      const auto source = a(range(from, from + 2), range(column, column + 2));
      failures += fail_each_allocation([&] { to(ellipsis) = source + 1; }, [] {});
      const auto at = [&](std::ptrdiff_t first, std::ptrdiff_t k) -> float& {
        return expected[static_cast<std::size_t>((first + k / 2) * 6 + column + k % 2)];
      };
      std::array<float, 4> values{};
      for (std::ptrdiff_t k = 0; k < 4; ++k) values[static_cast<std::size_t>(k)] = at(from, k) + 1;
      for (std::ptrdiff_t k = 0; k < 4; ++k) at(row, k) = values[static_cast<std::size_t>(k)];
    }
    scheduler.start();
    scheduler.wait_all();
    CHECK(failures > 300);
    CHECK(std::vector<float>(a.begin(), a.end()) == expected);
  });
}
