// Numbers, durations and points in time at the ends of their ranges, and handles without a value, for every function of the scheduler that
// takes one: what is out of range is refused with the number in the message.
#include "executors.hpp"

#include <limits>
#include <ratio>

using namespace support;

namespace {

template <class I>
constexpr I numbers[] = {std::numeric_limits<I>::min(),
                         std::numeric_limits<I>::min() + 1,
                         I(-2),
                         I(-1),
                         I(0),
                         I(1),
                         I(3),
                         std::numeric_limits<I>::max() / 2,
                         std::numeric_limits<I>::max() - 1,
                         std::numeric_limits<I>::max()};

/// Does what `call` does with every number, or refuses it if it is not from `least` to `greatest`.
template <class I, class Call>
void check_numbers(const std::string& name, I least, I greatest, const Call& call) {
  for (const I number : numbers<I>) {
    CAPTURE(name);
    CAPTURE(number);
    try {
      call(number);
      CHECK((number >= least && number <= greatest));
    } catch (const SchedulerError& error) {
      CHECK((number < least || number > greatest));
      CHECK_MESSAGE(std::string(error.what()).find(std::to_string(number)) != std::string::npos, error.what());
    }
  }
}

/// Runs two ops in the order of a Var.
void run_two(Scheduler& scheduler, const OpOptions& options = {}) {
  const Var var;
  int runs = 0;
  scheduler.submit(writes(var), [&] { ++runs; }, options);
  scheduler.submit(writes(var), [&] { ++runs; }, options);
  scheduler.wait_all();
  CHECK(runs == 2);
}

Op nothing(Scheduler&) { co_await access(); }
Op sleeps_until(Scheduler&, std::chrono::steady_clock::time_point time) {
  co_await access();
  co_await sleep_until(time);
}
template <class Duration>
Op sleeps_for(Scheduler&, Duration duration) {
  co_await access();
  co_await sleep_for(duration);
}
Task<int> seven() { co_return 7; }

/// A task that has been moved from, and one that has not.
std::vector<Task<int>> with_one_moved_from() {
  std::vector<Task<int>> tasks;
  tasks.push_back(seven());
  tasks.push_back(seven());
  const Task<int> taken = std::move(tasks[1]);
  return tasks;
}
Op awaits_all(Scheduler&) {
  co_await access();
  co_await when_all(with_one_moved_from());
}
Op awaits_first(Scheduler&) {
  co_await access();
  std::vector<Task<int>> tasks = with_one_moved_from();
  std::swap(tasks[0], tasks[1]);
  tasks.pop_back();
  co_await when_any(std::move(tasks));
}
Op awaits_none(Scheduler&) {
  co_await access();
  co_await when_any(std::vector<Task<int>>());
}

}  // namespace

TEST_CASE("options of a scheduler at the ends of their ranges") {
  constexpr std::ptrdiff_t any = PTRDIFF_MAX;
  check_numbers("workers", 0, 1024, [](int number) {
    Scheduler scheduler({.workers = number});
    run_two(scheduler);
  });
  check_numbers("window", std::ptrdiff_t(0), any, [](std::ptrdiff_t number) {
    Scheduler scheduler({.workers = 2, .window = number});
    run_two(scheduler);
  });
  check_numbers("window_bytes", std::ptrdiff_t(0), any, [](std::ptrdiff_t number) {
    Scheduler scheduler({.workers = 2, .window_bytes = number});
    run_two(scheduler, {.bytes = 10});
  });
  check_numbers("bytes", std::ptrdiff_t(0), any, [](std::ptrdiff_t number) {
    Scheduler scheduler({.workers = 2, .window_bytes = 1000});
    run_two(scheduler, {.bytes = number});
  });
  const int before = num_threads();
  check_numbers("set_num_threads", 1, 1024, [](int number) { set_num_threads(number); });
  set_num_threads(before);
}

TEST_CASE("loops of any number of iterations") {
  for (const std::ptrdiff_t count : numbers<std::ptrdiff_t>) {
    CAPTURE(count);
    std::atomic<int> runs = 0;
    const auto loop = [&] {
      parallel_for(count, [&](std::ptrdiff_t) {
        if (++runs > 3) throw std::runtime_error("enough");
      });
    };
    if (count <= 3) {
      loop();
      CHECK(runs == std::max<std::ptrdiff_t>(count, 0));
    } else {
      CHECK_THROWS_WITH_AS(loop(), "enough", std::runtime_error);
    }
  }
}

TEST_CASE("sizes and lanes of a timeline") {
  for (const int number : numbers<int>) {
    CAPTURE(number);
    CHECK(timeline_svg({}, {.width = number}).starts_with("<svg"));
    if (number < 1000) CHECK(timeline_svg({}, {.workers = number}).starts_with("<svg"));
  }
}

