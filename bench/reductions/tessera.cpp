// Reductions and normalisations of 2048 x 2048 floats on one thread, and of a few elements; peers.cpp holds what they are beside.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t side = 2048;

/// Calls work(x, vector, matrix) over and over.
template <class Work>
void run(const char* name, const Work& work) {
  benchmark::RegisterBenchmark(name, [work](benchmark::State& state) {
    device::limit_isa(device::Isa::BENCH_ISA);
    set_num_threads(1);
    const Array<float, 2> x = evaluate(random::uniform<float>(random::Key{1}, Dim{side, side}) * 4.0f - 2.0f);
    Array<float, 1> results(Dim{side});
    Array<float, 2> matrix(Dim{side, side});
    for (auto _ : state) {
      work(x, results, matrix);
      benchmark::ClobberMemory();
    }
  })->Unit(benchmark::kMillisecond);
}

using Matrix = Array<float, 2>;
using Vector = Array<float, 1>;

const bool registered = [] {
  run("row_sums/tessera", [](const Matrix& x, Vector& v, Matrix&) { v = sum<1>(x); });
  run("column_sums/tessera", [](const Matrix& x, Vector& v, Matrix&) { v = sum<0>(x); });
  run("whole_sum/tessera", [](const Matrix& x, Vector& v, Matrix&) { v[{0}] = item(sum(x)); });
  run("row_variances/tessera", [](const Matrix& x, Vector& v, Matrix&) { v = var<1>(x); });
  run("column_variances/tessera", [](const Matrix& x, Vector& v, Matrix&) { v = var<0>(x); });
  run("logsumexp_rows/tessera", [](const Matrix& x, Vector& v, Matrix&) { v = logsumexp<1>(x); });
  run("softmax_rows/tessera", [](const Matrix& x, Vector&, Matrix& m) { m = softmax<1>(x); });
  run("softmax_columns/tessera", [](const Matrix& x, Vector&, Matrix& m) { m = softmax<0>(x); });
  run("log_softmax_rows/tessera", [](const Matrix& x, Vector&, Matrix& m) { m = log_softmax<1>(x); });
  run("layernorm_rows/tessera", [](const Matrix& x, Vector&, Matrix& m) { m = layernorm(x); });
  run("layernorm_scaled/tessera", [](const Matrix& x, Vector&, Matrix& m) { m = layernorm(x, x(0, all), x(1, all)); });
  return true;
}();

void sum_of_eight(benchmark::State& state) {
  const Array<float, 1> a = ones<float>(Dim{8});
  for (auto _ : state) benchmark::DoNotOptimize(item(sum(a)));
}
BENCHMARK(sum_of_eight)->Name("eight_elements/sum");

}  // namespace
