// dot and matmul beside the BLAS called by hand, with one thread and with the BLAS's own two, and beside Eigen where it is found.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#define TESSERA_HAS_EIGEN 1
#endif

import tessera;

using namespace tessera;

namespace {

template <class T>
using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

void* openblas() {
  blas::description();  // opens the library with the settings that dot uses
  return dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
}

template <class T>
Gemm<T> gemm_by_hand() {
  void* library = openblas();
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Gemm<T>>(dlsym(library, std::is_same_v<T, float> ? "cblas_sgemm" : "cblas_dgemm"));
}

/// The BLAS's own threads, for the length of a scope.
struct BlasThreads {
  explicit BlasThreads(int count) { set(count); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;
  ~BlasThreads() { set(1); }

  static void set(int count) {
    if (void* library = openblas()) reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))(count);
  }
};

template <class T>
Array<T, 2> square(std::ptrdiff_t n, std::uint64_t seed) {
  return random::uniform<T>(random::Key{seed}, Dim{n, n});
}

void report_flops(benchmark::State& state, double flops) {
  state.counters["GF/s"] = benchmark::Counter(1e-9 * flops, benchmark::Counter::kIsIterationInvariantRate);
}

double cube(std::ptrdiff_t n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }

template <class T, int Threads>
void by_hand(benchmark::State& state) {
  const std::ptrdiff_t n = state.range(0);
  const Array<T, 2> a = square<T>(n, 1), b = square<T>(n, 2), c(Dim{n, n});
  const auto gemm = gemm_by_hand<T>();
  if (gemm == nullptr) return state.SkipWithError("no OpenBLAS");
  const BlasThreads own(Threads);
  const int size = static_cast<int>(n);
  for (auto _ : state) {
    gemm(101, 111, 111, size, size, size, 1, a.data(), size, b.data(), size, 0, c.data(), size);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * cube(n));
}

template <class T, int Threads>
void by_dot(benchmark::State& state) {
  set_num_threads(Threads);
  const std::ptrdiff_t n = state.range(0);
  Array<T, 2> a = square<T>(n, 1), b = square<T>(n, 2), c(Dim{n, n});
  for (auto _ : state) {
    c = dot(a, b);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * cube(n));
}

void with_epilogue(benchmark::State& state, int threads) {
  set_num_threads(threads);
  const std::ptrdiff_t n = state.range(0);
  Array<float, 2> a = square<float>(n, 1), b = square<float>(n, 2), c(Dim{n, n});
  Array<float, 1> bias = full<float>(Dim{n}, -0.5f);
  for (auto _ : state) {
    c = relu(dot(a, b.T()) + bias);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * cube(n));
}

#ifdef TESSERA_HAS_EIGEN
template <class T>
void by_eigen(benchmark::State& state) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::ptrdiff_t n = state.range(0);
  const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, n);
  Matrix c(n, n);
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * cube(n));
}
#endif

// A thousand products of small matrices.

constexpr std::ptrdiff_t batch = 1000;

Array<float, 3> matrices(std::ptrdiff_t n, std::uint64_t seed) {
  return random::uniform<float>(random::Key{seed}, Dim{batch, n, n});
}

void batch_by_hand(benchmark::State& state) {
  const std::ptrdiff_t n = state.range(0);
  const Array<float, 3> a = matrices(n, 1), b = matrices(n, 2), c(Dim{batch, n, n});
  const auto gemm = gemm_by_hand<float>();
  if (gemm == nullptr) return state.SkipWithError("no OpenBLAS");
  const int size = static_cast<int>(n);
  for (auto _ : state) {
    for (std::ptrdiff_t i = 0; i < batch * n * n; i += n * n)
      gemm(101, 111, 111, size, size, size, 1, a.data() + i, size, b.data() + i, size, 0, c.data() + i, size);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * static_cast<double>(batch) * cube(n));
}

void batch_by_matmul(benchmark::State& state, int threads) {
  set_num_threads(threads);
  const std::ptrdiff_t n = state.range(0);
  Array<float, 3> a = matrices(n, 1), b = matrices(n, 2), c(Dim{batch, n, n});
  for (auto _ : state) {
    c = matmul(a, b);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * static_cast<double>(batch) * cube(n));
}

void vector(benchmark::State& state, int threads) {
  set_num_threads(threads);
  const std::ptrdiff_t n = state.range(0);
  Array<float, 2> a = square<float>(n, 1);
  Array<float, 1> x = ones<float>(Dim{n}), y(Dim{n});
  for (auto _ : state) {
    y = dot(a, x);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * n * static_cast<std::ptrdiff_t>(sizeof(float)));
}

template <class T>
void integers(benchmark::State& state) {
  set_num_threads(1);
  const std::ptrdiff_t n = state.range(0);
  Array<T, 2> a = full(Dim{n, n}, T(3)), b = full(Dim{n, n}, T(5)), c(Dim{n, n});
  for (auto _ : state) {
    c = dot(a, b);
    benchmark::ClobberMemory();
  }
  report_flops(state, 2 * cube(n));
}

void sizes(benchmark::internal::Benchmark* run) { run->RangeMultiplier(2)->Range(64, 2048)->UseRealTime(); }
void small_sizes(benchmark::internal::Benchmark* run) { run->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Arg(32)->UseRealTime(); }

BENCHMARK_TEMPLATE2(by_hand, float, 1)->Name("matmul/f32 by hand, 1 thread")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_dot, float, 1)->Name("matmul/f32 dot, 1 thread")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_hand, float, 2)->Name("matmul/f32 by hand, 2 threads of its own")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_dot, float, 2)->Name("matmul/f32 dot, 2 threads")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_hand, double, 1)->Name("matmul/f64 by hand, 1 thread")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_dot, double, 1)->Name("matmul/f64 dot, 1 thread")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_hand, double, 2)->Name("matmul/f64 by hand, 2 threads of its own")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_dot, double, 2)->Name("matmul/f64 dot, 2 threads")->Apply(sizes);
BENCHMARK_TEMPLATE2(by_dot, bfloat16, 1)->Name("matmul/bf16 dot, 1 thread")->Apply(sizes);
BENCHMARK_CAPTURE(with_epilogue, two, 2)->Name("matmul/relu(dot(a, b.T()) + bias), 2 threads")->Apply(sizes);
#ifdef TESSERA_HAS_EIGEN
BENCHMARK(by_eigen<float>)->Name("matmul/f32 Eigen, 1 thread")->Apply(sizes);
BENCHMARK(by_eigen<double>)->Name("matmul/f64 Eigen, 1 thread")->Apply(sizes);
#endif
BENCHMARK(batch_by_hand)->Name("matmul/1000 products by hand, 1 thread")->Apply(small_sizes);
BENCHMARK_CAPTURE(batch_by_matmul, one, 1)->Name("matmul/1000 products, 1 thread")->Apply(small_sizes);
BENCHMARK_CAPTURE(batch_by_matmul, two, 2)->Name("matmul/1000 products, 2 threads")->Apply(small_sizes);
BENCHMARK_CAPTURE(vector, one, 1)->Name("matmul/matrix by vector, 1 thread")->Apply(sizes);
BENCHMARK_CAPTURE(vector, two, 2)->Name("matmul/matrix by vector, 2 threads")->Apply(sizes);
BENCHMARK(integers<std::int32_t>)->Name("matmul/int32, 1 thread")->Apply(sizes);
BENCHMARK(integers<std::int8_t>)->Name("matmul/int8, 1 thread")->Apply(sizes);

}  // namespace
