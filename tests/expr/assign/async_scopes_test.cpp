// Where Async scopes may live: in coroutines that go on on other threads, on the heap, out of order.
#include <doctest/doctest.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

import tessera;

using namespace tessera;
using namespace std::chrono_literals;

namespace {

std::vector<SchedulerOptions> executors() {
  return {{.executor = Inline{}}, {.executor = Permuting{.seed = 1}}, {.workers = 1}, {.workers = 4}};
}

Op add_with_pauses(Scheduler& scheduler, Array<int, 1> total, int turns) {
  co_await access();
  const Async on{scheduler};
  for (int i = 0; i < turns; ++i) {
    total += 1;
    co_await sleep_for(100us);
    total += 1;
    co_await yield();
  }
}

Op begins_too_early(Scheduler& scheduler, const Var& done) {
  const Async on{scheduler};
  co_await access(writes(done));
}

Op begins_and_ends_early(Scheduler& scheduler, Array<int, 1> total, const Var& done) {
  {
    const Async on{scheduler};
    total += 1;
  }
  co_await access(writes(done));
}

}  // namespace

TEST_CASE("a scope goes with its coroutine from thread to thread") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    const Array<int, 1> total = zeros<int>(Dim{50});
    for (int i = 0; i < 20; ++i) static_cast<void>(add_with_pauses(scheduler, total, 5));
    scheduler.wait_all();
    CHECK(int(total[{0}]) == 20 * 5 * 2);
    // No scope is left on a thread of the scheduler, nor here.
    Array<int, 1> here = zeros<int>(Dim{3});
    scheduler.submit(writes(Var()), [&here] { here(all) = 7; });
    scheduler.wait_all();
    CHECK(here.data()[2] == 7);
    here(all) = 8;
    CHECK(here.data()[2] == 8);
  }
}

TEST_CASE("a scope that a coroutine begins before it is an op is refused where it would stay behind") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    const Var done;
    CHECK_THROWS_WITH_AS(scheduler.wait(begins_too_early(scheduler, done)),
                         doctest::Contains("begin the scope after co_await access(...)"), OperationFailed);
    const Array<int, 1> total = zeros<int>(Dim{3});
    scheduler.wait(begins_and_ends_early(scheduler, total, done));
    CHECK(int(total[{0}]) == 1);
    total(all).data()[0] = 5;
    Array<int, 1> at_once = zeros<int>(Dim{3});
    at_once(all) = 4;
    CHECK(at_once.data()[0] == 4);
  }
}

TEST_CASE("scopes end in any order and on any thread") {
  Scheduler one({.workers = 1}), two({.workers = 2});
  Array<int, 1> a = zeros<int>(Dim{8});
  auto outer = std::make_unique<Async>(one);
  auto middle = std::make_unique<Async>(two);
  auto inner = std::make_unique<Async>(one);
  middle.reset();
  a += 1;
  outer.reset();
  a += 1;
  std::thread([&inner] { inner.reset(); }).join();
  a += 1;  // at once
  CHECK(int(a[{7}]) == 3);
  {
    std::optional<Async> on;
    std::thread([&] { on.emplace(one); }).join();  // of a thread that has ended
    a += 1;
    on.reset();
  }
  CHECK(int(a[{7}]) == 4);
}

TEST_CASE("two borrows of one memory lose no update") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    std::vector<float> memory(5000);
    Array<float, 1> one = zeros<float>(Dim{5000});
    const auto first = borrow(memory.data(), Dim{5000}), second = borrow(memory.data(), Dim{5000});
    {
      const Async on{scheduler};
      one += 1;
      for (int i = 0; i < 50; ++i) {
        first += one;  // at once, after what `one` waits for: a view keeps nothing alive
        second += 1;
        second(range(0, 2500)) += one(range(0, 2500));
      }
    }
    CHECK(memory.front() == 150);
    CHECK(memory.back() == 100);
  }
}
