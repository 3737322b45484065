// Recorded assignments whose arrays and scalars change from one replay to the next: what the same statements give outside of a recording.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import tessera;

using namespace tessera;

namespace {

using Matrix = Array<float, 2>;

std::vector<SchedulerOptions> executors() {
  std::vector<SchedulerOptions> all{{.executor = Inline{}}, {.workers = 1}, {.workers = 2}, {.workers = 4}};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) all.push_back({.executor = Permuting{.seed = seed}});
  return all;
}

template <class A>
std::vector<typename A::value_type> elements(const A& array) {
  return {array.begin(), array.end()};
}

template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Matrix matrix(const Dim<2>& shape, unsigned seed) {
  Matrix made(shape);
  std::uint32_t state = seed * 2654435761u + 1;
  for (float& element : made) {
    state = state * 1664525u + 1013904223u;
    element = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  return made;
}

/// A network of two layers with its gradients, as in the digits example.
struct Network {
  Matrix w1 = matrix({12, 8}, 1), w2 = matrix({8, 4}, 2), hidden = Matrix(Dim{6, 8}), scores = Matrix(Dim{6, 4}),
         delta = Matrix(Dim{6, 8}), g1 = Matrix(Dim{12, 8}), g2 = Matrix(Dim{8, 4});
  Array<float, 1> b1 = zeros<float>(Dim{8}), b2 = zeros<float>(Dim{4});

  /// One step of descent; Batch, Labels and Rate are arrays and a number, or parameters of them.
  void step(const auto& batch, const auto& labels, const auto& rate) {
    hidden = relu(matmul(batch, w1) + b1);
    scores = softmax<1>(matmul(hidden, w2) + b2) - labels;
    g2 = matmul(hidden.T(), scores);
    delta = where(hidden > 0, matmul(scores, w2.T()), 0.0f);
    g1 = matmul(batch.T(), delta);
    b1 -= rate * sum<0>(delta);
    b2 -= rate * sum<0>(scores);
    w2 -= rate * (g2 + 0.01f * w2);
    w1 -= rate * (g1 + 0.01f * w1);
  }

  std::vector<float> weights() const {
    std::vector<float> all = elements(w1);
    for (const std::vector<float>& more : {elements(w2), elements(b1), elements(b2)})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

template <class T>
concept Negatable = requires(const T& x) { -x; };

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

}  // namespace

TEST_CASE("a training step replayed with other batches and rates gives what it gives at once, to the last bit") {
  constexpr int steps = 7;
  Network expected;
  for (unsigned i = 0; i < steps; ++i)
    expected.step(matrix({6, 12}, 10 + i), matrix({6, 4}, 50 + i), 0.1f / static_cast<float>(i + 1));
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Network network;
    const auto step = scheduler.capture(
        [&](Parameter<Matrix> batch, Parameter<Matrix> labels, Parameter<float> rate) {
          const Async on{scheduler};
          network.step(batch, labels, rate);
        },
        Matrix(Dim{6, 12}), Matrix(Dim{6, 4}));
    for (unsigned i = 0; i < steps; ++i)
      step.replay(matrix({6, 12}, 10 + i), matrix({6, 4}, 50 + i), 0.1f / static_cast<float>(i + 1));
    CHECK(network.weights() == expected.weights());
  }
}

TEST_CASE("arrays and scalars of a recorded assignment are those of the replay") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    // --8<-- [start:rebind]
    Array<float, 1> weights = ones<float>(Dim{3}), first = ones<float>(Dim{3}), second = full(Dim{3}, 2.0f), norm;
    const auto step = scheduler.capture(
        [&](Parameter<Array<float, 1>> gradient, Parameter<float> rate, Parameter<Array<float, 1>> out) {
          const Async on{scheduler};
          weights -= rate * gradient;
          out = weights * 2 + 1;
        },
        first, 0.1f, first);  // examples: nothing is computed from them
    Array<float, 1> a(Dim{3}), b(Dim{3});
    step.replay(first, 0.5f, a);
    step.replay(second, 0.25f, b);
    float last = b[{0}];  // waits, as ever
    // --8<-- [end:rebind]
    CHECK(last == 1.0f);
    CHECK(elements(a) == std::vector<float>(3, 2.0f));
    CHECK(elements(weights) == std::vector<float>(3, 0.0f));
    CHECK(elements(first) == std::vector<float>(3, 1.0f));
  }
}

