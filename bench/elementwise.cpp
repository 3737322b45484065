// Fused elementwise expressions beside a hand-written loop and, where its headers are found, Eigen on one thread.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "eigen.hpp"

import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t side = 2048;

Array<float, 2> matrix(std::uint64_t seed) { return random::uniform<float>(random::Key{seed}, Dim{side, side}); }

void report_bytes(benchmark::State& state, std::ptrdiff_t bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
}

// w = -eta * (g + lambda * w) for arrays of state.range(0) bytes.

void update_loop(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)) / sizeof(float);
  std::vector<float> w(n, 1.0f), g(n, 0.5f);
  for (auto _ : state) {
    float* out = w.data();
    const float* gradient = g.data();
    for (std::size_t i = 0; i < n; ++i) out[i] = -0.01f * (gradient[i] + 0.001f * out[i]);
    benchmark::ClobberMemory();
  }
  report_bytes(state, state.range(0) * 3);
}

void update_tessera(benchmark::State& state) {
  set_num_threads(1);
  const std::ptrdiff_t n = state.range(0) / static_cast<std::ptrdiff_t>(sizeof(float));
  Array<float, 1> w = ones<float>(Dim{n}), g = full<float>(Dim{n}, 0.5f);
  for (auto _ : state) {
    w = -0.01f * (g + 0.001f * w);
    benchmark::ClobberMemory();
  }
  report_bytes(state, state.range(0) * 3);
}
BENCHMARK(update_loop)->Name("update/loop")->Arg(4 << 10)->Arg(256 << 10)->Arg(64 << 20);
BENCHMARK(update_tessera)->Name("update/tessera")->Arg(4 << 10)->Arg(256 << 10)->Arg(64 << 20);

// y = max(x + bias, 0) with the bias broadcast over rows.

void bias_relu_loop(benchmark::State& state) {
  std::vector<float> x(side * side, 0.25f), bias(side, -0.5f), y(side * side);
  benchmark::DoNotOptimize(y.data());
  for (auto _ : state) {
    for (std::ptrdiff_t i = 0; i < side; ++i) {
      for (std::ptrdiff_t j = 0; j < side; ++j) {
        const float sum = x[static_cast<std::size_t>(i * side + j)] + bias[static_cast<std::size_t>(j)];
        y[static_cast<std::size_t>(i * side + j)] = sum < 0 ? 0 : sum;
      }
    }
    benchmark::ClobberMemory();
  }
}

void bias_relu_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1), y(Dim{side, side});
  Array<float, 1> bias = full<float>(Dim{side}, -0.5f);
  for (auto _ : state) {
    y = relu(x + bias);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(bias_relu_loop)->Name("bias_relu/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(bias_relu_tessera)->Name("bias_relu/tessera")->Unit(benchmark::kMillisecond);

// The mean of a point's four neighbours, through views.

void stencil_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1), y = zeros<float>(Dim{side, side});
  const auto inner = range(1, side - 1);
  for (auto _ : state) {
    y(inner, inner) = 0.25f * (x(range(0, side - 2), inner) + x(range(2, side), inner) + x(inner, range(0, side - 2)) +
                               x(inner, range(2, side)));
    benchmark::ClobberMemory();
  }
}

void stencil_loop(benchmark::State& state) {
  std::vector<float> x(side * side, 0.25f), y(side * side);
  benchmark::DoNotOptimize(y.data());
  for (auto _ : state) {
    for (std::ptrdiff_t i = 1; i + 1 < side; ++i) {
      const float* at = x.data() + i * side;
      float* out = y.data() + i * side;
      for (std::ptrdiff_t j = 1; j + 1 < side; ++j)
        out[j] = 0.25f * (at[j - side] + at[j + side] + at[j - 1] + at[j + 1]);
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(stencil_loop)->Name("stencil/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(stencil_tessera)->Name("stencil/tessera")->Unit(benchmark::kMillisecond);

// y = transposed x.

void transpose_tiled_loop(benchmark::State& state) {
  constexpr std::ptrdiff_t tile = 32;
  std::vector<float> x(side * side, 0.25f), y(side * side);
  benchmark::DoNotOptimize(y.data());
  for (auto _ : state) {
    for (std::ptrdiff_t i = 0; i < side; i += tile) {
      for (std::ptrdiff_t j = 0; j < side; j += tile) {
        for (std::ptrdiff_t r = i; r < i + tile; ++r) {
          for (std::ptrdiff_t c = j; c < j + tile; ++c)
            y[static_cast<std::size_t>(r * side + c)] = x[static_cast<std::size_t>(c * side + r)];
        }
      }
    }
    benchmark::ClobberMemory();
  }
}

void transpose_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1), y(Dim{side, side});
  for (auto _ : state) {
    y = copy(x.T());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(transpose_tiled_loop)->Name("transpose/tiled loop")->Unit(benchmark::kMillisecond);
BENCHMARK(transpose_tessera)->Name("transpose/tessera")->Unit(benchmark::kMillisecond);

// Sums along rows and along columns, and the softmax of rows.

void row_sums_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1);
  Array<float, 1> y(Dim{side});
  for (auto _ : state) {
    y = sum<1>(x);
    benchmark::ClobberMemory();
  }
}

void column_sums_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1);
  Array<float, 1> y(Dim{side});
  for (auto _ : state) {
    y = sum<0>(x);
    benchmark::ClobberMemory();
  }
}

void softmax_tessera(benchmark::State& state) {
  set_num_threads(1);
  Array<float, 2> x = matrix(1), y(Dim{side, side});
  for (auto _ : state) {
    y = softmax<1>(x);
    benchmark::ClobberMemory();
  }
}

void column_sums_loop(benchmark::State& state) {
  std::vector<float> x(side * side, 0.25f), y(side);
  benchmark::DoNotOptimize(y.data());
  for (auto _ : state) {
    std::fill(y.begin(), y.end(), 0.0f);
    for (std::ptrdiff_t i = 0; i < side; ++i) {
      const float* row = x.data() + i * side;
      for (std::ptrdiff_t j = 0; j < side; ++j) y[static_cast<std::size_t>(j)] += row[j];
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(column_sums_loop)->Name("column_sums/loop")->Unit(benchmark::kMillisecond);
BENCHMARK(column_sums_tessera)->Name("column_sums/tessera")->Unit(benchmark::kMillisecond);
BENCHMARK(row_sums_tessera)->Name("row_sums/tessera")->Unit(benchmark::kMillisecond);
BENCHMARK(softmax_tessera)->Name("softmax/tessera")->Unit(benchmark::kMillisecond);

// c = a + 2 b with 8 elements: what one evaluation costs.

void small_arrays(benchmark::State& state) {
  Array<float, 1, CpuPlace> a = ones<float>(Dim{8}, CpuPlace{}), b = ones<float>(Dim{8}, CpuPlace{}), c(Dim{8});
  for (auto _ : state) {
    c = a + 2.0f * b;
    benchmark::ClobberMemory();
  }
}

void small_views(benchmark::State& state) {
  float a[8] = {}, b[8] = {}, c[8] = {};
  const auto x = make_view(a, Dim{8}), y = make_view(b, Dim{8}), z = make_view(c, Dim{8});
  for (auto _ : state) {
    z = x + 2.0f * y;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(small_arrays)->Name("eight_elements/arrays");
BENCHMARK(small_views)->Name("eight_elements/views");

}  // namespace