TEST_CASE("durations of every type from now") {
  using Clock = std::chrono::steady_clock;
  const auto check = []<class Duration>(Duration) {
    CHECK(core::time_after(Duration::min()) <= Clock::now());
    CHECK(core::time_after(Duration::zero()) <= Clock::now());
    const auto before = Clock::now();
    const auto end = core::time_after(Duration::max());
    const bool is_beyond = std::chrono::duration<long double>(Duration::max()) >=
                           std::chrono::duration<long double>(Clock::time_point::max() - before);
    CHECK(is_beyond == (end == Clock::time_point::max()));
    CHECK(end > before);
  };
  check(std::chrono::duration<std::int8_t>());
  check(std::chrono::duration<std::uint8_t, std::milli>());
  check(std::chrono::duration<std::int32_t, std::ratio<3600>>());
  check(std::chrono::nanoseconds());
  check(std::chrono::hours());
  check(std::chrono::duration<std::uint64_t, std::nano>());
  check(std::chrono::duration<std::int64_t, std::pico>());
  check(std::chrono::duration<std::int64_t, std::ratio<31556952>>());
  check(std::chrono::duration<float, std::nano>());
  check(std::chrono::duration<double>());
}

TEST_CASE("points in time at the ends of their range, and sleeps that are over") {
  using Clock = std::chrono::steady_clock;
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    scheduler.wait(sleeps_until(scheduler, Clock::time_point::min()));
    scheduler.wait(sleeps_until(scheduler, Clock::time_point()));
    scheduler.wait(sleeps_for(scheduler, std::chrono::nanoseconds::min()));
    scheduler.wait(sleeps_for(scheduler, std::chrono::duration<std::int8_t, std::mega>(-128)));
    scheduler.wait_all();  // the op of a task that has been waited for may still be counted
    const Var var;
    scheduler.wait_until(var, Clock::time_point::min());  // nothing is pending: whatever the time is
    scheduler.wait_until(var, Clock::time_point::max());
    scheduler.wait_for(var, std::chrono::hours::min());
    scheduler.wait_for(var, std::chrono::hours::max());
    scheduler.wait_all_for(std::chrono::hours::min());
    scheduler.shutdown_for(Shutdown::drain, std::chrono::hours::min());
    scheduler.shutdown_for(Shutdown::drain, std::chrono::hours::max());
  });
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var var;
    std::atomic<bool> may_end = false;
    scheduler.submit(writes(var), [&] {
      while (!may_end) std::this_thread::yield();
    });
    CHECK_THROWS_AS(scheduler.wait_until(var, Clock::time_point::min()), DeadlineExceeded);
    CHECK_THROWS_AS(scheduler.wait_until(var, Clock::time_point()), DeadlineExceeded);
    may_end = true;
    CHECK_NOTHROW(scheduler.wait_until(var, Clock::time_point::max()));
  });
}

TEST_CASE("every function that takes a Var, with one that has been moved from") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    Var none;
    const Var var = std::move(none), copy = none;
    CHECK(none == copy);
    CHECK(none != var);
    CHECK(none.state() == nullptr);
    none.clear();
    CHECK(none.version() == 0);
    const auto refuses = [](const auto& call) {
      CHECK_THROWS_WITH_AS(call(), doctest::Contains("moved from"), SchedulerError);
    };
    refuses([&] { scheduler.wait(none); });
    refuses([&] { scheduler.wait_for(none, 1h); });
    refuses([&] { scheduler.wait_until(none, std::chrono::steady_clock::time_point::max()); });
    refuses([&] { scheduler.erase(none); });
    refuses([&] { scheduler.erase(none, [] {}); });
    refuses([&] { scheduler.submit(reads(none), [] {}); });
    refuses([&] { scheduler.submit(writes(var, none), [] {}); });
    refuses([&] { scheduler.submit(reads(var), writes(copy), [] {}); });
    refuses([&] { static_cast<void>(scheduler.launch(writes(none), [] {})); });
    refuses([&] { static_cast<void>(scheduler.capture([&] { scheduler.submit(writes(none), [] {}); })); });
    const auto step = scheduler.capture([&](Parameter<Var> given) { scheduler.submit(writes(given), [] {}); });
    refuses([&] { step.replay(none); });
    none = var;
    scheduler.submit(writes(none), [] {});
    scheduler.wait(none);
    CHECK(none.version() == 1);
  });
}

TEST_CASE("tasks that have been moved from, among others") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    CHECK_THROWS_WITH_AS(scheduler.wait(awaits_all(scheduler)), doctest::Contains("moved from"), OperationFailed);
    CHECK_THROWS_WITH_AS(scheduler.wait(awaits_first(scheduler)), doctest::Contains("moved from"), OperationFailed);
    CHECK_THROWS_AS(scheduler.wait(awaits_none(scheduler)), OperationFailed);
  });
}

TEST_CASE("an Op and a Step that have been moved from") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    Op op = nothing(scheduler), launched = scheduler.launch(reads(), [] {});
    const Op taken = std::move(op), other = std::move(launched);
    CHECK_THROWS_WITH_AS(scheduler.wait(op), doctest::Contains("moved from"), SchedulerError);
    CHECK_THROWS_WITH_AS(scheduler.wait(launched), doctest::Contains("moved from"), SchedulerError);
    scheduler.wait(taken);
    scheduler.wait(other);
    int runs = 0;
    auto step = scheduler.capture([&] { scheduler.submit(reads(), [&] { ++runs; }); });
    const auto kept = std::move(step);
    CHECK_THROWS_WITH_AS(step.replay(), doctest::Contains("moved from"), SchedulerError);
    CHECK(step.size() == 0);
    CHECK(step.graph().size() == 0);
    kept.replay();
    scheduler.wait_all();
    CHECK(runs == 1);
  });
}
