module;
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.array:factories;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;
import :layout;
import :device_copy;

// New arrays with known contents.
namespace tessera {

/// The shape that a list of extents is.
template <std::integral Extent, std::size_t Count>
Dim<static_cast<int>(Count)> dim_of(const Extent (&shape)[Count]) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Dim<static_cast<int>(Count)>{shape[I]...};
  }(std::make_index_sequence<Count>{});
}

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
Array<T, Rank, P> full(const Dim<Rank>& shape, std::type_identity_t<T> value, P place = {}) {
  if (!Place(place).on_host()) {
    const Array<T, Rank, P> array(shape, place);
    if (fill_on_device(array.data(), place, array.size(), &value, sizeof(T), *array.buffer()->uses())) return array;
  }
  return filled<T>(shape, place, [value](T* data, std::ptrdiff_t count) { std::fill_n(data, count, value); });
}
/// The element type is that of the value.
export template <int Rank, Element T, AnyPlace P = Place>
Array<T, Rank, P> full(const Dim<Rank>& shape, T value, P place = {}) {
  return full<T, Rank, P>(shape, value, place);
}
export template <Element T, std::integral Extent, std::size_t Count, AnyPlace P = Place>
Array<T, static_cast<int>(Count), P> full(const Extent (&shape)[Count], std::type_identity_t<T> value, P place = {}) {
  return full<T>(dim_of(shape), value, place);
}

/// All elements zero: zeros<float>(Dim{2, 3}), zeros<float>({2, 3}) and zeros<float>(2, 3) are the same.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> zeros(const Dim<Rank>& shape, P place = {}) {
  return full<T>(shape, T(0), place);
}
export template <Element T, std::integral Extent, std::size_t Count, AnyPlace P = Place>
Array<T, static_cast<int>(Count), P> zeros(const Extent (&shape)[Count], P place = {}) {
  return zeros<T>(dim_of(shape), place);
}
export template <Element T, std::integral... Extent>
  requires(sizeof...(Extent) > 0)
Array<T, static_cast<int>(sizeof...(Extent))> zeros(Extent... shape) {
  return zeros<T>(Dim{shape...});
}

/// All elements one.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> ones(const Dim<Rank>& shape, P place = {}) {
  return full<T>(shape, T(1), place);
}
export template <Element T, std::integral Extent, std::size_t Count, AnyPlace P = Place>
Array<T, static_cast<int>(Count), P> ones(const Extent (&shape)[Count], P place = {}) {
  return ones<T>(dim_of(shape), place);
}
export template <Element T, std::integral... Extent>
  requires(sizeof...(Extent) > 0)
Array<T, static_cast<int>(sizeof...(Extent))> ones(Extent... shape) {
  return ones<T>(Dim{shape...});
}

/// Elements that are not initialised.
export template <Element T, int Rank, AnyPlace P = Place>
Array<T, Rank, P> empty(const Dim<Rank>& shape, P place = {}) {
  return Array<T, Rank, P>(shape, place);
}
export template <Element T, std::integral Extent, std::size_t Count, AnyPlace P = Place>
Array<T, static_cast<int>(Count), P> empty(const Extent (&shape)[Count], P place = {}) {
  return empty<T>(dim_of(shape), place);
}
export template <Element T, std::integral... Extent>
  requires(sizeof...(Extent) > 0)
Array<T, static_cast<int>(sizeof...(Extent))> empty(Extent... shape) {
  return empty<T>(Dim{shape...});
}

/// The place of new arrays beside an operand: its own, or the CPU for what has none.
template <Operand O>
using place_beside = std::conditional_t<std::is_void_v<place_of<O>>, Place, place_of<O>>;

template <Operand O>
place_beside<O> place_like(const O& x) {
  if constexpr (ExpressionNode<O>) {
    const auto place = x.place();
    return place ? place_cast<place_beside<O>>(*place) : place_beside<O>{};
  } else {
    return x.place();
  }
}

/// Arrays with the shape, element type and place of an operand; zeros_like<T>(x) has elements of another type.
export template <class T = void, Operand O>
auto zeros_like(const O& x) {
  using E = std::conditional_t<std::is_void_v<T>, value_of<O>, T>;
  return zeros<E>(Dim<rank_of<O>>(x.shape()), place_like(x));
}
/// As zeros_like, all elements one. Throws ShapeError, OutOfMemory, DeviceError.
export template <class T = void, Operand O>
auto ones_like(const O& x) {
  using E = std::conditional_t<std::is_void_v<T>, value_of<O>, T>;
  return ones<E>(Dim<rank_of<O>>(x.shape()), place_like(x));
}
/// As zeros_like, all elements `value`, which is converted to their type. Throws ShapeError, OutOfMemory, DeviceError.
export template <class T = void, Operand O, class V>
  requires std::convertible_to<V, std::conditional_t<std::is_void_v<T>, value_of<O>, T>>
