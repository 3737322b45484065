// The same work in Eigen, where its headers are found.
#pragma once

#if __has_include(<eigen3/Eigen/Core>)
#include <benchmark/benchmark.h>

#include <eigen3/Eigen/Core>

namespace eigen_peer {

using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Array<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
inline constexpr Eigen::Index side = 2048;

inline void update(benchmark::State& state) {
  const Eigen::Index n = state.range(0) / static_cast<Eigen::Index>(sizeof(float));
  Row w = Row::Constant(n, 1.0f), g = Row::Constant(n, 0.5f);
  for (auto _ : state) {
    w = -0.01f * (g + 0.001f * w);
    benchmark::ClobberMemory();
  }
}
inline void bias_relu(benchmark::State& state) {
  Matrix x = Matrix::Random(side, side), y(side, side);
  Row bias = Row::Constant(side, -0.5f);
  for (auto _ : state) {
    y = (x.rowwise() + bias).max(0.0f);
    benchmark::ClobberMemory();
  }
}
inline void transpose(benchmark::State& state) {
  Matrix x = Matrix::Random(side, side), y(side, side);
  for (auto _ : state) {
    y = x.transpose();
    benchmark::ClobberMemory();
  }
}
inline void column_sums(benchmark::State& state) {
  Matrix x = Matrix::Random(side, side);
  Row y(side);
  for (auto _ : state) {
    y = x.colwise().sum();
    benchmark::ClobberMemory();
  }
}
inline void softmax(benchmark::State& state) {
  Matrix x = Matrix::Random(side, side), y(side, side);
  for (auto _ : state) {
    y = (x.colwise() - x.rowwise().maxCoeff()).exp();
    y.colwise() /= y.rowwise().sum().eval();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(update)->Name("update/eigen")->Arg(4 << 10)->Arg(256 << 10)->Arg(64 << 20);
BENCHMARK(bias_relu)->Name("bias_relu/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(transpose)->Name("transpose/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(column_sums)->Name("column_sums/eigen")->Unit(benchmark::kMillisecond);
BENCHMARK(softmax)->Name("softmax/eigen")->Unit(benchmark::kMillisecond);

}  // namespace eigen_peer
#endif
