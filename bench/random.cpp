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
  register_pair<double>(
      "uniform of double", [](auto... to) { return random::uniform<double>(to...); },
      std::uniform_real_distribution<double>());
  register_pair<double>(
      "normal of double", [](auto... to) { return random::normal<double>(to...); }, std::normal_distribution<double>());
  register_pair<std::int32_t>(
      "integers of 32 bits", [](auto... to) { return random::integers<std::int32_t>(to..., 0, 1000); },
      std::uniform_int_distribution<std::int32_t>(0, 999));
  for (const double concentration : {0.5, 2.5, 100.0}) {
    register_pair<double>(
        "gamma " + std::to_string(concentration).substr(0, 3),
        [=](auto... to) { return random::gamma<double>(to..., concentration); },
        std::gamma_distribution<double>(concentration));
  }
  register_pair<float>(
      "gamma of float", [](auto... to) { return random::gamma<float>(to..., 2.5); },
      std::gamma_distribution<float>(2.5f));
  register_pair<double>(
      "beta", [](auto... to) { return random::beta<double>(to..., 2.0, 5.0); },
      [x = std::gamma_distribution<double>(2.0), y = std::gamma_distribution<double>(5.0)](auto& bits) mutable {
        const double first = x(bits);
        return first / (first + y(bits));
      });
  for (const double rate : {3.0, 100.0}) {
    register_pair<std::int64_t>(
        "poisson " + std::to_string(rate).substr(0, 3), [=](auto... to) { return random::poisson(to..., rate); },
        std::poisson_distribution<std::int64_t>(rate));
  }
  for (const int trials : {20, 1000}) {
    register_pair<std::int64_t>(
        "binomial " + std::to_string(trials), [=](auto... to) { return random::binomial(to..., trials, 0.3); },
        std::binomial_distribution<std::int64_t>(trials, 0.3));
  }
  register_pair<double>(
      "truncated normal", [](auto... to) { return random::truncated_normal<double>(to..., -2, 2); },
      [normal = std::normal_distribution<double>()](auto& bits) mutable {
        for (;;) {
          if (const double x = normal(bits); x >= -2 && x <= 2) return x;
        }
      });
  return true;
}();

}  // namespace
