module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:filters;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :filtering;

// Convolution of vectors, and interpolation between the points of a curve.
namespace tessera {

/// Which part of a convolution is wanted: all of it, as many elements as the longer vector has, or those that all elements of the shorter one
/// take part in.
export enum class ConvolveMode { full, same, valid };

template <class A, class B>
concept ConvolvedOperands =
    rows::KnownOperand<A> && rows::KnownOperand<B> &&
    ((rank_of<A> == 1 && rank_of<B> == 1) || unsatisfied<"convolve() takes two vectors">) &&
    (Promotable<value_of<A>, value_of<B>> ||
     unsatisfied<"the element types have no common one: cast<T>(...) one of them">) &&
    ((Numeric<value_of<A>> && Numeric<value_of<B>>) || unsatisfied<"bool has no arithmetic: write cast<T>(...)">);

/// What products of elements of type T are added up in.
template <class T>
using convolution_t = std::conditional_t<Integer<T>, std::uint64_t, compute_t<T>>;

/// The convolution of two vectors: element i is the sum of a[j] b[i - j]. In the promoted type, 16 bits in float; integers wrap. O(n m), on several
/// threads where that is much; the order of additions does not depend on their number. On the host only. Throws ShapeError for a vector without
/// elements, PlaceError, OutOfMemory.
export template <class A, class B>
  requires ConvolvedOperands<A, B>
auto convolve(const A& a, const B& b, ConvolveMode mode = ConvolveMode::full,
              std::source_location where = std::source_location::current()) {
  using T = promote_t<value_of<A>, value_of<B>>;
  using Sum = convolution_t<T>;
  const auto left = rows::on_host<Sum>(a, {"convolve", "a", where});
  const auto right = rows::on_host<Sum>(b, {"convolve", "b", where});
  filtering::require_elements(left.size(), {"convolve", "a", where});
  filtering::require_elements(right.size(), {"convolve", "b", where});
  const bool is_longer = left.size() >= right.size();
  const std::ptrdiff_t n = is_longer ? left.size() : right.size(), m = is_longer ? right.size() : left.size();
  const std::ptrdiff_t first = mode == ConvolveMode::full ? 0 : mode == ConvolveMode::same ? (m - 1) / 2 : m - 1;
  const std::ptrdiff_t count = mode == ConvolveMode::full ? n + m - 1 : mode == ConvolveMode::same ? n : n - m + 1;
  Array<Sum, 1, rows::result_place<A>> result(Dim<1>{count}, left.place());
  const rows::Vector x = rows::vector_of(left), y = rows::vector_of(right);
  filtering::convolve(is_longer ? x : y, is_longer ? y : x, first, count, result.data());
  if constexpr (std::same_as<T, Sum>) {
    return result;
  } else {
    return Array<T, 1, rows::result_place<A>>(cast<T>(result));
  }
}

template <class X, class C, class D>
concept InterpolatedOperands =
    rows::KnownOperand<X> && rows::KnownOperand<C> && rows::KnownOperand<D> && OrderedOperand<X> && OrderedOperand<C> &&
    OrderedOperand<D> && ((rank_of<C> == 1 && rank_of<D> == 1) || unsatisfied<"a curve has vectors of coordinates">);

template <class X, class C, class D>
auto interpolated(const X& x, const C& abscissas, const D& ordinates,
                  const std::optional<std::pair<double, double>>& ends, const std::source_location& where) {
  using T = std::conditional_t<Floating<value_of<X>>, value_of<X>, double>;
  const auto at = rows::on_host<double>(x, {"interp", "x", where});
  const auto across = rows::on_host<double>(abscissas, {"interp", "abscissas", where});
  const auto up = rows::on_host<double>(ordinates, {"interp", "ordinates", where});
  filtering::Curve curve{across.data(), up.data(), across.size(), 0, 0};
  filtering::require_curve(curve, up.size(), {"interp", "abscissas", where});
  curve.left = ends ? ends->first : up.data()[0];
  curve.right = ends ? ends->second : up.data()[up.size() - 1];
  Array<double, rank_of<X>, rows::result_place<X>> result(at.shape(), at.place());
  filtering::interpolate(curve, at.data(), at.size(), result.data());
  if constexpr (std::same_as<T, double>) {
    return result;
  } else {
    return Array<T, rank_of<X>, rows::result_place<X>>(cast<T>(result));
  }
}

/// The ordinate at each x of the lines between the points of a curve, whose abscissas ascend; that of the first point in front of it, that of the
/// last behind it; NaN at NaN. Computed in double, in x's type if that is floating. O(log n) per element. On the host only. Throws ShapeError for
/// a curve without points, or coordinates that are not as many, std::invalid_argument for abscissas that descend, PlaceError, OutOfMemory.
export template <class X, class C, class D>
  requires InterpolatedOperands<X, C, D>
auto interp(const X& x, const C& abscissas, const D& ordinates,
            std::source_location where = std::source_location::current()) {
  return interpolated(x, abscissas, ordinates, {}, where);
}
/// The same with `left` in front of the curve and `right` behind it.
export template <class X, class C, class D>
  requires InterpolatedOperands<X, C, D>
auto interp(const X& x, const C& abscissas, const D& ordinates, double left, double right,
            std::source_location where = std::source_location::current()) {
  return interpolated(x, abscissas, ordinates, std::pair<double, double>{left, right}, where);
}

}  // namespace tessera
