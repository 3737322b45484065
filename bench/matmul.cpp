// dot beside the BLAS called by hand, on one thread: what tiles, checks and the node cost.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstddef>

import tessera;

using namespace tessera;

namespace {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

Array<float, 2> square(std::ptrdiff_t n, std::uint64_t seed) {
  return random::uniform<float>(random::Key{seed}, Dim{n, n});
}

void by_hand(benchmark::State& state) {
  const std::ptrdiff_t n = state.range(0);
  const Array<float, 2> a = square(n, 1), b = square(n, 2), c(Dim{n, n});
  blas::description();  // opens the library with the settings that dot uses
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  const auto sgemm = library == nullptr ? nullptr : reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  if (sgemm == nullptr) return state.SkipWithError("no OpenBLAS");
  const int size = static_cast<int>(n);
  for (auto _ : state) {
    sgemm(101, 111, 111, size, size, size, 1, a.data(), size, b.data(), size, 0, c.data(), size);
    benchmark::ClobberMemory();
  }
  state.counters["GF/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

void by_dot(benchmark::State& state, int threads) {
  set_num_threads(threads);
  const std::ptrdiff_t n = state.range(0);
  Array<float, 2> a = square(n, 1), b = square(n, 2), c(Dim{n, n});
  for (auto _ : state) {
    c = dot(a, b);
    benchmark::ClobberMemory();
  }
  state.counters["GF/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

void with_epilogue(benchmark::State& state, int threads) {
  set_num_threads(threads);
  const std::ptrdiff_t n = state.range(0);
  Array<float, 2> a = square(n, 1), b = square(n, 2), c(Dim{n, n});
  Array<float, 1> bias = full<float>(Dim{n}, -0.5f);
  for (auto _ : state) {
    c = relu(dot(a, b.T()) + bias);
    benchmark::ClobberMemory();
  }
  state.counters["GF/s"] =
      benchmark::Counter(2e-9 * static_cast<double>(n * n * n), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(by_hand)->Name("matmul/sgemm by hand, 1 thread")->RangeMultiplier(4)->Range(64, 1024)->UseRealTime();
BENCHMARK_CAPTURE(by_dot, one, 1)->Name("matmul/dot, 1 thread")->RangeMultiplier(4)->Range(64, 1024)->UseRealTime();
BENCHMARK_CAPTURE(by_dot, two, 2)->Name("matmul/dot, 2 threads")->RangeMultiplier(4)->Range(64, 1024)->UseRealTime();
BENCHMARK_CAPTURE(with_epilogue, two, 2)
    ->Name("matmul/relu(dot(a, b.T()) + bias), 2 threads")
    ->RangeMultiplier(4)
    ->Range(64, 1024)
    ->UseRealTime();

}  // namespace
