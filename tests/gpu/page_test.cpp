// The examples of the page about arrays on GPUs.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

import tessera;

using namespace tessera;

namespace {

// --8<-- [start:user_op]
struct Leaky {
  static constexpr const char* device = "$0 > 0.0f ? $0 : 0.01f * $0";
  static float map(float a) { return a > 0 ? a : 0.01f * a; }
};
// --8<-- [end:user_op]

}  // namespace

TEST_CASE("the same lines run on the CPU and on a GPU") {
  // --8<-- [start:program]
  const auto program = [](Place place) {
    const Array<float, 2> x = Array<float, 2>(random::normal<float>(random::Key{1}, Dim{64, 20})).to(place);
    const Array<float, 2> w = Array<float, 2>(random::normal<float>(random::Key{2}, Dim{20, 8})).to(place);
    const Array<float, 1> b = zeros<float>(Dim{8}, place);
    const Array<float, 2> p = softmax<1>(dot(x, w) + b);  // a product, then one kernel
    return Array<float, 1>(mean<0>(p)).to(CpuPlace{});    // the host waits here, and not before
  };
  CHECK(allclose(program(GpuPlace{0}), program(CpuPlace{}), 1e-4));
  // --8<-- [end:program]
}

TEST_CASE("users' operations run on a GPU") {
  const auto softplus = [](auto x) { return log1p(exp(x)); };
  // --8<-- [start:ops]
  const Array<float, 1> z = linspace(-2.0f, 2.0f, 101).to(Place(GpuPlace{0}));
  const Array<float, 1> y = softplus(z) * 2 + F<Leaky>(z);  // a lambda composes nodes, F<Op> has CUDA text: one kernel
  // --8<-- [end:ops]
  CHECK(float(y[{0}]) == doctest::Approx(2 * std::log1p(std::exp(-2.0)) - 0.02));
}

TEST_CASE("operations of a scheduler give a GPU its work") {
  // --8<-- [start:async]
  const Place gpu = GpuPlace{0};
  Array<float, 1> w = ones<float>(Dim{1000}, gpu);
  Array<float, 1> b = ones<float>(Dim{10}, gpu);
  Scheduler scheduler;
  {
    Async on(scheduler);
    for (int step = 0; step < 10; ++step) {
      w = w * 0.5f + 1;  // the workers' streams order what depends on each other, by events
      b = b + sum(w);
    }
  }
  const float first = w[{0}];  // waits for the op, then for the stream
  // --8<-- [end:async]
  CHECK(first == doctest::Approx(2 - std::pow(0.5, 10)));
}
