module;
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
module tessera.expr;
import :few_task;
import :lanes;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// A row is read once for all vectors beside it, which wait side by side.
namespace tessera::plan {

namespace {

constexpr int most_vectors = 4;
constexpr std::ptrdiff_t packed_bytes = 65536;  // of all vectors

/// Inner products of `Rows` rows and `Vectors` vectors of `count` elements, which fill a vector of registers or more.
template <class T, int Rows, int Vectors, int Bytes>
[[gnu::always_inline]] inline void add_inner_products_of_few(const FewVectors<T>& task, const T* matrix,
                                                             const T* const (&x)[most_vectors], std::ptrdiff_t count,
                                                             T* y, bool adds) {
  using Vector [[gnu::vector_size(Bytes)]] = T;
  constexpr int lanes = Bytes / static_cast<int>(sizeof(T));
  Vector sums[Vectors][Rows] = {};
  const auto add = [&](const auto& load) __attribute__((always_inline)) {
    Vector factors[Vectors], row;
#pragma clang loop unroll(full)
    for (int v = 0; v < Vectors; ++v) load(factors[v], x[v]);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      load(row, matrix + r * task.stride);
#pragma clang loop unroll(full)
      for (int v = 0; v < Vectors; ++v) sums[v][r] += row * factors[v];
    }
  };
  std::ptrdiff_t k = 0;
  for (; k + lanes <= count; k += lanes)
    add([&](Vector& to, const T* from) __attribute__((always_inline)) { std::memcpy(&to, from + k, sizeof(Vector)); });
  if (k < count) {
    const LastVector<Vector, T> last(count, count - k);
    add([&](Vector& to, const T* from) __attribute__((always_inline)) { last.load(to, from); });
  }
#pragma clang loop unroll(full)
  for (int v = 0; v < Vectors; ++v) {
    T results[Rows];
    if constexpr (Rows > 1 && Rows <= lanes) {
      fold_rows<lanes, Rows, 1>(sums[v], std::make_index_sequence<static_cast<std::size_t>(lanes)>());
      std::memcpy(results, &sums[v][0], sizeof(results));
    } else {
      for (int r = 0; r < Rows; ++r) results[r] = sum_of_lanes<lanes>(sums[v][r]);
    }
    T* const to = y + v * task.next_y;
    for (int r = 0; r < Rows; ++r) to[r * task.y_step] = adds ? to[r * task.y_step] + results[r] : results[r];
  }
}

/// As many rows together as there are registers for.
template <class T, int Vectors, int Bytes>
[[gnu::always_inline]] inline void multiply_all_rows(const FewVectors<T>& task, std::ptrdiff_t first,
                                                     std::ptrdiff_t count, const T* const (&x)[most_vectors]) {
  constexpr int most_sums = Bytes == 64 ? 24 : 12;
  std::ptrdiff_t i = 0;
  const auto multiply = [&]<int Rows>() __attribute__((always_inline)) {
    for (; i + Rows <= task.rows; i += Rows)
      add_inner_products_of_few<T, Rows, Vectors, Bytes>(task, task.matrix + i * task.stride + first, x, count,
                                                         task.y + i * task.y_step, first > 0);
  };
  if constexpr (Vectors > 1 && 8 * Vectors <= most_sums) multiply.template operator()<8>();
  if constexpr (4 * Vectors <= most_sums) multiply.template operator()<4>();
  if constexpr (4 * Vectors > most_sums) multiply.template operator()<2>();
  multiply.template operator()<1>();
}

template <class T, int Bytes>
[[gnu::always_inline]] inline void multiply_by_few(const FewVectors<T>& task) {
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr std::ptrdiff_t most = packed_bytes / most_vectors / static_cast<std::ptrdiff_t>(sizeof(T));
  alignas(64) T packed[most_vectors][most];
  for (std::ptrdiff_t first = 0; first < task.count;) {
    const std::ptrdiff_t rest = task.count - first;
    // What is left for the last piece fills a vector.
    const std::ptrdiff_t count = rest > most && rest < most + lanes ? rest - lanes : std::min(most, rest);
    const T* x[most_vectors] = {};
    for (std::ptrdiff_t v = 0; v < task.vectors; ++v) {
      x[v] = task.x + first * task.step + v * task.next_x;
      if (task.step == 1) continue;
      for (std::ptrdiff_t k = 0; k < count; ++k) packed[v][k] = x[v][k * task.step];
      x[v] = packed[v];
    }
    switch (task.vectors) {
      case 1: multiply_all_rows<T, 1, Bytes>(task, first, count, x); break;
      case 2: multiply_all_rows<T, 2, Bytes>(task, first, count, x); break;
      case 3: multiply_all_rows<T, 3, Bytes>(task, first, count, x); break;
      default: multiply_all_rows<T, 4, Bytes>(task, first, count, x); break;
    }
    first += count;
  }
}

template <class T>
struct FewLoops {
  static void baseline(const FewVectors<T>& task) { multiply_by_few<T, 16>(task); }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const FewVectors<T>& task) {
    multiply_by_few<T, 32>(task);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const FewVectors<T>& task) {
    multiply_by_few<T, 64>(task);
  }
};

template <class T>
void multiply_few_of(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  const T* const a = static_cast<const T*>(p.a);
  const T* const b = static_cast<const T*>(p.b);
  T* const y = static_cast<T*>(c);
  const FewVectors<T> task =
      way == ProductWay::few_columns
          ? FewVectors<T>{a, p.a_row, p.rows, p.inner, b, p.b_row, p.b_column, p.columns, y, c_row, 1}
          : FewVectors<T>{b, p.b_column, p.columns, p.inner, a, p.a_column, p.a_row, p.rows, y, 1, c_row};
  switch (device::isa()) {
    case device::Isa::avx512: return FewLoops<T>::avx512(task);
    case device::Isa::avx2: return FewLoops<T>::avx2(task);
    case device::Isa::baseline: break;
  }
  FewLoops<T>::baseline(task);
}

}  // namespace

void multiply_few(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  p.dtype == DType::float64 ? multiply_few_of<double>(p, way, c, c_row) : multiply_few_of<float>(p, way, c, c_row);
}

}  // namespace tessera::plan
