// Tests of tasks: values, exceptions, when_all and when_any.
#include "executors.hpp"

using namespace support;

namespace {

Task<int> doubled(int value) { co_return 2 * value; }

Task<int> fails(std::string why) {
  co_await yield();
  throw std::runtime_error(why);
}

Task<> adds(std::atomic<int>& sum, int value) {
  co_await yield();
  sum += value;
}

Task<std::unique_ptr<int>> only_moves() { co_return std::make_unique<int>(5); }

Task<long> sum_to(int n) {
  if (n == 0) co_return 0;
  const long rest = co_await sum_to(n - 1);
  co_return rest + n;
}

Task<int> fib(int n) {
  if (n < 2) co_return n;
  const auto [a, b] = co_await when_all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

Task<int> after(Completion completion, int value) {
  co_await completion;
  co_return value;
}

/// Runs a task in an op and returns what it returns or throws.
template <class T>
Op run_in_op(Scheduler&, Var done, Task<T> task, T& result, std::string& message) {
  co_await access(writes(done));
  try {
    result = co_await std::move(task);
  } catch (const std::exception& error) {
    message = error.what();
  }
}

// --8<-- [start:when_all]
Op add_both(Scheduler&, Var done, int& result) {
  co_await access(writes(done));
  const auto [a, b] = co_await when_all(doubled(20), doubled(1));  // beside each other, if there are workers
  result = a + b;
}
// --8<-- [end:when_all]

// --8<-- [start:when_any]
Op ask_both(Scheduler&, Var done, Completion near, Completion far, std::string& answer) {
  co_await access(writes(done));
  std::vector<Task<int>> tasks;
  tasks.push_back(after(near, 10));  // 10, when `near` is signalled
  tasks.push_back(after(far, 20));
  const First<int> first = co_await when_any(std::move(tasks));
  answer = "task " + std::to_string(first.index) + " said " + std::to_string(first.value);
}
// --8<-- [end:when_any]

}  // namespace

TEST_CASE("when_all returns the values of its tasks") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    int result = 0;
    static_cast<void>(add_both(scheduler, done, result));
    scheduler.wait(done);
    CHECK(result == 42);
  });
}

TEST_CASE("tasks await tasks, ten thousand deep") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    long result = 0;
    std::string message;
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    constexpr int depth = 500;  // sanitizers keep symmetric transfer from being a jump
#else
    constexpr int depth = 10000;
#endif
#endif
    static_cast<void>(run_in_op<long>(scheduler, done, sum_to(depth), result, message));
    scheduler.wait(done);
    CHECK(result == depth * (depth + 1L) / 2);
  });
}

TEST_CASE("tasks of moved values, of nothing, and in a vector") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    std::atomic<int> sum{0};
    int five = 0;
    const auto body = [](Scheduler&, Var v, std::atomic<int>& total, int& value) -> Op {
      co_await access(writes(v));
      value = *co_await only_moves();
      std::vector<Task<>> tasks;
      for (int i = 1; i <= 10; ++i) tasks.push_back(adds(total, i));
      const auto nothing = co_await when_all(std::move(tasks));
      total += static_cast<int>(nothing.size());
      const auto [first, second] = co_await when_all(adds(total, 100), doubled(500));
      total += second;
      static_cast<void>(first);
    };
    static_cast<void>(body(scheduler, done, sum, five));
    scheduler.wait(done);
    CHECK(five == 5);
    CHECK(sum == 55 + 10 + 100 + 1000);
  });
}

TEST_CASE("when_all rethrows the exception of the first task in its order, after all have ended, and only there") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    std::atomic<int> ended{0};
    std::string message;
    const auto body = [](Scheduler&, Var v, std::atomic<int>& count, std::string& text) -> Op {
      co_await access(writes(v));
      try {
        co_await when_all(adds(count, 1), fails("one"), fails("two"), adds(count, 1));
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      count += 10;
    };
    for (int i = 0; i < 20; ++i) {
      message.clear();
      ended = 0;
      static_cast<void>(body(scheduler, done, ended, message));
      scheduler.wait(done);
      CHECK(message == "one");
      CHECK(ended == 12);
      scheduler.wait_all();  // nothing of it is left to tell
    }
  });
}

