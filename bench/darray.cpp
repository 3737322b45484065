// What an expression costs whose types are known at run time only, beside the static one: as one loop (float), as a program (float16,
// and what a DExpression has forgotten), and a visit. Seconds an assignment; the figures of a row are for 8, 1,000, 100,000 and
// 1,000,000 elements.
#include <benchmark/benchmark.h>

#include <cstddef>

import tessera;

using namespace tessera;

namespace {

template <class T>
struct Operands {
  explicit Operands(std::ptrdiff_t size)
      : a(full(Dim{size}, T(1.5f))),
        b(full(Dim{size}, T(2.5f))),
        c(full(Dim{size}, T(0.5f))),
        d(full(Dim{size}, T(3.f))),
        result(Dim{size}) {}
  Array<T, 1> a, b, c, d, result;
};

const auto few = [](const auto& x) { return x.a + 2 * x.b; };
const auto many = [](const auto& x) { return (x.a + 2 * x.b) * x.c - x.d / (x.a + x.b) + x.c; };
const auto costly = [](const auto& x) { return exp(x.a) * tanh(x.b); };

struct DynamicOperands4 {
  DArray a, b, c, d;
};

template <class T, class Tree>
void computed(benchmark::State& state, const Tree& tree) {
  Operands<T> x(state.range(0));
  for (auto _ : state) {
    x.result = tree(x);
    benchmark::ClobberMemory();
  }
}

template <class T, class Tree>
void at_run_time(benchmark::State& state, const Tree& tree) {
  const Operands<T> x(state.range(0));
  const DynamicOperands4 operands{x.a, x.b, x.c, x.d};
  DArray result(DDim(x.a.shape()), dtype_of<T>);
  for (auto _ : state) {
    result = tree(operands);
    benchmark::ClobberMemory();
  }
}

template <class T, class Tree>
void forgotten(benchmark::State& state, const Tree& tree) {
  const Operands<T> x(state.range(0));
  const DynamicOperands4 operands{x.a, x.b, x.c, x.d};
  DArray result(DDim(x.a.shape()), dtype_of<T>);
  for (auto _ : state) {
    result = DExpression(tree(operands));
    benchmark::ClobberMemory();
  }
}

void visited(benchmark::State& state) {
  DArray x = make_darray({4}, 1.f);
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(visit([](auto& array) { return static_cast<const void*>(array.data()); }, x));
  }
}

#define TESSERA_BENCH(tree)                                                                                       \
  BENCHMARK_CAPTURE(computed<float>, tree, tree)->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();    \
  BENCHMARK_CAPTURE(at_run_time<float>, tree, tree)->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime(); \
  BENCHMARK_CAPTURE(forgotten<float>, tree, tree)->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();   \
  BENCHMARK_CAPTURE(computed<float16>, tree, tree)->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();  \
  BENCHMARK_CAPTURE(at_run_time<float16>, tree, tree)->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();
TESSERA_BENCH(few)
TESSERA_BENCH(many)
TESSERA_BENCH(costly)
#undef TESSERA_BENCH
BENCHMARK(visited);

}  // namespace
