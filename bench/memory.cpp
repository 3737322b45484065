// A pair of alloc and free of untouched memory, beside the C library's.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdlib>

import tessera;

using namespace tessera;

namespace {

void pool_pair(benchmark::State& state) {
  for (auto _ : state) {
    void* pointer = memory::alloc(CpuPlace{}, state.range(0));
    benchmark::DoNotOptimize(pointer);
    memory::free(CpuPlace{}, pointer);
  }
}

void malloc_pair(benchmark::State& state) {
  for (auto _ : state) {
    void* pointer = std::malloc(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(pointer);
    std::free(pointer);
  }
}

void aligned_pair(benchmark::State& state) {
  for (auto _ : state) {
    void* pointer = std::aligned_alloc(64, static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(pointer);
    std::free(pointer);
  }
}

BENCHMARK(pool_pair)->Name("pair/pool")->Arg(64)->Arg(64 << 10)->Arg(16 << 20);
BENCHMARK(malloc_pair)->Name("pair/malloc")->Arg(64)->Arg(64 << 10)->Arg(16 << 20);
BENCHMARK(aligned_pair)->Name("pair/aligned_alloc")->Arg(64)->Arg(64 << 10)->Arg(16 << 20);

}  // namespace
