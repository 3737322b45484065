#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

import tessera;

using namespace tessera;

// Asynchronous arrays: the same statements give the same elements, and reading waits.
namespace {

std::vector<SchedulerOptions> executors() {
  return {{.executor = Inline{}},
          {.executor = Permuting{.seed = 1}},
          {.executor = Permuting{.seed = 2}},
          {.workers = 1},
          {.workers = 2},
          {.workers = 4}};
}

/// Holds up whoever evaluates it until it is let go.
struct Gate {
  static inline std::atomic<bool> is_open{true};
  static float map(float x) {
    while (!is_open.load()) std::this_thread::yield();
    return x;
  }
};

struct Failing {
  static float map(float x) {
    if (x > 2) throw std::runtime_error("element above 2");
    return x;
  }
};

template <class A>
std::vector<float> elements(const A& array) {
  return {array.begin(), array.end()};
}

}  // namespace

TEST_CASE("assignments in a scope give what they give outside") {
  for (const SchedulerOptions& options : executors()) {
    Array<float, 1> a = ones<float>(Dim{100}), b = zeros<float>(Dim{100}), c, d;
    Scheduler scheduler(options);
    // --8<-- [start:scope]
    {
      const Async on{scheduler};
      b = a + 1;  // submitted
      c = b * b;  // after b
      d = a - 1;  // beside them
      a = c + d;  // after c and d, and after the ops that read a
    }
    float first = a[{0}];  // waits
    // --8<-- [end:scope]
    CHECK(first == 4.0f);
    CHECK(elements(c) == std::vector<float>(100, 4.0f));
    CHECK(elements(d) == std::vector<float>(100, 0.0f));
    CHECK(elements(b) == std::vector<float>(100, 2.0f));
  }
}

TEST_CASE("a scope returns before the work is done, and access waits for it") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = ones<float>(Dim{4}), b = zeros<float>(Dim{4});
  Gate::is_open = false;
  {
    const Async on{scheduler};
    b = F<Gate>(a) * 3;
  }
  CHECK(b.data()[0] == 0.0f);  // data() does not wait
  std::thread opener([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Gate::is_open = true;
  });
  std::ostringstream printed;
  printed << b;
  opener.join();
  CHECK(printed.str() == "[3. 3. 3. 3.]");
}

TEST_CASE("what is read is as it was at the assignment") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = ones<float>(Dim{4}), b;
  float factor = 2;
  Gate::is_open = false;
  {
    const Async on{scheduler};
    b = F<Gate>(a) * factor;
    factor = 5;             // scalars were copied
    a = a + 10;             // waits until b has been computed
    a = Array<float, 1>();  // the storage stays as long as it is needed
  }
  Gate::is_open = true;
  CHECK(elements(b) == std::vector<float>(4, 2.0f));
}

TEST_CASE("a synchronous assignment waits for the pending ones that it needs") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = ones<float>(Dim{4}), b = zeros<float>(Dim{4});
  Gate::is_open = false;
  {
    const Async on{scheduler};
    b = F<Gate>(a) * 3;
  }
  std::thread opener([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Gate::is_open = true;
  });
  const Array<float, 1> c = b + 1;
  opener.join();
  CHECK(elements(c) == std::vector<float>(4, 4.0f));
  CHECK(elements(b.clone()) == std::vector<float>(4, 3.0f));
}

TEST_CASE("a failure surfaces at the next access and names the expression") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Array<float, 1> a = make_array(std::vector{1.f, 2.f, 3.f}), b = zeros<float>(Dim{3}), c = zeros<float>(Dim{3});
    {
      const Async on{scheduler};
      b = F<Failing>(a) + 1;
      c = b * 2;  // skipped
    }
    for (const auto* array : {&b, &c, &b}) {
      try {
        static_cast<void>((*array)[{0}]);
        FAIL("no exception");
      } catch (const OperationFailed& failed) {
        const std::string message = failed.what();
        INFO(message);
        CHECK(message.find("failing(a) + s") != std::string::npos);
        CHECK(message.find("async_test.cpp") != std::string::npos);
        CHECK(message.find("element above 2") != std::string::npos);
        CHECK_THROWS_AS(failed.rethrow_cause(), std::runtime_error);
      }
    }
    CHECK_THROWS_AS(b(range(0, 2)) = 1, OperationFailed);  // not all of it is rewritten
    b = 7;                                                 // rewritten: nothing is wrong with it any more
    CHECK(elements(b) == std::vector<float>(3, 7.0f));
  }
}

