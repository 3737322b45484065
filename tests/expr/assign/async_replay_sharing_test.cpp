// What the replays of recorded assignments share with each other and with what is around them: arrays, order, lifetime.

#include <atomic>
#include <thread>

#include "replays.hpp"

using namespace replays;

namespace {

/// Holds up whoever evaluates it until it is let go.
struct Gate {
  static inline std::atomic<bool> is_open{true};
  static float map(float x) {
    while (!is_open.load()) std::this_thread::yield();
    return x;
  }
};

}  // namespace

TEST_CASE("one array may be given for two parameters, and may be in the recording, if it is only read") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    const Matrix shared = matrix({3, 3}, 5);
    Matrix out(Dim{3, 3});
    const auto step = scheduler.capture(
        [&](Parameter<Matrix> a, Parameter<Matrix> b) {
          const Async on{scheduler};
          out = a * b + shared;
        },
        shared, shared);
    step.replay(shared, shared);
    CHECK(elements(out) == elements(evaluate(shared * shared + shared)));
    step.replay(shared.T(), shared);
    CHECK(elements(out) == elements(evaluate(shared.T() * shared + shared)));
    const std::string written = message_of<SchedulerError>([&] { step.replay(out, shared); });
    CHECK_MESSAGE(contains(written, "is in the recording already, and one of the two is written"), written);
    const std::string overlapping =
        message_of<SchedulerError>([&] { step.replay(shared, out(range(0, 3), range(0, 3))); });
    CHECK_MESSAGE(contains(overlapping, "parameter 1: Var"), overlapping);
    CHECK(elements(out) == elements(evaluate(shared.T() * shared + shared)));
  }
}

TEST_CASE("an operand that overlaps the destination is read as it was, whatever the replay was given") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    std::vector<float> raw{1, 2, 3, 4, 5};
    const auto window = [&](std::ptrdiff_t first) {
      return Array<float, 1>(storage::BufferShare::make(memory::Allocation::borrow(raw.data() + first, 16, CpuPlace{})),
                             Layout<1>{.shape = Dim{4}, .strides = {1}}, CpuPlace{});
    };
    Array<float, 1> captured = window(0);
    const auto shift = scheduler.capture(
        [&](Parameter<Array<float, 1>> from) {
          const Async on{scheduler};
          captured(all) = from * 1;
        },
        captured);
    const auto step = scheduler.capture(
        [&](Parameter<Array<float, 1>> to, Parameter<Array<float, 1>> from) {
          const Async on{scheduler};
          to = from * 10;
        },
        captured, captured);
    const auto reverse = scheduler.capture(
        [&](Parameter<Matrix> square) {
          const Async on{scheduler};
          square = square.T() + 0;
          square += square.T();
        },
        Matrix(Dim{2, 2}));
    step.replay(window(1), window(0));
    scheduler.wait_all();
    CHECK(raw == std::vector<float>{1, 10, 20, 30, 40});
    step.replay(window(0), window(1));
    scheduler.wait_all();
    CHECK(raw == std::vector<float>{100, 200, 300, 400, 40});
    shift.replay(window(1));
    scheduler.wait_all();
    CHECK(raw == std::vector<float>{200, 300, 400, 40, 40});
    const Matrix square = reshape(make_array(std::vector{1.f, 2.f, 3.f, 4.f}), Dim{2, 2});
    reverse.replay(square);
    CHECK(elements(square) == std::vector<float>{2, 5, 5, 8});
  }
}

TEST_CASE("the next replay waits its turn, and arrays may be given up after replay()") {
  Scheduler scheduler({.workers = 2});
  using Vector = Array<float, 1>;
  Vector sum = zeros<float>(Dim{4});
  const auto step = scheduler.capture(
      [&](Parameter<Vector> in, Parameter<float> scale) {
        const Async on{scheduler};
        sum += F<Gate>(in) * scale;
      },
      sum);
  Gate::is_open = false;
  for (int i = 1; i <= 8; ++i) {
    Vector in = full(Dim{4}, static_cast<float>(i));
    step.replay(in, static_cast<float>(i % 2));
    in = Vector();
  }
  CHECK(sum.data()[0] == 0.0f);
  Gate::is_open = true;
  CHECK(elements(sum) == std::vector<float>(4, 1 + 3 + 5 + 7));
}

