module;
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
module tessera.expr;
import :few_task;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The sums of all vectors for a few vectors of registers stay in these while a matrix passes by.
namespace tessera::plan {

namespace {

/// A part of the rows, and where the sums of a few of their elements begin. The last of their vectors begins at `last`.
struct SumPart {
  std::ptrdiff_t from, end, first, last;
};

/// Sums for `Vectors` vectors in `Wide` vectors of registers each.
template <class T, int Vectors, int Wide, int Bytes>
[[gnu::always_inline]] inline void sum_rows(const FewVectors<T>& task, const SumPart& part) {
  using Vector [[gnu::vector_size(Bytes)]] = T;
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  Vector sums[Vectors][Wide] = {};
  const T* row = task.matrix + part.from * task.stride;
  const T* x = task.x + part.from * task.step;
  for (std::ptrdiff_t k = part.from; k < part.end; ++k, row += task.stride, x += task.step) {
    Vector elements[Wide];
#pragma clang loop unroll(full)
    for (int w = 0; w < Wide; ++w)
      std::memcpy(&elements[w], row + (w + 1 < Wide ? part.first + w * lanes : part.last), sizeof(Vector));
#pragma clang loop unroll(full)
    for (int v = 0; v < Vectors; ++v) {
#pragma clang loop unroll(full)
      for (int w = 0; w < Wide; ++w) sums[v][w] += x[v * task.next_x] * elements[w];
    }
  }
  if (part.from == 0 && task.y_step == 1) {
#pragma clang loop unroll(full)
    for (int v = 0; v < Vectors; ++v) {
      T* const y = task.y + v * task.next_y;
      std::memcpy(y + part.first, &sums[v][0], (Wide - 1) * sizeof(Vector));
      std::memcpy(y + part.last, &sums[v][Wide - 1], sizeof(Vector));
    }
    return;
  }
  // The last vector may begin with elements that others have, too.
  const std::ptrdiff_t end = part.last + lanes, before_last = part.first + (Wide - 1) * lanes;
  for (int v = 0; v < Vectors; ++v) {
    T values[Wide * lanes];
    std::memcpy(values, sums[v], sizeof(values));
    T* const y = task.y + v * task.next_y;
    for (std::ptrdiff_t i = part.first; i < end; ++i) {
      const T sum = values[i < before_last ? i - part.first : i - part.last + (Wide - 1) * lanes];
      T& to = y[i * task.y_step];
      to = part.from == 0 ? sum : to + sum;
    }
  }
}

/// Rows that fill no vector.
template <class T>
[[gnu::always_inline]] inline void sum_short_rows(const FewVectors<T>& task, std::ptrdiff_t from, std::ptrdiff_t end) {
  for (std::ptrdiff_t v = 0; v < task.vectors; ++v) {
    for (std::ptrdiff_t i = 0; i < task.count; ++i) {
      T sum = 0;
      for (std::ptrdiff_t k = from; k < end; ++k)
        sum += task.x[k * task.step + v * task.next_x] * task.matrix[k * task.stride + i];
      T& to = task.y[v * task.next_y + i * task.y_step];
      to = from == 0 ? sum : to + sum;
    }
  }
}

/// Rows of one vector of registers at least, and of less than two if it is not a `Whole` one.
template <class T, int Vectors, int Bytes, bool Whole>
[[gnu::always_inline]] inline void sum_all(const FewVectors<T>& task, std::ptrdiff_t from, std::ptrdiff_t end) {
  constexpr std::ptrdiff_t lanes = Bytes / static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr int sums = Bytes == 64 ? 16 : 8;
  constexpr int most = Whole ? sums / Vectors / 2 * 2 : 2;
  const std::ptrdiff_t count = task.count;
  std::ptrdiff_t i = 0;
  for (; i + most * lanes < count; i += most * lanes)
    sum_rows<T, Vectors, most, Bytes>(task, {from, end, i, i + (most - 1) * lanes});
  const auto sum_rest = [&]<int... Fewer>(std::integer_sequence<int, Fewer...>) __attribute__((always_inline)) {
    const auto wide = static_cast<int>((count - i + lanes - 1) / lanes);
    ((wide == Fewer + 1 ? sum_rows<T, Vectors, Fewer + 1, Bytes>(task, {from, end, i, count - lanes}) : void()), ...);
  };
  sum_rest(std::make_integer_sequence<int, most>());
}

template <class T, int Bytes, bool Whole = true>
[[gnu::always_inline]] inline void multiply_by_sums(const FewVectors<T>& task) {
  if (task.count < Bytes / static_cast<std::ptrdiff_t>(sizeof(T))) {
    if constexpr (Bytes > 16) return multiply_by_sums<T, Bytes / 2, false>(task);
  }
  const std::ptrdiff_t depth = depth_of_sums(sizeof(T));
  for (std::ptrdiff_t from = 0; from < task.rows; from += depth) {
    const std::ptrdiff_t end = std::min(task.rows, from + depth);
    if (task.count < Bytes / static_cast<std::ptrdiff_t>(sizeof(T))) {
      sum_short_rows(task, from, end);
      continue;
    }
    switch (task.vectors) {
      case 2: sum_all<T, 2, Bytes, Whole>(task, from, end); break;
      case 3: sum_all<T, 3, Bytes, Whole>(task, from, end); break;
      default: sum_all<T, 4, Bytes, Whole>(task, from, end); break;
    }
  }
}

template <class T>
struct SumLoops {
  static void baseline(const FewVectors<T>& task) { multiply_by_sums<T, 16>(task); }
  [[gnu::target("avx2,fma,f16c,bmi,bmi2")]] static void avx2(const FewVectors<T>& task) {
    multiply_by_sums<T, 32>(task);
  }
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2")]] static void avx512(
      const FewVectors<T>& task) {
    multiply_by_sums<T, 64>(task);
  }
};

template <class T>
void multiply_sums_of(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  const T* const a = static_cast<const T*>(p.a);
  const T* const b = static_cast<const T*>(p.b);
  T* const y = static_cast<T*>(c);
  const FewVectors<T> task =
      way == ProductWay::few_columns_by_columns
          ? FewVectors<T>{a, p.a_column, p.inner, p.rows, b, p.b_row, p.b_column, p.columns, y, c_row, 1}
          : FewVectors<T>{b, p.b_row, p.inner, p.columns, a, p.a_column, p.a_row, p.rows, y, 1, c_row};
  switch (device::isa()) {
    case device::Isa::avx512: return SumLoops<T>::avx512(task);
    case device::Isa::avx2: return SumLoops<T>::avx2(task);
    case device::Isa::baseline: break;
  }
  SumLoops<T>::baseline(task);
}

}  // namespace

void multiply_few_sums(const TiledProduct& p, ProductWay way, void* c, std::ptrdiff_t c_row) {
  const bool by_columns = way == ProductWay::few_columns_by_columns;
  if (by_columns ? p.columns == 1 : p.rows == 1)  // a tile of one, of which the sums have the same order
    return multiply_vector(p, by_columns ? ProductWay::columns : ProductWay::row_by_rows, c, c_row);
  p.dtype == DType::float64 ? multiply_sums_of<double>(p, way, c, c_row) : multiply_sums_of<float>(p, way, c, c_row);
}

}  // namespace tessera::plan
