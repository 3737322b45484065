// Random numbers a second on one thread, beside the standard library's Mersenne Twister.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <random>
#include <vector>

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t count = 1 << 16;

template <class Fill>
void run(benchmark::State& state, const Fill& fill) {
  set_num_threads(1);
  Array<float, 1> numbers(Dim{count});
  for (auto _ : state) {
    fill(numbers);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void uniform_philox(benchmark::State& state) {
  run(state, [](Array<float, 1>& numbers) { numbers = random::uniform<float>(random::Key{1}, Dim{count}); });
}
void normal_philox(benchmark::State& state) {
  run(state, [](Array<float, 1>& numbers) { numbers = random::normal<float>(random::Key{1}, Dim{count}); });
}
void uniform_standard(benchmark::State& state) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> distribution;
  run(state, [&](Array<float, 1>& numbers) {
    for (float& number : numbers) number = distribution(engine);
  });
}
void normal_standard(benchmark::State& state) {
  std::mt19937 engine(1);
  std::normal_distribution<float> distribution;
  run(state, [&](Array<float, 1>& numbers) {
    for (float& number : numbers) number = distribution(engine);
  });
}
BENCHMARK(uniform_philox)->Name("uniform/tessera");
BENCHMARK(uniform_standard)->Name("uniform/std::mt19937");
BENCHMARK(normal_philox)->Name("normal/tessera");
BENCHMARK(normal_standard)->Name("normal/std::mt19937");

}  // namespace
