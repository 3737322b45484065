module;
#include <cstdint>
export module tessera.expr:select;
import tessera.standard;
import tessera.core;
import tessera.array;
import :lowering;
import :node;
import :map;
import :gpu_prelude;
import :weak_scalar;

// where, cast and copy.
namespace tessera {

template <class C>
struct Where {
  static constexpr const char* name = "where";
  static constexpr DeviceText text{"$0 ? (", device_type<C>(), ")$1 : (", device_type<C>(), ")$2"};
  static constexpr const char* device = text.characters;
  [[gnu::always_inline]] static C map(bool condition, auto a, auto b) {
    const C first = static_cast<C>(a);
    const C second = static_cast<C>(b);
    return condition ? first : second;
  }
};

template <class A, class B>
struct where_value : common_value<A, B> {};
template <Scalar A, Scalar B>
  requires std::same_as<scalar_of<A>, scalar_of<B>> && Element<scalar_of<A>>
struct where_value<A, B> {
  using type = scalar_of<A>;
};
/// Two C++ numbers of different types meet as they do in C++.
template <Scalar A, Scalar B>
  requires(!std::same_as<scalar_of<A>, scalar_of<B>>) && std::is_arithmetic_v<scalar_of<A>> &&
          std::is_arithmetic_v<scalar_of<B>> && (!std::same_as<scalar_of<A>, bool>) &&
          (!std::same_as<scalar_of<B>, bool>) && Element<decltype(scalar_of<A>() + scalar_of<B>())>
struct where_value<A, B> {
  using type = decltype(scalar_of<A>() + scalar_of<B>());
};

/// a where the condition is true, b elsewhere; all three broadcast, and one of them is an array or an expression. Two C++ numbers meet as they do in
/// C++. Throws DTypeError for an integer scalar that does not fit in the type of the other branch.
export template <Source Condition, class A, class B>
  requires(Operand<Condition> || Operand<A> || Operand<B>) &&
          (std::same_as<value_of<Condition>, bool> ||
           unsatisfied<"the condition of where is an expression of bool, as z > 0 is">) &&
          (requires { typename where_value<std::remove_cvref_t<A>, std::remove_cvref_t<B>>::type; } ||
           unsatisfied<"the two branches have no common type: write cast<T>(...)">)
auto where(Condition&& condition, A&& a, B&& b) {
  using T = typename where_value<std::remove_cvref_t<A>, std::remove_cvref_t<B>>::type;
  return map_of<Where<compute_t<T>>, T>([&] { return as_node_beside<bool>(std::forward<Condition>(condition)); },
                                        [&] { return as_fitting_node<T>("where", std::forward<A>(a)); },
                                        [&] { return as_fitting_node<T>("where", std::forward<B>(b)); });
}

/// To a floating-point type of 16 bits: the value is rounded here, so that a cast means the same inside an expression.
template <Element To, device::Isa Isa>
struct CastToHalf {
  template <class From>
  [[gnu::always_inline]] static float map(From value) {
    if constexpr (Complex<From>) {
      return map(value.real());
    } else {
      return load<Isa, To>(stored<Isa, To>(value));
    }
  }
};

/// To an integer type the value is cut to its range first, and NaN gives 0, so that every conversion is defined.
template <Element To>
struct Cast {
  static constexpr const char* name = "cast";
  static constexpr bool converts_only = true;
  static constexpr DeviceText text{sizeof(To) == sizeof(compute_t<To>) ? ""
                                   : std::same_as<To, float16>         ? "tessera_round_float16"
                                                                       : "tessera_round_bfloat16",
                                   "(tessera_cast<", device_type<compute_t<To>>(), ">($0))"};
  static constexpr const char* device = text.characters;
  static constexpr bool to_half = Floating<To> && sizeof(To) == 2;

  /// The same by an instruction set's own conversions.
  template <device::Isa Isa>
  using in = std::conditional_t<to_half, CastToHalf<To, loads_alike<To>(Isa)>, Cast>;

  template <class From>
  [[gnu::always_inline]] static compute_t<To> map(From value) {
    if constexpr (std::same_as<To, bool>) {
      return value != From(0);
    } else if constexpr (Integer<To> && std::floating_point<From>) {
      return saturated(value);
    } else if constexpr (Complex<From> && !Complex<To>) {
      return map(value.real());
    } else if constexpr (Complex<To> && !Complex<From>) {
      return To(static_cast<typename To::value_type>(value));
    } else if constexpr (to_half) {
      return CastToHalf<To, device::Isa::baseline>::map(value);
    } else {
      return static_cast<compute_t<To>>(value);
    }
  }

  template <class From>
  [[gnu::always_inline]] static To saturated(From value) {
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    // NOLINTNEXTLINE(bugprone-integer-division): the maximum is odd
    constexpr From past = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From(2);  // max + 1, exactly
    if (__builtin_isnan(value)) return To(0);
    if (value < low) return std::numeric_limits<To>::min();
    if (value >= past) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
};

/// Elements converted to type T. From floating to integer: towards zero, cut to the range of T, NaN gives 0. From
/// complex to real: the real part.
export template <Element T, Operand O>
auto cast(O&& operand) {
  return map_of<Cast<T>, T>([&] { return as_node(std::forward<O>(operand)); });
}

}  // namespace tessera
