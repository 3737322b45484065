export module tessera.expr:weak_scalar;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :parameter_node;
import :map;
import :gpu_prelude;
import :operand_concepts;

// C++ integers beside arrays of narrower integers. The array's type wins, and the scalar may not fit in it: sums, products
// and operations on bits wrap (which is the exact result, wrapped), comparisons answer for the scalar as it is written, and
// whatever has no such meaning throws.
namespace tessera {

template <class S, class T>
concept HoldsMore = std::integral<S> && !std::same_as<S, bool> && Integer<T> &&
                    (std::cmp_less(std::numeric_limits<decltype(+S{})>::min(), std::numeric_limits<T>::min()) ||
                     std::cmp_greater(std::numeric_limits<decltype(+S{})>::max(), std::numeric_limits<T>::max()));

/// A scalar S beside elements of type T may be outside T's range.
template <class S, class T>
concept MayNotFit = HoldsMore<scalar_of<S>, T>;

/// -1, 0 or 1: the scalar is below, in, or above the range of T.
template <Integer T, std::integral S>
constexpr int beside_range(S scalar) {
  if (std::cmp_less(+scalar, std::numeric_limits<T>::min())) return -1;
  return std::cmp_greater(+scalar, std::numeric_limits<T>::max()) ? 1 : 0;
}

[[noreturn]] inline void throw_scalar_does_not_fit(const char* operation, const std::string& scalar, DType dtype) {
  throw DTypeError(
      to_string(Failure{.operation = operation,
                        .problem = "the scalar " + scalar + " does not fit in " + std::string(name(dtype)) +
                                   ", the element type that it takes beside the array",
                        .advice = "convert the array to a wider type: cast<T>(...)"}));
}

// What is made of a scalar that may not fit in T: at once, or of a parameter's value when its op runs.

/// The scalar itself. Throws DTypeError if it does not fit.
template <Element T>
struct ToFitting {
  const char* operation;
  compute_t<T> operator()(std::integral auto scalar) const {
    if (beside_range<T>(scalar) != 0) throw_scalar_does_not_fit(operation, std::to_string(+scalar), dtype_of<T>);
    return static_cast<compute_t<T>>(scalar);
  }
};
/// Whether it fits.
template <Element T>
struct ToFits {
  bool operator()(std::integral auto scalar) const { return beside_range<T>(scalar) == 0; }
};
/// What a comparison with it answers where it does not fit.
template <class Op, Element T, bool Left>
struct ToAnswerBeside {
  bool operator()(std::integral auto scalar) const {
    const int side =
        Left ? beside_range<T>(scalar) : -beside_range<T>(scalar);  // of the range, seen from the left operand's
    return side != 0 && Op::apply(side, 0);
  }
};
/// A shift count: one out of T's range shifts everything out, as T's highest value does.
template <Element T>
struct ToShiftCount {
  T operator()(std::integral auto scalar) const {
    return beside_range<T>(scalar) == 0 ? static_cast<T>(scalar) : std::numeric_limits<T>::max();
  }
};

/// As as_node_beside; throws DTypeError naming `operation` for an integer that does not fit in T.
template <Element T, Source S>
auto as_fitting_node(const char* operation, S&& source) {
  if constexpr (MayNotFit<std::remove_cvref_t<S>, T>) {
    return scalar_node<T>(source, ToFitting<T>{operation});
  } else {
    return as_node_beside<T>(std::forward<S>(source));
  }
}

/// As make_binary, for operations that a wrapped scalar would give another meaning. Throws DTypeError for a scalar that does
/// not fit.
template <class Op, Element Value, class L, class R>
auto make_fitting_binary(L&& left, R&& right) {
  using T = common_value_t<L, R>;
  return map_of<Uniform<Op, compute_t<T>>, Value>([&] { return as_fitting_node<T>(Op::name, std::forward<L>(left)); },
                                                  [&] { return as_fitting_node<T>(Op::name, std::forward<R>(right)); });
}

/// A comparison with a scalar that may be out of range: where it is, `fits` is false and `answer` the result.
template <class Op, class C>
struct ScalarComparison {
  using argument_type = C;
  static constexpr DeviceText text{"(", Op::device, ") && $2 || $3"};
  static constexpr const char* device = text.characters;
  static constexpr const char* name = Op::name;
  [[gnu::always_inline]] static bool map(auto a, auto b, bool fits, bool answer) {
    return (Op::apply(static_cast<C>(a), static_cast<C>(b)) & fits) | answer;
  }
};

/// The node of a comparison, which answers as if it were made in integers without bounds.
template <class Op, class L, class R>
auto make_comparison(L&& left, R&& right) {
  using T = common_value_t<L, R>;
  constexpr bool left_may_not_fit = MayNotFit<std::remove_cvref_t<L>, T>;
  if constexpr (left_may_not_fit || MayNotFit<std::remove_cvref_t<R>, T>) {
    const auto& scalar = [&]() -> const auto& {
      if constexpr (left_may_not_fit)
        return left;
      else
        return right;
    }();
    return map_of<ScalarComparison<Op, compute_t<T>>, bool>(
        [&] { return as_node_beside<T>(std::forward<L>(left)); },
        [&] { return as_node_beside<T>(std::forward<R>(right)); },
        [&] { return scalar_node<bool>(scalar, ToFits<T>()); },
        [&] { return scalar_node<bool>(scalar, ToAnswerBeside<Op, T, left_may_not_fit>()); });
  } else {
    return make_binary<Op, bool>(std::forward<L>(left), std::forward<R>(right));
  }
}

/// The node of a shift count.
template <Element T, Source S>
auto as_shift_count(S&& source) {
  if constexpr (MayNotFit<std::remove_cvref_t<S>, T>) {
    return scalar_node<T>(source, ToShiftCount<T>());
  } else {
    return as_node_beside<T>(std::forward<S>(source));
  }
}

}  // namespace tessera
