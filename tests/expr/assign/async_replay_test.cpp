// Recorded assignments whose arrays and scalars change from one replay to the next: what the same statements give outside of a recording.

#include <utility>

#include "replays.hpp"

using namespace replays;

namespace {

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
    Array<float, 1> weights = ones<float>(Dim{3}), first = ones<float>(Dim{3}), second = full(Dim{3}, 2.0f);
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
    Array<float, 1> w = ones<float>(Dim{2}), expected = ones<float>(Dim{2}), ratio = zeros<float>(Dim{2}), either;
    const auto step = scheduler.capture([&](Parameter<float> rate, Parameter<int> epoch) {
      const Async on{scheduler};
      w = w * (1 - rate * 0.5f) + -rate * g / (epoch + 1);
      ratio = rate / epoch - epoch;
      either = where(g > rate, rate, -rate);
    });
    for (int epoch = 1; epoch < 4; ++epoch) {
      const float rate = 0.1f * static_cast<float>(epoch);
      step.replay(rate, epoch);
      expected = expected * (1 - rate * 0.5f) + -rate * g / (epoch + 1);
      CHECK(elements(w) == elements(expected));
      CHECK(either[{0}] == (0.3f > rate ? rate : -rate));
      CHECK(ratio[{0}] == rate / static_cast<float>(epoch) - static_cast<float>(epoch));
    }
    static_assert(std::same_as<scalar_of<decltype(-std::declval<Parameter<float>&>())>, float>);
    static_assert(std::same_as<scalar_of<decltype(std::declval<Parameter<int>&>() * 2.0)>, double>);
    static_assert(!Negatable<Parameter<std::string>>);
  }
}

TEST_CASE("arrays of a known place and of rank 0 may be parameters") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Local = Array<float, 1, CpuPlace>;
    Local kept = ones<float>(Dim{2}, CpuPlace{});
    Array<float, 0> total;
    const auto step = scheduler.capture(
        [&](Parameter<Local> x, Parameter<Array<float, 0>> scale, Parameter<Local> out) {
          const Async on{scheduler};
          out = x * scale + kept;
          total = sum(out) * scale;
          scale = total + 1;
        },
        kept, Array<float, 0>(Dim<0>()), kept);
    for (const float value : {1.0f, 2.0f, 3.0f}) {
      const Local x = full(Dim{2}, value, CpuPlace{}), out(Dim{2});
      Array<float, 0> scale{Dim<0>()};
      scale[{}] = 10 * value;
      step.replay(x, scale, out);
      CHECK(elements(out) == std::vector<float>(2, 10 * value * value + 1));
      CHECK(scale[{}] == 2 * (10 * value * value + 1) * 10 * value + 1);
    }
  }
}
