// Ops that programs write by hand, on the Vars of arrays: whoever accesses the elements waits for them, whichever scheduler they belong to.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

import tessera;

using namespace tessera;
using namespace std::chrono_literals;

namespace {

std::vector<SchedulerOptions> executors() {
  return {{.executor = Inline{}}, {.executor = Permuting{.seed = 1}}, {.workers = 1}, {.workers = 3}};
}

void wait_a_while() { std::this_thread::sleep_for(20ms); }

/// An op that writes `value` into the first element, a while after it has begun.
void write_slowly(Scheduler& scheduler, const Array<float, 1>& array, float value) {
  scheduler.submit(writes(array.var()), [memory = array.data(), value] {
    wait_a_while();
    *memory = value;
  });
}

/// What accesses the elements of an array, and what that sees of the first one.
using Look = float (*)(Array<float, 1>&);
const Look looks[] = {
    [](Array<float, 1>& a) -> float { return a[{0}]; },
    [](Array<float, 1>& a) -> float { return a(0); },
    [](Array<float, 1>& a) -> float { return *a.begin(); },
    [](Array<float, 1>& a) -> float { return make_view(a)[{0}]; },
    [](Array<float, 1>& a) -> float { return a.clone().data()[0]; },
    [](Array<float, 1>& a) -> float { return sum(a(range(0, 1))); },
    [](Array<float, 1>& a) -> float { return evaluate(a * 1).data()[0]; },
    [](Array<float, 1>& a) -> float { return a(range(0, 1)).clone().data()[0]; },
    [](Array<float, 1>& a) -> float {
      a += 0;
      return a.data()[0];
    },
};

}  // namespace

TEST_CASE("access waits for an op that was written by hand") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    for (const Look look : looks) {
      Array<float, 1> a = zeros<float>(Dim{4});
      write_slowly(scheduler, a, 9);
      CHECK(look(a) == 9);
    }
  }
}

TEST_CASE("what a failed or cancelled op should have written cannot be read, but be written again") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    for (const Look look : looks) {
      Array<float, 1> a = zeros<float>(Dim{4});
      scheduler.submit(writes(a.var()), [] { throw std::runtime_error("no file"); });
      CHECK_THROWS_WITH_AS(static_cast<void>(look(a)), doctest::Contains("no file"), OperationFailed);
      CHECK_THROWS_AS(static_cast<void>(look(a)), OperationFailed);  // also when nothing is pending
      a(all) = 3;
      CHECK(look(a) == 3);
      std::stop_source stop;
      stop.request_stop();
      scheduler.submit(writes(a.var()), [] {}, {.stop = stop.get_token()});
      CHECK_THROWS_AS(static_cast<void>(look(a)), OperationFailed);
    }
  }
}

TEST_CASE("an assignment at once does not overtake an op that reads") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Array<float, 1> a = full(Dim{4}, 1.0f);
    float seen = 0;
    const Var done;
    scheduler.submit(reads(a.var()), writes(done), [&seen, memory = a.data()] {
      wait_a_while();
      seen = *memory;
    });
    a(all) = a + 5;
    CHECK(a(0) == 6);
    scheduler.wait(done);
    CHECK(seen == 1);
  }
}

TEST_CASE("a scheduler that is gone is not asked") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    for (const Look look : looks) {
      Array<float, 1> a = zeros<float>(Dim{4});
      {
        Scheduler gone(options);
        const Async on{gone};
        a(all) = a + 1;
      }
      CHECK(look(a) == 1);
      write_slowly(scheduler, a, 9);
      CHECK(look(a) == 9);
    }
  }
}

TEST_CASE("an access waits for the ops of several schedulers") {
  for (const SchedulerOptions& first_options : executors()) {
    for (const SchedulerOptions& second_options : executors()) {
      Scheduler first(first_options);
      std::optional<Scheduler> second(std::in_place, second_options);
      Array<float, 1> a = full(Dim{4}, 1.0f);
      float seen = 0;
      const Var done;
      first.submit(reads(a.var()), writes(done), [&seen, memory = a.data()] {
        wait_a_while();
        seen = *memory;
      });
      second->submit(reads(a.var()), [] {});  // was the last to name it, and is gone before the first has ended
      second.reset();
      a(all) = 2;
      CHECK(a(0) == 2);
      first.wait(done);
      CHECK(seen == 1);

      Scheduler third(second_options);
      write_slowly(first, a, 3);
      third.submit(reads(a.var()), writes(a(range(0, 4)).var()), [memory = a.data()] { *memory += 4; });
      CHECK(a(0) == 7);
    }
  }
}
