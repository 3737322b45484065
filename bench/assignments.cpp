// What an assignment costs beside its elements: at once, submitted in an Async scope, and replayed with parameters. ns an assignment.
#include <benchmark/benchmark.h>

#include <cstddef>

import tessera;

using namespace tessera;

namespace {

using Vector = Array<float, 1>;

constexpr int steps = 1000;      // assignments before somebody waits
constexpr int per_replay = 100;  // of them in one recording, as in a large step

struct Arrays {
  explicit Arrays(std::ptrdiff_t size)
      : weights(zeros<float>(Dim{size})), gradient(full(Dim{size}, 1e-3f)), other(full(Dim{size}, 2e-3f)) {}
  Vector weights, gradient, other;
};

void count(benchmark::State& state) {
  state.counters["each"] = benchmark::Counter(static_cast<double>(state.iterations()) * steps,
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void at_once(benchmark::State& state) {
  Arrays arrays(state.range(0));
  float rate = 0.1f;
  for (auto _ : state) {
    for (int i = 0; i < steps; ++i) {
      benchmark::DoNotOptimize(rate);
      arrays.weights -= rate * arrays.gradient;
    }
  }
  count(state);
}

void submitted(benchmark::State& state) {
  Arrays arrays(state.range(0));
  Scheduler scheduler({.workers = 1});
  float rate = 0.1f;
  for (auto _ : state) {
    {
      const Async on{scheduler};
      for (int i = 0; i < steps; ++i) {
        benchmark::DoNotOptimize(rate);
        arrays.weights -= rate * arrays.gradient;
      }
    }
    scheduler.wait_all();
  }
  count(state);
}

void replayed_fixed(benchmark::State& state) {
  Arrays arrays(state.range(0));
  Scheduler scheduler({.workers = 1});
  const auto step = scheduler.capture([&] {
    const Async on{scheduler};
    for (int i = 0; i < per_replay; ++i) arrays.weights -= 0.1f * arrays.gradient;
  });
  for (auto _ : state) {
    for (int i = 0; i < steps / per_replay; ++i) step.replay();
    scheduler.wait_all();
  }
  count(state);
}

void replayed(benchmark::State& state) {
  Arrays arrays(state.range(0));
  Scheduler scheduler({.workers = 1});
  const auto step = scheduler.capture(
      [&](Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on{scheduler};
        for (int i = 0; i < per_replay; ++i) arrays.weights -= rate * gradient;
      },
      arrays.gradient);
  for (auto _ : state) {
    for (int i = 0; i < steps / per_replay; ++i) step.replay(i % 2 == 0 ? arrays.gradient : arrays.other, 0.1f);
    scheduler.wait_all();
  }
  count(state);
}

void replayed_destination(benchmark::State& state) {
  Arrays arrays(state.range(0));
  Scheduler scheduler({.workers = 1});
  const auto step = scheduler.capture(
      [&](Parameter<Vector> weights, Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on{scheduler};
        for (int i = 0; i < per_replay; ++i) weights -= rate * gradient;
      },
      arrays.weights, arrays.gradient);
  for (auto _ : state) {
    for (int i = 0; i < steps / per_replay; ++i)
      step.replay(arrays.weights, i % 2 == 0 ? arrays.gradient : arrays.other, 0.1f);
    scheduler.wait_all();
  }
  count(state);
}

/// One assignment a replay: what arguments cost.
void replayed_alone(benchmark::State& state) {
  Arrays arrays(state.range(0));
  Scheduler scheduler({.workers = 1});
  const auto step = scheduler.capture(
      [&](Parameter<Vector> gradient, Parameter<float> rate) {
        const Async on{scheduler};
        arrays.weights -= rate * gradient;
      },
      arrays.gradient);
  for (auto _ : state) {
    for (int i = 0; i < steps; ++i) step.replay(i % 2 == 0 ? arrays.gradient : arrays.other, 0.1f);
    scheduler.wait_all();
  }
  count(state);
}

// The first one before anything is asynchronous, because assignments look for pending ops from then on.
BENCHMARK(at_once)->Name("assignment/at once")->Arg(16)->Arg(1024)->UseRealTime();
BENCHMARK(submitted)->Name("assignment/submitted")->Arg(16)->Arg(1024)->UseRealTime();
BENCHMARK(replayed_fixed)->Name("assignment/replayed, nothing changes")->Arg(16)->Arg(1024)->UseRealTime();
BENCHMARK(replayed)->Name("assignment/replayed, array and scalar change")->Arg(16)->Arg(1024)->UseRealTime();
BENCHMARK(replayed_destination)
    ->Name("assignment/replayed, destination changes too")
    ->Arg(16)
    ->Arg(1024)
    ->UseRealTime();
BENCHMARK(replayed_alone)->Name("assignment/one a replay")->Arg(16)->Arg(1024)->UseRealTime();
BENCHMARK(at_once)->Name("assignment/at once, afterwards")->Arg(16)->Arg(1024)->UseRealTime();

}  // namespace