TEST_CASE("a parameter is written as an array is: broadcast, compound, by index and transposed") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    const auto step = scheduler.capture(
        [&](Parameter<Matrix> out, Parameter<Matrix> in, Parameter<double> scale) {
          const Async on{scheduler};
          out = scale;
          out += in;
          out(0, all) = in(1, all) * 10;
          out(1, all) = in(0, all);
          out.T()(0, all) -= scale;
          out(range(0, 2), range(1, 3)) *= 2;
        },
        Matrix(Dim{2, 3}), Matrix(Dim{2, 3}));
    for (int i = 0; i < 3; ++i) {
      Matrix in = matrix({2, 3}, static_cast<unsigned>(i)), out(Dim{2, 3}), expected(Dim{2, 3});
      step.replay(out, in, i);
      expected(0, all) = in(1, all) * 10;
      expected(1, all) = in(0, all);
      expected.T()(0, all) -= i;
      expected(range(0, 2), range(1, 3)) *= 2;
      CHECK(elements(out) == elements(expected));
    }
  }
}

TEST_CASE("parameters stand in every kind of expression") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    Matrix product, centred, joined, clipped;
    Array<float, 1> sums, rows;
    Array<double, 2> widened;
    Array<bool, 2> above;
    Array<float, 0> total;
    const auto step = scheduler.capture(
        [&](Parameter<Matrix> x, Parameter<float> low, Parameter<double> high) {
          const Async on{scheduler};
          product = matmul(x.T(), x) * high;
          centred = x - mean<1>(x, keepdims);
          joined = concat<0>(x, x(range(0, 1), all));
          clipped = where(x < low, low, where(x > high, high, x));
          sums = sum<0>(exp(x) * low);
          rows = norm<1>(x);
          widened = cast<double>(x) / high;
          above = x > low;
          total = sum(x) + low;
        },
        Matrix(Dim{5, 4}));
    for (unsigned i = 0; i < 3; ++i) {
      const Matrix x = matrix({5, 4}, 30 + i);
      const float low = -0.25f * static_cast<float>(i);
      const double high = 0.3 + i;
      step.replay(x, low, high);
      CHECK(elements(product) == elements(evaluate(matmul(x.T(), x) * high)));
      CHECK(elements(centred) == elements(evaluate(x - mean<1>(x, keepdims))));
      CHECK(elements(joined) == elements(evaluate(concat<0>(x, x(range(0, 1), all)))));
      CHECK(elements(clipped) == elements(evaluate(where(x < low, low, where(x > high, high, x)))));
      CHECK(elements(sums) == elements(evaluate(sum<0>(exp(x) * low))));
      CHECK(elements(rows) == elements(evaluate(norm<1>(x))));
      CHECK(elements(widened) == elements(evaluate(cast<double>(x) / high)));
      CHECK(elements(above) == elements(evaluate(x > low)));
      CHECK(float(total[{}]) == float(evaluate(sum(x) + low)[{}]));
    }
  }
}

