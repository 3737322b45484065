// What the reductions are measured beside: a copy of the same bytes, hand-written loops, and Eigen where its headers are found.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#define BENCH_EIGEN
#endif

namespace {

constexpr std::size_t side = 2048;

/// Values in [-2, 2) without a pattern that a branch predictor could learn.
std::vector<float> values() {
  std::vector<float> x(side * side);
  unsigned state = 1;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-22f - 2.0f;
  }
  return x;
}

void copy(benchmark::State& state) {
  const std::vector<float> x = values();
  std::vector<float> y(x.size());
  for (auto _ : state) {
    std::memcpy(y.data(), x.data(), x.size() * sizeof(float));
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
}

/// Calls work(x, results, matrix of results) over and over.
template <void (*Work)(const float*, float*, float*)>
void run(benchmark::State& state) {
  const std::vector<float> x = values();
  std::vector<float> results(side), matrix(side * side);
  for (auto _ : state) {
    Work(x.data(), results.data(), matrix.data());
    benchmark::DoNotOptimize(results.data());
    benchmark::DoNotOptimize(matrix.data());
    benchmark::ClobberMemory();
  }
}

/// Many sums side by side let the compiler use vectors without reordering any of them.
float sum_of(const float* x, std::size_t n) {
  constexpr std::size_t lanes = 64;
  float lane[lanes] = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) lane[k] += x[i + k];
  }
  float sum = 0;
  for (const float value : lane) sum += value;
  return sum;
}

void row_sums(const float* x, float* sums, float*) {
  for (std::size_t i = 0; i < side; ++i) sums[i] = sum_of(x + i * side, side);
}

void column_sums(const float* x, float* sums, float*) {
  std::fill_n(sums, side, 0.0f);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) sums[j] += x[i * side + j];
  }
}

void whole_sum(const float* x, float* sums, float*) { sums[0] = sum_of(x, side * side); }

void softmax_rows(const float* x, float*, float* y) {
  for (std::size_t i = 0; i < side; ++i, x += side, y += side) {
    const float largest = *std::max_element(x, x + side);
    float sum = 0;
    for (std::size_t j = 0; j < side; ++j) sum += y[j] = std::exp(x[j] - largest);
    for (std::size_t j = 0; j < side; ++j) y[j] /= sum;
  }
}

void layernorm_rows(const float* x, float*, float* y) {
  for (std::size_t i = 0; i < side; ++i, x += side, y += side) {
    const float mean = sum_of(x, side) / float(side);
    for (std::size_t j = 0; j < side; ++j) y[j] = (x[j] - mean) * (x[j] - mean);
    const float factor = 1 / std::sqrt(sum_of(y, side) / float(side) + 1e-5f);
    for (std::size_t j = 0; j < side; ++j) y[j] = (x[j] - mean) * factor;
  }
}

BENCHMARK(copy)->Name("copy")->Unit(benchmark::kMillisecond);
BENCHMARK(run<row_sums>)->Name("row_sums/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(run<column_sums>)->Name("column_sums/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(run<whole_sum>)->Name("whole_sum/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(run<softmax_rows>)->Name("softmax_rows/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(run<layernorm_rows>)->Name("layernorm_rows/loop")->Unit(benchmark::kMillisecond);

#ifdef BENCH_EIGEN
using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Source = Eigen::Map<const Matrix>;
using Target = Eigen::Map<Matrix>;
using Column = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, 1>>;
using Row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic, Eigen::RowMajor>>;

void eigen_row_sums(const float* x, float* sums, float*) { Column(sums, side) = Source(x, side, side).rowwise().sum(); }
void eigen_column_sums(const float* x, float* sums, float*) { Row(sums, side) = Source(x, side, side).colwise().sum(); }
void eigen_whole_sum(const float* x, float* sums, float*) { sums[0] = Source(x, side, side).sum(); }
void eigen_softmax_rows(const float* x, float*, float* y) {
  const Source in(x, side, side);
  Target out(y, side, side);
  out = (in.colwise() - in.rowwise().maxCoeff().eval()).exp();
  out.colwise() /= out.rowwise().sum().eval();
}
void eigen_softmax_columns(const float* x, float*, float* y) {
  const Source in(x, side, side);
  Target out(y, side, side);
  out = (in.rowwise() - in.colwise().maxCoeff().eval()).exp();
  out.rowwise() /= out.colwise().sum().eval();
}
void eigen_layernorm_rows(const float* x, float*, float* y) {
  const Source in(x, side, side);
  Target out(y, side, side);
  out = in.colwise() - in.rowwise().mean().eval();
  out.colwise() *= (out.square().rowwise().mean() + 1e-5f).rsqrt().eval();
}
BENCHMARK(run<eigen_row_sums>)->Name("row_sums/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(run<eigen_column_sums>)->Name("column_sums/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(run<eigen_whole_sum>)->Name("whole_sum/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(run<eigen_softmax_rows>)->Name("softmax_rows/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(run<eigen_softmax_columns>)->Name("softmax_columns/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(run<eigen_layernorm_rows>)->Name("layernorm_rows/eigen")->Unit(benchmark::kMillisecond);
#endif

}  // namespace
