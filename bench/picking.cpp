// Rows that a vector of indices picks at random, read where they are needed: beside loops written by hand, and beside taking them first.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

import tessera;

using namespace tessera;

namespace {

using Matrix = Array<float, 2, CpuPlace>;
using Row = Array<float, 1, CpuPlace>;
using Indices = Array<std::int64_t, 1, CpuPlace>;

constexpr std::ptrdiff_t elements = std::ptrdiff_t{1} << 26;  // to pick from: more than a cache holds

/// Rows of one width, as many to pick from as the elements allow, and a quarter of them picked.
struct Rows {
  std::ptrdiff_t width;
  Matrix x{Dim{elements / width, width}};
  Indices indices{Dim<1>{elements / width / 4}};
  Matrix y{Dim{elements / width / 4, width}};
  Row bias{Dim<1>{width}};

  explicit Rows(std::ptrdiff_t of_width) : width(of_width) {
    x(ellipsis) = random::normal<float>(random::Key{1}, x.shape());
    bias(ellipsis) = random::normal<float>(random::Key{2}, bias.shape());
    indices(ellipsis) = random::permutation(random::Key{3}, x.shape()[0])(range(0, indices.size()));
  }
};

/// Runs work(rows) over and over.
template <class Work>
void pick_by(benchmark::State& state, const Work& work) {
  set_num_threads(1);
  Rows rows(state.range(0));
  for (auto _ : state) {
    work(rows);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows.y.size() * 2 * static_cast<std::ptrdiff_t>(sizeof(float)));
}

void copy_by_leaf(benchmark::State& state) {
  pick_by(state, [](Rows& rows) { rows.y(ellipsis) = rows.x(rows.indices, all); });
}
void copy_by_take(benchmark::State& state) {
  pick_by(state, [](Rows& rows) { take_into(rows.y, rows.x, rows.indices); });
}
void copy_by_loop(benchmark::State& state) {
  pick_by(state, [](Rows& rows) {
    const float* const x = rows.x.data();
    float* const y = rows.y.data();
    const std::int64_t* const indices = rows.indices.data();
    const std::ptrdiff_t width = rows.width;
    const std::ptrdiff_t count = rows.indices.size();
    if (width == 1) {
      for (std::ptrdiff_t i = 0; i < count; ++i) y[i] = x[indices[i]];
      return;
    }
    for (std::ptrdiff_t i = 0; i < count; ++i)
      std::memcpy(y + i * width, x + indices[i] * width, static_cast<std::size_t>(width) * sizeof(float));
  });
}

void compute_by_leaf(benchmark::State& state) {
  pick_by(state, [](Rows& rows) { rows.y(ellipsis) = relu(rows.x(rows.indices, all)) + rows.bias; });
}
void compute_by_take(benchmark::State& state) {
  pick_by(state, [](Rows& rows) {
    const Matrix picked = take(rows.x, rows.indices);
    rows.y(ellipsis) = relu(picked) + rows.bias;
  });
}
void compute_by_loop(benchmark::State& state) {
  pick_by(state, [](Rows& rows) {
    const float* const bias = rows.bias.data();
    const std::ptrdiff_t width = rows.width;
    const std::ptrdiff_t count = rows.indices.size();
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const float* const from = rows.x.data() + rows.indices.data()[i] * width;
      float* const to = rows.y.data() + i * width;
      for (std::ptrdiff_t j = 0; j < width; ++j) to[j] = std::max(from[j], 0.0f) + bias[j];
    }
  });
}

void sum_by_leaf(benchmark::State& state) {
  pick_by(state, [](Rows& rows) { rows.y(all, 0) = sum<1>(rows.x(rows.indices, all)); });
}
void sum_by_take(benchmark::State& state) {
  pick_by(state, [](Rows& rows) {
    const Matrix picked = take(rows.x, rows.indices);
    rows.y(all, 0) = sum<1>(picked);
  });
}

/// A batch of 64 rows of 784 numbers times a matrix of 256 columns, as the first layer of a network.
template <class Product>
void multiply_by(benchmark::State& state, const Product& product) {
  set_num_threads(1);
  const std::ptrdiff_t batch = state.range(0);
  Matrix x(Dim{60'000, 784}), w(Dim{784, 256}), y(Dim{batch, 256});
  x(ellipsis) = random::normal<float>(random::Key{1}, x.shape());
  w(ellipsis) = random::normal<float>(random::Key{2}, w.shape());
  const Array<std::int64_t, 1> order = random::permutation(random::Key{3}, 60'000);
  std::ptrdiff_t first = 0;
  for (auto _ : state) {
    product(y, x, order(range(first, first + batch)), w);
    benchmark::ClobberMemory();
    first = first + 2 * batch <= 60'000 ? first + batch : 0;
  }
}

void multiply_by_leaf(benchmark::State& state) {
  multiply_by(state, [](Matrix& y, const Matrix& x, const auto& indices, const Matrix& w) {
    y(ellipsis) = dot(x(indices, all), w);
  });
}
void multiply_by_take(benchmark::State& state) {
  multiply_by(state, [](Matrix& y, const Matrix& x, const auto& indices, const Matrix& w) {
    y(ellipsis) = dot(take(x, indices), w);
  });
}
void multiply_without_picking(benchmark::State& state) {
  multiply_by(state, [](Matrix& y, const Matrix& x, const auto& indices, const Matrix& w) {
    y(ellipsis) = dot(x(range(0, indices.size()), all), w);
  });
}

void with_widths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("width")->Arg(1)->Arg(16)->Arg(64)->Arg(1024);
}
BENCHMARK(copy_by_leaf)->Apply(with_widths);
BENCHMARK(copy_by_take)->Apply(with_widths);
BENCHMARK(copy_by_loop)->Apply(with_widths);
BENCHMARK(compute_by_leaf)->Apply(with_widths);
BENCHMARK(compute_by_take)->Apply(with_widths);
BENCHMARK(compute_by_loop)->Apply(with_widths);
BENCHMARK(sum_by_leaf)->Apply(with_widths);
BENCHMARK(sum_by_take)->Apply(with_widths);
BENCHMARK(multiply_by_leaf)->ArgName("batch")->Arg(64)->Arg(1024);
BENCHMARK(multiply_by_take)->ArgName("batch")->Arg(64)->Arg(1024);
BENCHMARK(multiply_without_picking)->ArgName("batch")->Arg(64)->Arg(1024);

}  // namespace