TEST_CASE("a scalar parameter is as weak as a number of its type") {
  Scheduler scheduler({.workers = 2});
  const Array<float, 1> f = ones<float>(Dim{2});
  const Array<std::uint8_t, 1> u = full(Dim{2}, std::uint8_t{200});
  const Array<std::int64_t, 1> i = full(Dim{2}, std::int64_t{3});
  static_assert(std::same_as<value_of<decltype(f * std::declval<Parameter<double>&>())>, float>);
  static_assert(std::same_as<value_of<decltype(u + std::declval<Parameter<int>&>())>, std::uint8_t>);
  static_assert(std::same_as<value_of<decltype(i + std::declval<Parameter<int>&>())>, std::int64_t>);
  static_assert(
      std::same_as<value_of<decltype(f + std::declval<Parameter<float16>&>())>, value_of<decltype(f + float16(1.0f))>>);
  Array<std::uint8_t, 1> wrapped, chosen, shifted;
  Array<bool, 1> below, unequal;
  const auto step = scheduler.capture([&](Parameter<int> n, Parameter<int> bits) {
    const Async on{scheduler};
    wrapped = u + n;
    below = u < n;
    unequal = n != u;
    shifted = bitwise_left_shift(u, bits);
    chosen = where(u > 100, n, u);
  });
  step.replay(100, 1);
  CHECK(elements(wrapped) == std::vector<std::uint8_t>(2, 44));
  CHECK(elements(below) == std::vector<bool>(2, false));
  CHECK(elements(unequal) == std::vector<bool>(2, true));
  CHECK(elements(shifted) == std::vector<std::uint8_t>(2, 144));
  CHECK(elements(chosen) == std::vector<std::uint8_t>(2, 100));
  step.replay(300, 1000);
  CHECK(elements(wrapped) == std::vector<std::uint8_t>(2, static_cast<std::uint8_t>(500)));
  CHECK(elements(below) == std::vector<bool>(2, true));
  CHECK(elements(unequal) == std::vector<bool>(2, true));
  CHECK(elements(shifted) == std::vector<std::uint8_t>(2, 0));
  const std::string message = message_of<OperationFailed>([&] { static_cast<void>(elements(chosen)); });
  CHECK_MESSAGE(contains(message, "the scalar 300 does not fit in uint8"), message);
}

