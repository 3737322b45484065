// What an expression costs whose types are known at run time only, beside the static one: as one loop (float), as a program (float16,
// and what a DExpression has forgotten), and a visit. Seconds an assignment; the figures of a row are for 8, 1,000, 100,000 and
// 1,000,000 elements.
#include <benchmark/benchmark.h>

#include <string>

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

/// Registers the ways to compute a tree, for each length.
template <class Tree>
void register_tree(const std::string& name, const Tree& tree) {
  const auto add = [&](const std::string& way, void (*function)(benchmark::State&, const Tree&)) {
    auto* const made = benchmark::RegisterBenchmark((way + "/" + name).c_str(),
                                                    [=](benchmark::State& state) { function(state, tree); });
    made->Arg(8)->Arg(1000)->Arg(100000)->Arg(1000000)->UseRealTime();
  };
  add("computed<float>", computed<float, Tree>);
  add("at_run_time<float>", at_run_time<float, Tree>);
  add("forgotten<float>", forgotten<float, Tree>);
  add("computed<float16>", computed<float16, Tree>);
  add("at_run_time<float16>", at_run_time<float16, Tree>);
}

[[maybe_unused]] const bool trees_are_registered = [] {
  register_tree("few", few);
  register_tree("many", many);
  register_tree("costly", costly);
  return true;
}();
BENCHMARK(visited);

}  // namespace
