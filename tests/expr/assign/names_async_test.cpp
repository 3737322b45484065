#include <doctest/doctest.h>

#include <utility>
#include <vector>

import tessera;

// The meaning of `=` where assignments are ops: pending ones and recorded ones hold storage and are no names.

using namespace tessera;

TEST_CASE("an assignment that waits for its turn changes nothing that another name sees") {
  Scheduler scheduler;
  Array<float, 1> a = zeros<float>(1000), b = a;
  const auto e = a + 100;
  {
    const Async on(scheduler);
    a = a + 1;
    b = b + 2;
    a = a + b;
  }
  CHECK(a(0) == 3);
  CHECK(b(0) == 2);
  CHECK(Array<float, 1>(e)(7) == 100);
}

TEST_CASE("pending ops are no names: a name that is alone keeps its storage") {
  Scheduler scheduler;
  Array<float, 1> a = zeros<float>(1000);
  const Array<float, 1> x = ones<float>(1000);
  const float* const storage = a.data();
  Var gate;
  Completion open;
  scheduler.submit(writes(a.var()), [] {});
  {
    const Async on(scheduler);
    for (int i = 0; i < 100; ++i) a = a * 0.5f + x;
    CHECK(a.buffer()->names() == 1);
  }
  a.wait();
  CHECK(a.data() == storage);
  CHECK(a(0) > 1.9f);
  scheduler.wait_all();
  CHECK(a.buffer()->holds() == 0);
}

TEST_CASE("a name that shares its storage gets another one while ops are pending on the old") {
  Scheduler scheduler;
  std::vector<Array<float, 1>> history;
  Array<float, 1> x = zeros<float>(100);
  {
    const Async on(scheduler);
    for (int i = 0; i < 20; ++i) {
      x = x + 1;
      history.push_back(x);
    }
  }
  for (std::size_t i = 0; i < history.size(); ++i) CHECK(history[i](99) == static_cast<float>(i + 1));
}

TEST_CASE("an array that goes away before its op has run is kept by the op") {
  Scheduler scheduler;
  Array<float, 1> result = zeros<float>(10);
  {
    const Async on(scheduler);
    Array<float, 1> passing = ones<float>(10);
    passing = passing * 3;
    result = passing + 1;
  }
  CHECK(result(9) == 4);
}

TEST_CASE("recorded steps write a name's own storage, and other names made before keep theirs") {
  Scheduler scheduler;
  Array<float, 1> x = zeros<float>(10);
  const auto step = scheduler.capture([&] {
    const Async on(scheduler);
    x = x + 1;
  });
  const float* const storage = x.data();
  for (int i = 0; i < 3; ++i) step.replay();
  CHECK(x(0) == 3);
  CHECK(x.data() == storage);
  CHECK(x.buffer()->names() == 1);
}

TEST_CASE("a recorded step that would have to give a name new storage says what to write") {
  Scheduler scheduler;
  Array<float, 1> x = zeros<float>(10);
  const Array<float, 1> other = x;
  CHECK_THROWS_WITH_AS(scheduler.capture([&] {
    const Async on(scheduler);
    x = x + 1;
  }),
                       doctest::Contains("write the elements: a(ellipsis) = x"), SchedulerError);
  CHECK(x.buffer() == other.buffer());
  const auto step = scheduler.capture([&] {
    const Async on(scheduler);
    x(ellipsis) = x + 1;
  });
  step.replay();
  CHECK(other(0) == 1);
}

TEST_CASE("a replay would not change another name that has come since, and says so") {
  Scheduler scheduler;
  Array<float, 1> x = zeros<float>(10);
  const auto step = scheduler.capture([&] {
    const Async on(scheduler);
    x = x + 1;
  });
  step.replay();
  std::vector<Array<float, 1>> history{x};
  CHECK_THROWS_WITH_AS(step.replay(), doctest::Contains("history.push_back(copy(a))"), SchedulerError);
  CHECK(history[0](0) == 1);
  history[0] = copy(x);
  step.replay();
  CHECK(x(0) == 2);
  CHECK(history[0](0) == 1);
}

TEST_CASE("an argument of a replay is no name while the replay is pending") {
  Scheduler scheduler;
  Array<float, 1> total = zeros<float>(4);
  const auto step = scheduler.capture(
      [&](Parameter<Array<float, 1>> batch) {
        const Async on(scheduler);
        total = total + batch;
      },
      {}, Array<float, 1>(Dim{4}));
  Array<float, 1> batch = ones<float>(4);
  const float* const storage = batch.data();
  step.replay(batch);
  batch = batch * 2;
  step.replay(batch);
  CHECK(batch.data() == storage);
  CHECK(total(3) == 3);
}

TEST_CASE("a parameter is a window: its = writes the elements of the argument") {
  Scheduler scheduler;
  const auto step = scheduler.capture(
      [&](Parameter<Array<float, 1>> in, Parameter<Array<float, 1>> out) {
        const Async on(scheduler);
        out = in * 2;
      },
      {}, Array<float, 1>(Dim{3}), Array<float, 1>(Dim{3}));
  const Array<float, 1> in{1, 2, 3};
  Array<float, 1> out = zeros<float>(3), other = out;
  step.replay(in, out);
  CHECK(other(2) == 6);
}