TEST_CASE("what C++ computes from scalar parameters is a scalar of each replay") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    const Array<float, 1> g = full(Dim{2}, 0.3f);
    Array<float, 1> w = ones<float>(Dim{2}), expected = ones<float>(Dim{2}), ratio;
    const auto step = scheduler.capture([&](Parameter<float> rate, Parameter<int> epoch) {
      const Async on{scheduler};
      w = w * (1 - rate * 0.5f) + -rate * g / (epoch + 1);
      ratio = rate / epoch - epoch;
    });
    for (int epoch = 1; epoch < 4; ++epoch) {
      const float rate = 0.1f * static_cast<float>(epoch);
      step.replay(rate, epoch);
      expected = expected * (1 - rate * 0.5f) + -rate * g / (epoch + 1);
      CHECK(elements(w) == elements(expected));
      CHECK(ratio[{0}] == rate / static_cast<float>(epoch) - static_cast<float>(epoch));
    }
    static_assert(std::same_as<scalar_of<decltype(-std::declval<Parameter<float>&>())>, float>);
    static_assert(std::same_as<scalar_of<decltype(std::declval<Parameter<int>&>() * 2.0)>, double>);
    static_assert(!Negatable<Parameter<std::string>>);
  }
}

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
    const auto window = [&](std::ptrdiff_t first) { return borrow(raw.data() + first, Dim{4}, Place(CpuPlace{})); };
    Array<float, 1> captured = window(0);
    const auto shift = scheduler.capture(
        [&](Parameter<Array<float, 1>> from) {
          const Async on{scheduler};
          captured = from * 1;
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

TEST_CASE("a replay refuses arrays that the recording was not made for, and nothing has run then") {
  Scheduler scheduler({.workers = 2});
  Matrix out = zeros<float>(Dim{2, 3});
  int ran = 0;
  const auto step = scheduler.capture(
      [&](Parameter<Matrix> in, Parameter<Matrix> to) {
        const Async on{scheduler};
        scheduler.submit(writes(out.var()), [&] { ++ran; });
        out = in + 1;
        to = copy(in);
      },
      {.name = "step"}, out, out);
  const Matrix good = ones<float>(Dim{2, 3});
  const Matrix wide = ones<float>(Dim{2, 4});
  const std::string shape = message_of<ShapeError>([&] { step.replay(wide, good); });
  CHECK_MESSAGE(contains(shape, "replay of 'step': parameter 0 has the shape (2, 4)"), shape);
  CHECK_MESSAGE(contains(shape, "recorded for (2, 3)"), shape);
  CHECK_MESSAGE(contains(shape, "async_replay_test.cpp"), shape);
  CHECK_THROWS_AS(step.replay(good, Matrix(Dim{2, 1})), ShapeError);
  std::vector<float> pinned(6);
  const Matrix elsewhere = borrow(pinned.data(), Dim{2, 3}, Place(PinnedPlace{}));
  const std::string place = message_of<PlaceError>([&] { step.replay(elsewhere, good); });
  CHECK_MESSAGE(contains(place, "parameter 0 is on pinned, and its expressions were recorded for cpu"), place);
  Matrix moved = ones<float>(Dim{2, 3});
  const Matrix taken = std::move(moved);
  const std::string empty = message_of<ShapeError>([&] { step.replay(good, moved); });
  CHECK_MESSAGE(contains(empty, "parameter 1 is an array without storage"), empty);
  scheduler.wait_all();
  CHECK(ran == 0);
  CHECK(elements(out) == std::vector<float>(6, 0.0f));
  step.replay(good.clone(), good);
  CHECK(elements(out) == std::vector<float>(6, 2.0f));
  CHECK(ran == 1);
}

TEST_CASE("shapes are checked while the step is recorded") {
  Scheduler scheduler({.workers = 1});
  Matrix out(Dim{2, 3});
  const Matrix square(Dim{3, 3});
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> in) {
                        const Async on{scheduler};
                        out = matmul(in, out);
                      },
                      square(range(0, 2), all)),
                  ShapeError);
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> to) {
                        const Async on{scheduler};
                        to = out + 1;
                      },
                      square),
                  ShapeError);
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> to) {
                        const Async on{scheduler};
                        out = to(5, all);
                      },
                      square),
                  IndexError);
}

TEST_CASE("what cannot be done with a parameter while its step is recorded is told") {
  Scheduler scheduler({.workers = 1}), other({.workers = 1});
  Array<float, 1> out = ones<float>(Dim{3}), example = ones<float>(Dim{3});
  using Vector = Array<float, 1>;
  const auto said = [&](const auto& body) {
    return message_of<SchedulerError>(
        [&] { scheduler.capture([&](Parameter<Vector> in, Parameter<float> s) { body(in, s); }, example); });
  };
  const auto check = [](const std::string& message, const std::string& part) {
    CHECK_MESSAGE(contains(message, part), message);
  };
  check(said([&](auto in, auto) { static_cast<void>(in.value()[{0}]); }), "has no value while its capture is recorded");
  check(said([&](auto, auto s) { static_cast<void>(s.value()); }), "has no value while its capture is recorded");
  check(said([&](auto in, auto) { out = in + 1; }), "assign within an Async scope");
  check(said([&](auto, auto s) { out = out * s; }), "assign within an Async scope");
  check(said([&](auto in, auto) { in = out + 1; }), "cannot be computed now");
  check(said([&](auto in, auto) { static_cast<void>(evaluate(sum(in))); }), "assign within an Async scope");
  check(said([&](auto in, auto) {
          const Async on{other};
          out = in + 1;
        }),
        "another scheduler");
  check(said([&](auto in, auto) {
          const Async on{scheduler};
          out = in + make_view(example);
        }),
        "assign within an Async scope");
  check(message_of<SchedulerError>([&] {
          scheduler.capture([&](Parameter<Vector> in) {
            const Async on{scheduler};
            out = in + 1;
          });
        }),
        "give capture() an example of each array behind the body");
  CHECK(elements(out) == std::vector<float>(3, 1.0f));
}

