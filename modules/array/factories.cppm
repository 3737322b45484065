module;
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.array:factories;
import tessera.standard;
import tessera.core;
import tessera.device;
import :handle;
import :layout;
import :device_copy;

// New arrays with known contents.
namespace tessera {

/// A host array filled by `fill(data, count)`, then moved to `place`.
template <Element T, int Rank, AnyPlace P, class Fill>
Array<T, Rank, P> filled(const Dim<Rank>& shape, P place, const Fill& fill) {
  if (Place(place).on_host()) {
    Array<T, Rank, P> array(shape, place);
    fill(array.data(), array.size());
    return array;
  }
  require_device(place);
  Array<T, Rank, CpuPlace> array(shape);
  fill(array.data(), array.size());
  return array.to(place);
}

/// All elements equal to `value`.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> full(const Dim<Rank>& shape, T value, P place = {}) {
  if (!Place(place).on_host()) {
    const Array<T, Rank, P> array(shape, place);
    if (fill_on_device(array.data(), place, array.size(), &value, sizeof(T), *array.buffer()->uses())) return array;
  }
  return filled<T>(shape, place, [value](T* data, std::ptrdiff_t count) { std::fill_n(data, count, value); });
}

/// All elements zero.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> zeros(const Dim<Rank>& shape, P place = {}) {
  return full(shape, T(0), place);
}

/// All elements one.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> ones(const Dim<Rank>& shape, P place = {}) {
  return full(shape, T(1), place);
}

std::ptrdiff_t arange_count(double start, double stop, double step);
std::ptrdiff_t arange_count(std::uint64_t distance, std::uint64_t step);

// Integers are counted and computed modulo 2^64, which is exact wherever the result is one of them.
template <std::integral T>
std::ptrdiff_t arange_count_of(T start, T stop, T step) {
  const auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
  if (step < 0) return arange_count(stop < start ? wide(start) - wide(stop) : 0, std::uint64_t{0} - wide(step));
  return arange_count(start < stop ? wide(stop) - wide(start) : 0, wide(step));
}

/// start, start + step, ... before stop. Throws ShapeError if step is 0 or NaN, or if there are too many.
export template <Real T, AnyPlace P = Place>
Array<T, 1, P> arange(T start, T stop, T step = T(1), P place = {}) {
  using C = std::conditional_t<Floating<T>, double, std::uint64_t>;
  std::ptrdiff_t count = 0;
  if constexpr (Floating<T>) {
    count = arange_count(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step));
  } else {
    count = arange_count_of(start, stop, step);
  }
  return filled<T>(Dim<1>{count}, place, [=](T* data, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      data[i] = static_cast<T>(static_cast<C>(start) + static_cast<C>(i) * static_cast<C>(step));
  });
}

/// 0, 1, ... before stop.
export template <Real T>
Array<T, 1> arange(T stop) {
  return arange(T(0), stop);
}

/// `count` values from start to stop, both included, evenly spaced. Throws ShapeError if count is negative.
export template <Floating T, AnyPlace P = Place>
Array<T, 1, P> linspace(T start, T stop, std::ptrdiff_t count, P place = {}) {
  return filled<T>(Dim<1>{count}, place, [=](T* data, std::ptrdiff_t n) {
    const double first = static_cast<double>(start);
    const double last = static_cast<double>(stop);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      data[i] = i + 1 == n && n > 1
                    ? stop
                    : T(first + (last - first) * static_cast<double>(i) / static_cast<double>(n > 1 ? n - 1 : 1));
    }
  });
}

/// The matrix with ones on the main diagonal and zeros elsewhere; square unless `columns` is given.
export template <Element T, AnyPlace P = Place>
Array<T, 2, P> eye(std::ptrdiff_t rows, std::ptrdiff_t columns = -1, P place = {}) {
  if (columns == -1) columns = rows;
  return filled<T>(Dim<2>{rows, columns}, place, [=](T* data, std::ptrdiff_t n) {
    std::fill_n(data, n, T(0));
    for (std::ptrdiff_t i = 0; i < std::min(rows, columns); ++i) data[i * (columns + 1)] = T(1);
  });
}

}  // namespace tessera
