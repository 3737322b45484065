export module tessera.array:scalar_parameter;
import tessera.standard;
import tessera.core;
import tessera.schedule;
import :concepts;

// Arithmetic on numbers that each replay of a recording is given: `-rate` and `rate / 2` are scalars of the replay too.
namespace tessera {

namespace storage {

/// The body of the capture that made the parameter, or one of those that the scalar is computed from, runs on this thread.
export template <class S>
bool is_recorded_scalar(const S& scalar) noexcept {
  if constexpr (requires { scalar.slot(); }) {
    return schedule::is_being_recorded(scalar.slot());
  } else if constexpr (requires { scalar.is_recorded(); }) {
    return scalar.is_recorded();
  } else {
    return false;
  }
}

}  // namespace storage
using storage::is_recorded_scalar;

/// F of scalars, some of which are parameters: computed from the values of the replay that runs.
template <class F, class... S>
class ScalarFunction {
 public:
  using value_type = std::invoke_result_t<F, scalar_of<S>...>;

  explicit ScalarFunction(const S&... scalars) : scalars_(scalars...) {}

  /// Throws SchedulerError when no replay runs.
  value_type value() const {
    return std::apply([](const auto&... each) { return F()(value_now(each)...); }, scalars_);
  }

  bool is_recorded() const noexcept {
    return std::apply([](const auto&... each) { return (is_recorded_scalar(each) || ...); }, scalars_);
  }

 private:
  static auto value_now(const auto& scalar) {
    if constexpr (ScalarParameter<decltype(scalar)>) {
      return scalar.value();
    } else {
      return scalar;
    }
  }

  std::tuple<S...> scalars_;
};

template <class F, class... S>
struct ScalarFacts<ScalarFunction<F, S...>> {
  using type = typename ScalarFunction<F, S...>::value_type;
  static constexpr bool is_parameter = true;
};

/// Scalars, at least one of them a parameter, on which F is defined as C++ has it.
template <class F, class... S>
concept ScalarArithmetic = (ScalarParameter<S> || ...) && (Scalar<S> && ...) && (!Operand<S> && ...) &&
                           std::invocable<F, scalar_of<S>...> && ScalarValue<std::invoke_result_t<F, scalar_of<S>...>>;

template <class F, class... S>
auto scalar_function(const S&... scalars) {
  return ScalarFunction<F, S...>(scalars...);
}

/// The operators of C++ on values, where a Parameter is one of them. Each replay has its own result.
export template <class S>
  requires ScalarArithmetic<std::negate<>, S>
auto operator-(const S& scalar) {
  return scalar_function<std::negate<>>(scalar);
}
/// Sum of values, as C++ has it, where a Parameter is one of them; each replay has its own.
export template <class L, class R>
  requires ScalarArithmetic<std::plus<>, L, R>
auto operator+(const L& left, const R& right) {
  return scalar_function<std::plus<>>(left, right);
}
export template <class L, class R>
  requires ScalarArithmetic<std::minus<>, L, R>
auto operator-(const L& left, const R& right) {
  return scalar_function<std::minus<>>(left, right);
}
/// Product of values, as C++ has it, where a Parameter is one of them; each replay has its own.
export template <class L, class R>
  requires ScalarArithmetic<std::multiplies<>, L, R>
auto operator*(const L& left, const R& right) {
  return scalar_function<std::multiplies<>>(left, right);
}
/// Quotient of values, as C++ has it, where a Parameter is one of them; each replay has its own.
export template <class L, class R>
  requires ScalarArithmetic<std::divides<>, L, R>
auto operator/(const L& left, const R& right) {
  return scalar_function<std::divides<>>(left, right);
}

}  // namespace tessera
