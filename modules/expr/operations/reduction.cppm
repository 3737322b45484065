export module tessera.expr:reduction;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :select;
export import :reduction_node;

// Reductions along axes: sums, products, extreme values and where they are, any, all.
namespace tessera {

struct KeepDims {};
/// Reduced axes stay in the shape with extent 1, so that the result broadcasts against the operand.
export inline constexpr KeepDims keepdims{};

/// Axes that can be reduced in an operand of the given rank: in range, each once.
export template <class O, int... Axis>
concept ReducibleAxes = Operand<O> && (axes_are_valid<rank_of<O>, Axis...>() ||
                                       unsatisfied<"a reduced axis is out of range or named twice">);

/// An operand of elements with an order.
export template <class O>
concept OrderedOperand = Operand<O> && (Real<value_of<O>> || unsatisfied<"complex numbers have no order">);

/// A function, because clang 22 takes `sizeof...` of a concept's own pack for satisfied.
template <int... Axis>
constexpr bool names_at_most_one_axis() {
  return sizeof...(Axis) <= 1;
}

/// The axes of a search for a position: one, or none for all elements.
export template <int... Axis>
concept OneAxisOrAll =
    names_at_most_one_axis<Axis...>() || unsatisfied<"a position is along one axis, or among all elements">;

/// Sum along the named axes, or of all elements; integers and bool are summed in 64 bits. float16, bfloat16 and float are accumulated
/// in float with the error of pairwise summation.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto sum(O&& x) {
  return make_reduction<ReduceOp::sum, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto sum(O&& x, KeepDims) {
  return make_reduction<ReduceOp::sum, true, Axis...>(std::forward<O>(x));
}

/// Product along the named axes, or of all elements; of integers in 64 bits.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto prod(O&& x) {
  return make_reduction<ReduceOp::product, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto prod(O&& x, KeepDims) {
  return make_reduction<ReduceOp::product, true, Axis...>(std::forward<O>(x));
}

/// The element type in which a reduction computes.
export template <Element T>
struct AccumulatorType {};
/// sum<1>(x, dtype<double>): elements are converted before they are added up, and the result has that type.
export template <Element T>
inline constexpr AccumulatorType<T> dtype{};

/// The result of a reduction in the type that was asked for.
template <Element T, class R>
auto accumulated_as(R&& result) {
  if constexpr (std::same_as<value_of<R>, T>) {
    return std::forward<R>(result);
  } else {
    return cast<T>(std::forward<R>(result));
  }
}

/// Sum of the elements converted to T, of that type.
export template <int... Axis, Operand O, Element T, class... Keep>
  requires ReducibleAxes<O, Axis...> && (sizeof...(Keep) == 0 || (std::same_as<Keep, KeepDims> && ...))
auto sum(O&& x, AccumulatorType<T>, Keep... keep) {
  return accumulated_as<T>(sum<Axis...>(cast<T>(std::forward<O>(x)), keep...));
}
/// Product of the elements converted to T, of that type.
export template <int... Axis, Operand O, Element T, class... Keep>
  requires ReducibleAxes<O, Axis...> && (sizeof...(Keep) == 0 || (std::same_as<Keep, KeepDims> && ...))
auto prod(O&& x, AccumulatorType<T>, Keep... keep) {
  return accumulated_as<T>(prod<Axis...>(cast<T>(std::forward<O>(x)), keep...));
}

/// Smallest element along the named axes, or of all; NaN if one is NaN. Throws ShapeError over an empty axis.
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...>
auto min(O&& x) {
  return make_reduction<ReduceOp::minimum, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...>
auto min(O&& x, KeepDims) {
  return make_reduction<ReduceOp::minimum, true, Axis...>(std::forward<O>(x));
}

/// Largest element along the named axes, or of all; NaN if one is NaN. Throws ShapeError over an empty axis.
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...>
auto max(O&& x) {
  return make_reduction<ReduceOp::maximum, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...>
auto max(O&& x, KeepDims) {
  return make_reduction<ReduceOp::maximum, true, Axis...>(std::forward<O>(x));
}

struct NonZero {
  static constexpr const char* name = "nonzero";
  static constexpr const char* device = "$0 != 0";
  template <class C>
  [[gnu::always_inline]] static bool apply(C a) {
    return a != C(0);
  }
};

/// The operand as bool: whether elements differ from 0, as NaN does.
template <class O>
auto as_bool(O&& x) {
  if constexpr (std::same_as<value_of<O>, bool>) {
    return as_node(std::forward<O>(x));
  } else {
    return make_unary<NonZero, bool>(std::forward<O>(x));
  }
}

/// Whether any element along the named axes, or of all, is true or not 0; false over nothing.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto any(O&& x) {
  return make_reduction<ReduceOp::any, false, Axis...>(as_bool(std::forward<O>(x)));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto any(O&& x, KeepDims) {
  return make_reduction<ReduceOp::any, true, Axis...>(as_bool(std::forward<O>(x)));
}

/// As any; the counterpart of all_of.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto any_of(O&& x) {
  return any<Axis...>(std::forward<O>(x));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto any_of(O&& x, KeepDims) {
  return any<Axis...>(std::forward<O>(x), keepdims);
}

/// Whether all elements along the named axes, or of all, are true or not 0; true over nothing. `all(x)` is the same without
/// axes: the name `all` stands for the whole axis in `a(all, 0)`, and cannot take axes besides.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto all_of(O&& x) {
  return make_reduction<ReduceOp::all, false, Axis...>(as_bool(std::forward<O>(x)));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto all_of(O&& x, KeepDims) {
  return make_reduction<ReduceOp::all, true, Axis...>(as_bool(std::forward<O>(x)));
}

/// Number (int64) of elements along the named axes, or of all, that are true or not 0.
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto count_nonzero(O&& x) {
  return make_reduction<ReduceOp::sum, false, Axis...>(as_bool(std::forward<O>(x)));
}
export template <int... Axis, class O>
  requires ReducibleAxes<O, Axis...>
auto count_nonzero(O&& x, KeepDims) {
  return make_reduction<ReduceOp::sum, true, Axis...>(as_bool(std::forward<O>(x)));
}

/// Position (int64) of the smallest element along one axis, or in row-major order of all elements; the first of equals, and
/// the first NaN if there is one. Throws ShapeError over an empty axis.
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...> && OneAxisOrAll<Axis...>
auto argmin(O&& x) {
  return make_reduction<ReduceOp::argmin, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...> && OneAxisOrAll<Axis...>
auto argmin(O&& x, KeepDims) {
  return make_reduction<ReduceOp::argmin, true, Axis...>(std::forward<O>(x));
}

/// Position (int64) of the largest element; as argmin.
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...> && OneAxisOrAll<Axis...>
auto argmax(O&& x) {
  return make_reduction<ReduceOp::argmax, false, Axis...>(std::forward<O>(x));
}
export template <int... Axis, OrderedOperand O>
  requires ReducibleAxes<O, Axis...> && OneAxisOrAll<Axis...>
auto argmax(O&& x, KeepDims) {
  return make_reduction<ReduceOp::argmax, true, Axis...>(std::forward<O>(x));
}

}  // namespace tessera
