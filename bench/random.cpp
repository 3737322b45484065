// Random numbers a second on one thread, beside the standard library's Mersenne Twister.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t count = 1 << 16;

template <class T, class Fill>
void run(benchmark::State& state, const Fill& fill) {
  set_num_threads(1);
  Array<T, 1> numbers(Dim{count});
  for (auto _ : state) {
    fill(numbers);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

/// Numbers of type T by a function of a key, and the same by a distribution of the standard library.
template <class T, class Draw, class Distribution>
void register_pair(const std::string& name, const Draw& draw, const Distribution& distribution) {
  benchmark::RegisterBenchmark((name + "/tessera").c_str(), [=](benchmark::State& state) {
    run<T>(state, [&](Array<T, 1>& numbers) { numbers = draw(random::Key{1}, Dim{count}); });
  });
  benchmark::RegisterBenchmark((name + "/std::mt19937_64").c_str(), [=](benchmark::State& state) {
    std::mt19937_64 engine(1);
    auto drawn = distribution;
    run<T>(state, [&](Array<T, 1>& numbers) {
      for (T& number : numbers) number = drawn(engine);
    });
  });
}

const bool registered = [] {
  register_pair<float>(
      "uniform", [](auto... to) { return random::uniform<float>(to...); }, std::uniform_real_distribution<float>());
  register_pair<float>(
      "normal", [](auto... to) { return random::normal<float>(to...); }, std::normal_distribution<float>());
  register_pair<float>(
      "exponential", [](auto... to) { return random::exponential<float>(to...); },
      std::exponential_distribution<float>());
  register_pair<double>(
      "exponential of double", [](auto... to) { return random::exponential<double>(to...); },
      std::exponential_distribution<double>());
  register_pair<float>(
      "gumbel", [](auto... to) { return random::gumbel<float>(to...); }, std::extreme_value_distribution<float>());
  register_pair<double>(
      "gumbel of double", [](auto... to) { return random::gumbel<double>(to...); },
      std::extreme_value_distribution<double>());
  register_pair<double>(
      "laplace of double", [](auto... to) { return random::laplace<double>(to...); },
      [engine = std::exponential_distribution<double>(), sign = std::bernoulli_distribution()](auto& bits) mutable {
        const double value = engine(bits);
        return sign(bits) ? value : -value;
      });
  register_pair<double>(
      "logistic of double", [](auto... to) { return random::logistic<double>(to...); },
      [uniform = std::uniform_real_distribution<double>()](auto& bits) mutable {
        const double value = uniform(bits);
        return std::log(value / (1 - value));
      });
  register_pair<bool>(
      "bernoulli", [](auto... to) { return random::bernoulli(to..., 0.3); }, std::bernoulli_distribution(0.3));
  register_pair<std::int64_t>(
      "integers", [](auto... to) { return random::integers<std::int64_t>(to..., 0, 1000); },
      std::uniform_int_distribution<std::int64_t>(0, 999));
  return true;
}();

}  // namespace