TEST_CASE("fib by when_all") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    int result = 0;
    std::string message;
    static_cast<void>(run_in_op<int>(scheduler, done, fib(12), result, message));
    scheduler.wait(done);
    CHECK(message == "");
    CHECK(result == 144);
  });
}

TEST_CASE("when_any returns the first value, asks the others to stop, and they end before the op does") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    const Completion fast;
    const Completion slow;
    std::stop_source stop;
    std::size_t index = 9;
    int value = 0;
    bool returned = false;
    const auto body = [](Scheduler&, Var v, Completion a, Completion b, std::stop_source source, std::size_t& at,
                         int& result, bool& over) -> Op {
      co_await access(writes(v));
      std::vector<Task<int>> tasks;
      tasks.push_back(after(b, 1));
      tasks.push_back(after(a, 2));
      const auto first = co_await when_any(source, std::move(tasks));
      at = first.index;
      result = first.value;
      over = true;
    };
    static_cast<void>(body(scheduler, done, fast, slow, stop, index, value, returned));
    fast.signal();
    for (int wait = 0; wait < 1000 && !stop.stop_requested(); ++wait) {
      CHECK_THROWS_AS(scheduler.wait_for(done, 20ms), DeadlineExceeded);
    }
    CHECK(stop.stop_requested());
    slow.signal();
    scheduler.wait(done);
    CHECK(returned);
    CHECK(index == 1);
    CHECK(value == 2);
  });
}

TEST_CASE("the first task says which it was and what it returned") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    const Completion near;
    const Completion far;
    std::string answer;
    far.signal();
    static_cast<void>(ask_both(scheduler, done, near, far, answer));
    CHECK_THROWS_AS(scheduler.wait_for(done, 250ms), DeadlineExceeded);  // long enough for a busy machine to begin
    near.signal();
    scheduler.wait(done);
    CHECK(answer == "task 1 said 20");
  });
}

TEST_CASE("when_any rethrows what the first task threw, and refuses no tasks") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    std::string message;
    std::string empty;
    const Completion never_first;
    const auto body = [](Scheduler&, Var v, Completion last, std::string& text, std::string& none) -> Op {
      co_await access(writes(v));
      try {
        static_cast<void>(co_await when_any(std::vector<Task<int>>()));
      } catch (const SchedulerError& error) {
        none = error.what();
      }
      std::vector<Task<int>> tasks;
      tasks.push_back(after(last, 1));
      tasks.push_back(fails("broken"));
      try {
        static_cast<void>(co_await when_any(std::move(tasks)));
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      last.signal();
    };
    static_cast<void>(body(scheduler, done, never_first, message, empty));
    scheduler.wait(done);
    CHECK(message == "broken");
    CHECK(contains(empty, "no task"));
  });
}

TEST_CASE("tasks of an op that has begun run to their end when the scheduler cancels what is pending") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var done;
    const Completion begun;
    const Completion go;
    int result = 0;
    const auto body = [](Scheduler&, Var v, Completion started, Completion release, int& value) -> Op {
      co_await access(writes(v));
      started.signal();
      co_await release;
      std::vector<Task<int>> tasks;
      tasks.push_back(doubled(3));
      value = (co_await when_any(std::move(tasks))).value;
      const auto [a, b] = co_await when_all(doubled(1), doubled(2));
      value += a + b;
    };
    static_cast<void>(body(scheduler, done, begun, go, result));
    try {
      scheduler.wait_for(done, 10ms);
    } catch (const DeadlineExceeded&) {
    }
    REQUIRE(eventually([&] { return begun.is_complete(); }));
    std::thread signaller([&] {
      std::this_thread::sleep_for(5ms);
      go.signal();
    });
    scheduler.shutdown(Shutdown::cancel);
    signaller.join();
    CHECK(result == 12);
  });
}
