// The digits network's gradients against central differences, and its independence of the number of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

import tessera;
import digits.network;

using namespace tessera;

namespace {

const std::vector<std::int64_t> widths{7, 6, 5, 3};

struct Problem {
  Array<double, 2> images = random::normal<double>(random::Key{11}, Dim{9, 7});
  Array<std::int64_t, 1> labels = make_array(std::vector<std::int64_t>{0, 1, 2, 0, 1, 2, 2, 1, 0});
  Array<double, 2> targets = digits::one_hot<double>(labels, 3);

  double loss(digits::Network<double>& network) const {
    network.forward(images);
    return network.loss(targets, labels).loss;
  }
};

/// The weights' change in one step of rate 1 without momentum and decay: minus the gradient.
Array<double, 2> gradient_of(digits::Network<double>& network, const Problem& problem, std::size_t layer) {
  const Array<double, 2> before = network.weights(layer).clone();
  digits::WorkTimes times;
  network.step(problem.images, problem.targets, problem.labels, {.learning_rate = 1, .momentum = 0, .decay = 0}, times);
  return before - network.weights(layer);
}

}  // namespace

TEST_CASE("every weight's gradient agrees with central differences") {
  const Problem problem;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    digits::Network<double> stepped(widths, random::Key{5});
    const Array<double, 2> gradient = gradient_of(stepped, problem, layer);
    digits::Network<double> network(widths, random::Key{5});
    Array<double, 2> w = network.weights(layer);
    constexpr double h = 1e-5;
    for (std::ptrdiff_t i = 0; i < w.shape()[0]; ++i) {
      for (std::ptrdiff_t j = 0; j < w.shape()[1]; ++j) {
        const double kept = w[{i, j}];
        w[{i, j}] = kept + h;
        const double above = problem.loss(network);
        w[{i, j}] = kept - h;
        const double below = problem.loss(network);
        w[{i, j}] = kept;
        const double difference = (above - below) / (2 * h);
        CAPTURE(layer);
        CAPTURE(i);
        CAPTURE(j);
        CHECK(static_cast<double>(gradient[{i, j}]) == doctest::Approx(difference).epsilon(1e-6).scale(1));
      }
    }
  }
}

TEST_CASE("every bias's gradient agrees with central differences") {
  const Problem problem;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    digits::Network<double> stepped(widths, random::Key{5});
    digits::WorkTimes times;
    stepped.step(problem.images, problem.targets, problem.labels, {.learning_rate = 1, .momentum = 0, .decay = 0},
                 times);
    digits::Network<double> network(widths, random::Key{5});
    Array<double, 1> b = network.biases(layer);
    constexpr double h = 1e-5;
    for (std::ptrdiff_t j = 0; j < b.shape()[0]; ++j) {
      b[{j}] = h;
      const double above = problem.loss(network);
      b[{j}] = -h;
      const double below = problem.loss(network);
      b[{j}] = 0.0;
      CAPTURE(layer);
      CAPTURE(j);
      CHECK(-static_cast<double>(stepped.biases(layer)[{j}]) ==
            doctest::Approx((above - below) / (2 * h)).epsilon(1e-6).scale(1));
    }
  }
}

TEST_CASE("momentum and decay enter the step as v = mu v - rate (g + decay w), w = w + v") {
  const Problem problem;
  digits::Network<double> plain(widths, random::Key{5});
  const Array<double, 2> start = plain.weights(0).clone();
  const Array<double, 2> gradient = gradient_of(plain, problem, 0);
  digits::Network<double> network(widths, random::Key{5});
  digits::WorkTimes times;
  const digits::StepRule rule{.learning_rate = 0.1, .momentum = 0.5, .decay = 0.25};
  network.step(problem.images, problem.targets, problem.labels, rule, times);
  const Array<double, 2> velocity = -0.1 * (gradient + 0.25 * start);
  CHECK(allclose(network.weights(0), start + velocity, 1e-12, 1e-14));
  const Array<double, 2> second_start = network.weights(0).clone();
  network.step(problem.images, problem.targets, problem.labels, {.learning_rate = 0, .momentum = 0.5, .decay = 0},
               times);
  CHECK(allclose(network.weights(0), second_start + 0.5 * velocity, 1e-12, 1e-14));
}

TEST_CASE("weights after some steps are bit-identical with 1, 2 and 4 threads") {
  const std::vector<std::int64_t> wide{784, 256, 10};
  std::vector<Array<float, 2>> results;
  const int before = num_threads();
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    digits::Network<float> network(wide, random::Key{1});
    digits::WorkTimes times;
    const Array<std::int64_t, 1> labels = make_array(std::vector<std::int64_t>(64, 3));
    const Array<float, 2> targets = digits::one_hot<float>(labels, 10);
    for (std::uint64_t step = 0; step < 3; ++step) {
      const Array<float, 2> images = random::uniform<float>(random::Key{2}.fold(step), Dim{64, 784});
      network.step(images, targets, labels, {}, times);
    }
    results.push_back(network.weights(0));
  }
  set_num_threads(before);
  CHECK(array_equal(results[0], results[1]));
  CHECK(array_equal(results[0], results[2]));
}