TEST_CASE("shapes and places are checked at the assignment") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> a = ones<float>(Dim{4}), b = ones<float>(Dim{3});
  const Async on{scheduler};
  CHECK_THROWS_AS(a = a + b, ShapeError);
  CHECK_THROWS_AS(assign(b, a), ShapeError);
}

TEST_CASE("reductions, products, views and compound assignments are asynchronous too") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Array<float, 2> x = ones<float>(Dim{6, 5}), w = ones<float>(Dim{5, 3}), y, n;
    Array<float, 1> s;
    {
      const Async on{scheduler};
      y = relu(dot(x, w) + 1);
      s = sum<0>(y);
      y += 1;
      y(0, all) = 0;
      n = softmax<1>(y);
    }
    CHECK(elements(s) == std::vector<float>(3, 36.0f));
    CHECK(y[{0, 1}] == 0.0f);
    CHECK(y[{1, 1}] == 7.0f);
    CHECK(n[{0, 0}] == doctest::Approx(1.0 / 3));
  }
}

TEST_CASE("a view among the operands makes an assignment synchronous, after what its arrays wait for") {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = ones<float>(Dim{4}), b = zeros<float>(Dim{4}), c = zeros<float>(Dim{4});
  std::vector<float> raw{1, 2, 3, 4};
  const Async on{scheduler};
  b = a + 1;
  c = b + make_view(raw.data(), Dim{4});
  CHECK(std::vector<float>(c.data(), c.data() + 4) == std::vector<float>{3, 4, 5, 6});
  make_view(raw.data(), Dim{4}) = c * 2;
  CHECK(raw == std::vector<float>{6, 8, 10, 12});
}

TEST_CASE("an op may name an array's Var and use its elements") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Array<float, 1> a = zeros<float>(Dim{4});
    // --8<-- [start:by_hand]
    {
      const Async on{scheduler};
      a = a + 1;
    }
    scheduler.submit(writes(a.var()), [a]() mutable { a[{0}] *= 10; }, {.name = "scale one"});
    // --8<-- [end:by_hand]
    scheduler.wait(a.var());
    CHECK(elements(a) == std::vector<float>{10, 1, 1, 1});
    Array<float, 1> other = zeros<float>(Dim{4});
    scheduler.stop();
    {
      const Async on{scheduler};
      other = other + 1;
    }
    scheduler.submit(reads(), writes(a.var()), [other] { static_cast<void>(other[{0}]); });
    scheduler.start();
    scheduler.wait_all();
  }
}

TEST_CASE("names of expressions") {
  Scheduler scheduler({.workers = 1});
  Array<float, 2> a = ones<float>(Dim{2, 2}), b = ones<float>(Dim{2, 2}), c = zeros<float>(Dim{2, 2});
  const Trace trace(scheduler);
  {
    const Async on{scheduler};
    c = -0.5f * (a + 2.0f * b);
    c = relu(dot(a.T(), b) + 1);
    c = where(a > 0, a, b);
    c = softmax<1>(a);
  }
  scheduler.wait_all();
  std::string names;
  for (const OpRecord& record : trace.records()) names += record.name + "; ";
  CHECK(names == "s * (a + (s * b)); relu(dot(a, b) + s); where(a > s, b, c); softmax(a); ");
}

TEST_CASE("a recorded step of assignments can be replayed") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Array<float, 1> w = ones<float>(Dim{8}), g = zeros<float>(Dim{8});
    const auto step = scheduler.capture([&] {
      const Async on{scheduler};
      g = w * 2;
      w = w + g;
    });
    CHECK(elements(w) == std::vector<float>(8, 1.0f));
    for (int i = 0; i < 3; ++i) step.replay();
    CHECK(elements(w) == std::vector<float>(8, 27.0f));
  }
}

TEST_CASE("scopes nest, and threads have their own") {
  Scheduler first({.workers = 1}), second({.workers = 1});
  Array<float, 1> a = ones<float>(Dim{8}), b = zeros<float>(Dim{8}), c = zeros<float>(Dim{8});
  {
    const Async outer{first};
    b = a + 1;
    {
      const Async inner{second};
      c = b * 2;
    }
    b = c + 1;
    std::thread([&] { CHECK(elements(b) == std::vector<float>(8, 5.0f)); }).join();
  }
  CHECK(elements(c) == std::vector<float>(8, 4.0f));
}