TEST_CASE("a parameter means nothing outside of its recording") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> out = ones<float>(Dim{3});
  std::vector<Parameter<float>> kept;
  std::vector<Parameter<Array<float, 1>>> arrays;
  const auto step = scheduler.capture(
      [&](Parameter<float> s, Parameter<Array<float, 1>> a) {
        kept.push_back(s);
        arrays.push_back(a);
        const Async on{scheduler};
        out = a * s;
      },
      1.0f, out);
  const Async on{scheduler};
  CHECK_THROWS_AS(out = out * kept[0], SchedulerError);
  CHECK_THROWS_AS(out = out * -kept[0], SchedulerError);
  CHECK_THROWS_AS(out = arrays[0] + 1, SchedulerError);
  CHECK_THROWS_AS(arrays[0] = out + 1, SchedulerError);
  CHECK(elements(out) == std::vector<float>(3, 1.0f));
}

TEST_CASE("a failure poisons what its own replay was given, and names the expression") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    const Vector good = ones<float>(Dim{3}), bad = full(Dim{3}, 3.0f);
    const auto step = scheduler.capture(
        [&](Parameter<Vector> in, Parameter<Vector> middle, Parameter<Vector> out) {
          const Async on{scheduler};
          middle = F<Failing>(in) + 1;
          out = middle * 2;
        },
        good, good, good);
    Vector a(Dim{3}), b(Dim{3}), c(Dim{3}), d(Dim{3});
    step.replay(good, a, b);
    step.replay(bad, c, d);
    Vector e(Dim{3});
    step.replay(good, e, Vector(Dim{3}));
    CHECK(elements(b) == std::vector<float>(3, 4.0f));
    CHECK(elements(e) == std::vector<float>(3, 2.0f));
    for (const Vector* poisoned : {&c, &d}) {
      const std::string message = message_of<OperationFailed>([&] { static_cast<void>((*poisoned)[{0}]); });
      CHECK_MESSAGE(contains(message, "failing(a) + s"), message);
      CHECK_MESSAGE(contains(message, "async_replay_test.cpp"), message);
      CHECK_MESSAGE(contains(message, "element above 2"), message);
    }
    step.replay(c, a, b);  // reads what is poisoned
    CHECK_THROWS_AS(a.wait(), OperationFailed);
    step.replay(good, c, d);  // rewrites it
    CHECK(elements(d) == std::vector<float>(3, 4.0f));
    CHECK(elements(c) == std::vector<float>(3, 2.0f));
  }
}

TEST_CASE("rewriting a part of a poisoned array does not heal it") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    const Vector good = ones<float>(Dim{2}), bad = full(Dim{4}, 3.0f);
    const auto step = scheduler.capture(
        [&](Parameter<Vector> out, Parameter<float> value) {
          const Async on{scheduler};
          out = value;
        },
        good);
    Vector whole(Dim{4});
    {
      const Async on{scheduler};
      whole = F<Failing>(bad) * 2;
    }
    step.replay(whole(range(1, 3)), 5.0f);
    const std::string message = message_of<OperationFailed>([&] { whole.wait(); });
    CHECK_MESSAGE(contains(message, "element above 2"), message);
    whole = 0;
    step.replay(whole(range(1, 3)), 5.0f);
    CHECK(elements(whole) == std::vector<float>{0, 5, 5, 0});
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
    CHECK(example.buffer().use_count() == 1);
    Vector in = ones<float>(Dim{4}), to(Dim{4});
    step.replay(in, to);
    scheduler.wait_all();
    CHECK(in.buffer().use_count() == 1);
    CHECK(to.buffer().use_count() == 1);
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
            in.value()[{0}] = 7;
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