auto full_like(const O& x, V value) {
  using E = std::conditional_t<std::is_void_v<T>, value_of<O>, T>;
  return full<E>(Dim<rank_of<O>>(x.shape()), static_cast<E>(value), place_like(x));
}
/// As zeros_like, the elements not initialised. Throws ShapeError, OutOfMemory, DeviceError.
export template <class T = void, Operand O>
auto empty_like(const O& x) {
  using E = std::conditional_t<std::is_void_v<T>, value_of<O>, T>;
  return empty<E>(Dim<rank_of<O>>(x.shape()), place_like(x));
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
Array<T, 1, P> arange(T start, std::type_identity_t<T> stop, std::type_identity_t<T> step = T(1), P place = {}) {
  using C = std::conditional_t<Floating<T>, double, std::uint64_t>;
  std::ptrdiff_t count = 0;
  if constexpr (Floating<T>) {
    count = arange_count(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step));
  } else {
    count = arange_count_of<T>(start, stop, step);
  }
  return filled<T>(Dim<1>{count}, place, [=](T* data, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      data[i] = static_cast<T>(static_cast<C>(start) + static_cast<C>(i) * static_cast<C>(step));
  });
}
/// Integers among floating numbers take their type: arange(0, 1, 0.25).
export template <std::integral T, class U, class V = int>
  requires std::is_arithmetic_v<U> && std::is_arithmetic_v<V> && std::floating_point<decltype(T() + U() + V())>
auto arange(T start, U stop, V step = 1) {
  using C = decltype(T() + U() + V());
  return arange<C>(static_cast<C>(start), static_cast<C>(stop), static_cast<C>(step));
}

/// 0, 1, ... before stop.
export template <Real T>
Array<T, 1> arange(T stop) {
  return arange<T>(T(0), stop);
}

/// Whether the last of evenly spaced values is the end of their interval.
export enum class Endpoint { included, excluded };

/// `count` values from start to stop, evenly spaced: both included, or without the end. Throws ShapeError if count is negative.
export template <Floating T, AnyPlace P = Place>
Array<T, 1, P> linspace(T start, std::type_identity_t<T> stop, std::ptrdiff_t count, Endpoint end, P place = {}) {
  return filled<T>(Dim<1>{count}, place, [=](T* data, std::ptrdiff_t n) {
    const bool is_included = end == Endpoint::included && n > 1;
    const double first = static_cast<double>(start);
    const double last = static_cast<double>(stop);
    const double steps = static_cast<double>(is_included ? n - 1 : n);
    const double range = last - first;
    const bool is_wide = std::isinf(range) && std::isfinite(first) && std::isfinite(last);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const double step = static_cast<double>(i);
      const double value = is_wide ? first * (1 - step / steps) + last * (step / steps) : first + range * step / steps;
      data[i] = i + 1 == n && is_included ? stop : T(value);
    }
  });
}
export template <Floating T, AnyPlace P = Place>
Array<T, 1, P> linspace(T start, std::type_identity_t<T> stop, std::ptrdiff_t count, P place = {}) {
  return linspace<T>(start, stop, count, Endpoint::included, place);
}
/// Between integers the values are double, and they take the type of a floating bound: linspace(0, 1, 5).
export template <std::integral T, class U, class... End>
  requires std::is_arithmetic_v<U> && (sizeof...(End) <= 2)
auto linspace(T start, U stop, std::ptrdiff_t count, End... end) {
  using C = std::conditional_t<std::integral<U>, double, U>;
  return linspace<C>(static_cast<C>(start), static_cast<C>(stop), count, end...);
}

/// The matrix with ones on a diagonal and zeros elsewhere: on the main one, or as many above it as `diagonal` says, below it if that is
/// negative; square unless `columns` is given. Throws ShapeError for negative numbers of rows and columns.
export template <Element T, AnyPlace P = Place>
Array<T, 2, P> eye(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t diagonal, P place = {}) {
  return filled<T>(Dim<2>{rows, columns}, place, [=](T* data, std::ptrdiff_t n) {
    std::fill_n(data, n, T(0));
    if (n == 0 || diagonal >= columns || diagonal <= -rows) return;
    const std::ptrdiff_t row = diagonal < 0 ? -diagonal : 0, column = diagonal > 0 ? diagonal : 0;
    for (std::ptrdiff_t i = 0; i < std::min(rows - row, columns - column); ++i)
      data[(row + i) * columns + column + i] = T(1);
  });
}
export template <Element T, AnyPlace P = Place>
Array<T, 2, P> eye(std::ptrdiff_t rows, std::ptrdiff_t columns, P place = {}) {
  return eye<T>(rows, columns, 0, place);
}
export template <Element T>
Array<T, 2> eye(std::ptrdiff_t rows) {
  return eye<T>(rows, rows);
}

}  // namespace tessera
