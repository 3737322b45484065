module;
#include <cmath>
#include <cstddef>
#include <cstdint>
export module tessera.expr:comparing;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :node;
import :map;
import :operators;
import :arithmetic;
import :functions;
import :reduction;
import :assign;

// Whole-array answers: one value of an expression, equality, closeness.
namespace tessera {

/// Throws ShapeError unless there is one element.
void require_one_element(const DDim& shape);

/// The value of what has one element: an expression of rank 0, as sum(x) is, or an array of any rank. Throws ShapeError where there is not one.
export template <Operand O>
value_of<O> item(const O& operand) {
  const auto shape = as_node(operand).shape();
  if constexpr (rank_of<O> > 0) require_one_element(DDim(shape));
  if constexpr (!HostPlace<place_of<O>>) {
    if (const auto place = as_node(operand).place(); place && !Place(*place).on_host()) {
      if constexpr (rank_of<O> == 0) {
        return evaluate(operand)[{}];
      } else {
        return evaluate(operand)[Index<rank_of<O>>(Dim<rank_of<O>>{})];
      }
    }
  }
  value_of<O> value;
  assign(ArrayView<value_of<O>, rank_of<O>, Place>(&value, shape, CpuPlace{}), operand);
  return value;
}

/// Same shape and all elements equal; NaN equals nothing. A C++ number has the shape of rank 0.
export template <Source A, Source B>
  requires Combinable<A, B>
bool array_equal(const A& a, const B& b) {
  if constexpr (rank_of<A> != rank_of<B>) {
    return false;
  } else {
    if constexpr (Operand<A> && Operand<B>) {
      if (!(as_node(a).shape() == as_node(b).shape())) return false;
    }
    return item(sum(a != b)) == 0;
  }
}

/// What can be close: numbers, no bools alone.
template <class S>
concept CloseSource = Source<S> && (Scalar<S> || !std::same_as<value_of<S>, bool>);

/// Integers as double, in which distances have fractions.
template <Source S>
decltype(auto) as_close(const S& source) {
  if constexpr (Operand<S>) {
    if constexpr (Integer<value_of<S>>) {
      return cast<double>(source);
    } else {
      return source;
    }
  } else {
    return source;
  }
}

/// Of real numbers. Its arguments are x, y, the two tolerances, and whether NaN is close to NaN.
struct IsClose {
  static constexpr const char* name = "isclose";
  static constexpr const char* device =
      "($0 == $1 || (tessera_isfinite($1) && tessera_abs($0 - $1) <= $3 + $2 * tessera_abs($1)) || ($4 != 0 && $0 != "
      "$0 && "
      "$1 != $1))";
  template <class C>
  [[gnu::always_inline]] static bool apply(C x, C y, C relative, C absolute, C equal_nan) {
    const bool is_near = __builtin_elementwise_abs(x - y) <= absolute + relative * __builtin_elementwise_abs(y);
    return (x == y) | (is_near & (y - y == 0)) | ((equal_nan != 0) & (x != x) & (y != y));
  }
};

/// |a - b| <= absolute + relative * |b|, element by element; infinities must be equal, NaN is close to nothing, or to NaN if `equal_nan`.
export template <CloseSource A, CloseSource B>
  requires Combinable<A, B>
auto isclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8, bool equal_nan = false) {
  if constexpr (Complex<common_value_t<A, B>>) {
    const auto is_near = isfinite(b) & (abs(a - b) <= absolute + relative * abs(b));
    // NaN with NaN: as often as `equal_nan` says.
    return (a == b) | is_near | ((isnan(a) & isnan(b)) > !equal_nan);
  } else {
    decltype(auto) x = as_close(a);
    decltype(auto) y = as_close(b);
    using T = common_value_t<decltype(x), decltype(y)>;
    using C = compute_t<T>;
    const auto scalar = [](double value) { return scalar_node<C>(static_cast<C>(value), ToElement<C>()); };
    return map_of<Uniform<IsClose, C>, bool>([&] { return as_node_beside<T>(x); }, [&] { return as_node_beside<T>(y); },
                                             [&] { return scalar(relative); }, [&] { return scalar(absolute); },
                                             [&] { return scalar(equal_nan ? 1 : 0); });
  }
}

/// Same shape and isclose() for all elements.
export template <CloseSource A, CloseSource B>
  requires Combinable<A, B>
bool allclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8, bool equal_nan = false) {
  if constexpr (Operand<A> && Operand<B> && rank_of<A> != rank_of<B>) {
    return false;
  } else {
    if constexpr (Operand<A> && Operand<B>) {
      if (!(as_node(a).shape() == as_node(b).shape())) return false;
    }
    return item(sum(!isclose(a, b, relative, absolute, equal_nan))) == 0;
  }
}

}  // namespace tessera
