module;
#include <cstddef>
export module tessera.algorithm:nan_reductions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :rows;

// Reductions of the elements that are not NaN. All are expressions of others: they fuse, and run on every place.
namespace tessera {

template <class O, int... Axis>
concept NanOperand = FloatingOperand<O> && ReducibleAxes<O, Axis...>;

/// 16-bit elements as float: what is between an operand and a result is not rounded.
template <class O>
auto widened(const O& x) {
  if constexpr (sizeof(value_of<O>) == 2) {
    return cast<float>(x);
  } else {
    return x;
  }
}
template <class T, class E>
auto narrowed(const E& x) {
  if constexpr (std::same_as<value_of<E>, T>) {
    return x;
  } else {
    return cast<T>(x);
  }
}

/// How many elements are not NaN, as a number of their own type.
template <int... Axis, class O, class... Keep>
auto count_of_numbers(const O& x, const Keep&... keep) {
  return cast<value_of<O>>(count_nonzero<Axis...>(x == x, keep...));
}
template <int... Axis, class O, class... Keep>
auto sum_of_numbers(const O& x, const Keep&... keep) {
  return sum<Axis...>(where(isnan(x), value_of<O>(0), x), keep...);
}
template <int... Axis, class O, class... Keep>
auto variance_of_numbers(const O& x, double correction, const Keep&... keep) {
  using T = value_of<O>;
  const auto mean = sum_of_numbers<Axis...>(x, keepdims) / count_of_numbers<Axis...>(x, keepdims);
  const auto distance = where(isnan(x), T(0), x - mean);
  const auto freedom = count_of_numbers<Axis...>(x, keep...) - static_cast<T>(correction);
  return where(freedom > T(0), sum<Axis...>(distance * distance, keep...) / freedom,
               std::numeric_limits<T>::quiet_NaN());
}
/// `found`, and `nothing` where all elements are NaN.
template <int... Axis, class O, class E, class T, class... Keep>
auto unless_all_nan(const O& x, const E& found, T nothing, const Keep&... keep) {
  return where(all_of<Axis...>(isnan(x), keep...), nothing, found);
}

// Each takes its axes as template arguments, or behind its operand one that is known at run time; and keepdims.
#define TESSERA_OF_NUMBERS(function)                                                                                 \
  export template <int... Axis, class O>                                                                             \
    requires NanOperand<O, Axis...>                                                                                  \
  auto function(const O& x) {                                                                                        \
    return function##_with<Axis...>(x);                                                                              \
  }                                                                                                                  \
  export template <int... Axis, class O>                                                                             \
    requires NanOperand<O, Axis...>                                                                                  \
  auto function(const O& x, std::remove_cvref_t<decltype(keepdims)>) {                                               \
    return function##_with<Axis...>(x, keepdims);                                                                    \
  }                                                                                                                  \
  export template <class O, std::integral I>                                                                         \
    requires NanOperand<O, -1> && (rank_of<O> > 0) && (!std::same_as<I, bool>)                                       \
  auto function(const O& x, I axis) {                                                                                \
    return function##_with<-1>(moveaxis(x, storage::checked_axis(Position(axis).value, rank_of<O>, #function), -1)); \
  }

template <int... Axis, class O, class... Keep>
auto nansum_with(const O& x, const Keep&... keep) {
  return sum_of_numbers<Axis...>(x, keep...);
}
/// Sum of the elements that are not NaN along the named axes, or of all; 0 where all are. As sum().
TESSERA_OF_NUMBERS(nansum)

template <int... Axis, class O, class... Keep>
auto nanmean_with(const O& x, const Keep&... keep) {
  const auto wide = widened(x);
  return narrowed<value_of<O>>(sum_of_numbers<Axis...>(wide, keep...) / count_of_numbers<Axis...>(wide, keep...));
}
/// Mean of the elements that are not NaN along the named axes, or of all; NaN where all are.
TESSERA_OF_NUMBERS(nanmean)

template <int... Axis, class O, class... Keep>
auto nanmin_with(const O& x, const Keep&... keep) {
  using T = value_of<O>;
  const auto infinity = static_cast<T>(std::numeric_limits<float>::infinity());
  return unless_all_nan<Axis...>(x, min<Axis...>(where(isnan(x), infinity, x), keep...),
                                 static_cast<T>(std::numeric_limits<float>::quiet_NaN()), keep...);
}
/// Smallest element that is not NaN along the named axes, or of all; NaN where all are. Throws ShapeError over an empty axis.
TESSERA_OF_NUMBERS(nanmin)

template <int... Axis, class O, class... Keep>
auto nanmax_with(const O& x, const Keep&... keep) {
  using T = value_of<O>;
  const auto infinity = static_cast<T>(-std::numeric_limits<float>::infinity());
  return unless_all_nan<Axis...>(x, max<Axis...>(where(isnan(x), infinity, x), keep...),
                                 static_cast<T>(std::numeric_limits<float>::quiet_NaN()), keep...);
}
/// Largest element that is not NaN; as nanmin().
TESSERA_OF_NUMBERS(nanmax)

template <int... Axis, class O, class... Keep>
auto nanargmin_with(const O& x, const Keep&... keep) {
  const auto infinity = static_cast<value_of<O>>(std::numeric_limits<float>::infinity());
  return unless_all_nan<Axis...>(x, argmin<Axis...>(where(isnan(x), infinity, x), keep...), std::int64_t{-1}, keep...);
}
/// Position (int64) of the smallest element that is not NaN along one axis, or in row-major order of all; -1 where all are NaN. NaN counts as
/// infinity: it may be the first of a row of both. Throws ShapeError over an empty axis.
TESSERA_OF_NUMBERS(nanargmin)

template <int... Axis, class O, class... Keep>
auto nanargmax_with(const O& x, const Keep&... keep) {
  const auto infinity = static_cast<value_of<O>>(-std::numeric_limits<float>::infinity());
  return unless_all_nan<Axis...>(x, argmax<Axis...>(where(isnan(x), infinity, x), keep...), std::int64_t{-1}, keep...);
}
/// Position (int64) of the largest element that is not NaN; as nanargmin(), NaN counting as minus infinity.
TESSERA_OF_NUMBERS(nanargmax)
#undef TESSERA_OF_NUMBERS

/// Variance of the elements that are not NaN along the named axes, or of all: as var(), of fewer elements, in two passes. NaN where there are
/// not more of them than the correction.
export template <int... Axis, class O>
  requires NanOperand<O, Axis...>
auto nanvar(const O& x, Correction correction = {}) {
  return narrowed<value_of<O>>(variance_of_numbers<Axis...>(widened(x), correction.value));
}
export template <int... Axis, class O>
  requires NanOperand<O, Axis...>
auto nanvar(const O& x, std::remove_cvref_t<decltype(keepdims)>, Correction correction = {}) {
  return narrowed<value_of<O>>(variance_of_numbers<Axis...>(widened(x), correction.value, keepdims));
}

/// Standard deviation of the elements that are not NaN: the square root of nanvar().
export template <int... Axis, class O>
  requires NanOperand<O, Axis...>
auto nanstddev(const O& x, Correction correction = {}) {
  return narrowed<value_of<O>>(sqrt(variance_of_numbers<Axis...>(widened(x), correction.value)));
}
export template <int... Axis, class O>
  requires NanOperand<O, Axis...>
auto nanstddev(const O& x, std::remove_cvref_t<decltype(keepdims)>, Correction correction = {}) {
  return narrowed<value_of<O>>(sqrt(variance_of_numbers<Axis...>(widened(x), correction.value, keepdims)));
}

}  // namespace tessera