TEST_CASE("a step lives on without its parameters' examples, and lets go of arguments") {
  Scheduler scheduler({.workers = 1});
  using Vector = Array<float, 1>;
  Vector out(Dim{4}), example = ones<float>(Dim{4});
  {
    const auto step = scheduler.capture(
        [&](Parameter<Vector> in, Parameter<Vector> to) {
          const Async on{scheduler};
          out = in + 1;
          to = in.T() - 1;
        },
        example, example);
    CHECK(example.buffer()->names() == 1);
    CHECK(example.buffer()->holds() == 0);
    Vector in = ones<float>(Dim{4}), to(Dim{4});
    step.replay(in, to);
    scheduler.wait_all();
    CHECK(in.buffer()->names() + in.buffer()->holds() == 1);
    CHECK(to.buffer()->names() + to.buffer()->holds() == 1);
    CHECK(to[{3}] == 0.0f);
  }
  CHECK(elements(out) == std::vector<float>(4, 2.0f));
}

TEST_CASE("arguments of a replay wait for what is pending on them, and are waited for") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    Vector a = ones<float>(Dim{5}), b(Dim{5}), c;
    const auto step = scheduler.capture(
        [&](Parameter<Vector> from, Parameter<Vector> to) {
          const Async on{scheduler};
          to = from * 2;
        },
        a, b);
    {
      const Async on{scheduler};
      a = a + 1;
      step.replay(a, b);
      a = a * 100;
      c = b + 1;
    }
    CHECK(elements(b) == std::vector<float>(5, 4.0f));
    CHECK(elements(c) == std::vector<float>(5, 5.0f));
    CHECK(elements(a) == std::vector<float>(5, 200.0f));
    Vector fresh(Dim{5});  // that no op has named before
    step.replay(a, fresh);
    CHECK(elements(fresh) == std::vector<float>(5, 400.0f));
  }
}

TEST_CASE("ops written by hand and assignments share parameters") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    Vector out(Dim{3});
    const auto step = scheduler.capture(
        [&](Parameter<Vector> in, Parameter<float> scale) {
          scheduler.submit(writes(in), [in, scale] {
            auto array = in.value();
            array[{0}] = 7;
            in += in * scale;  // at once: the op has its value
          });
          const Async on{scheduler};
          out = in * scale;
        },
        out);
    Vector in = ones<float>(Dim{3});
    step.replay(in, 0.5f);
    CHECK(elements(out) == std::vector<float>{5.25f, 0.75f, 0.75f});
    CHECK(elements(in) == std::vector<float>{10.5f, 1.5f, 1.5f});
  }
}

TEST_CASE("a scheduler's names and graph of a step show expressions of parameters") {
  Scheduler scheduler({.workers = 1});
  Matrix w = ones<float>(Dim{3, 3});
  std::string explained;
  const auto step = scheduler.capture(
      [&](Parameter<Matrix> in, Parameter<float> rate) {
        explained = explain(relu(matmul(in, w)) * rate + in.T());
        const Async on{scheduler};
        w -= rate * in;
        in = in.T() + w;
      },
      w);
  CHECK(step.size() == 2);
  CHECK_MESSAGE(contains(explained, "given by each replay"), explained);
  CHECK_MESSAGE(contains(explained, "(3, 3)"), explained);
  const std::string dot = step.graph().to_dot();
  CHECK_MESSAGE(contains(dot, "a - (s * b)"), dot);
  CHECK_MESSAGE(contains(dot, "a + b"), dot);
}

TEST_CASE("the graph of a step writes % as a sign, and remainder as the function that it is") {
  Scheduler scheduler({.workers = 1});
  Array<int, 2> w = ones<int>(Dim{3, 3});
  const auto step = scheduler.capture(
      [&](Parameter<Array<int, 2>> in) {
        const Async on{scheduler};
        w -= in % w;
        w -= remainder(in, w);
      },
      w);
  const std::string dot = step.graph().to_dot();
  CHECK_MESSAGE(contains(dot, " % "), dot);
  CHECK_MESSAGE(contains(dot, "remainder("), dot);
  CHECK_FALSE(contains(dot, "modulo("));
}
