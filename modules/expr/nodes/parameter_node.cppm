export module tessera.expr:parameter_node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;
import :node;

// Leaves and scalars that each replay of a recording is given. When their op runs they lower to what an array and a number lower to, so
// kernels and plans know nothing of them.
namespace tessera {

/// A parameter that is an array, or a view of one, as an expression. Its shape and place are those of the example that capture() was given.
template <ArrayParameter O>
class ParameterNode : public ExpressionOperations<ParameterNode<O>, typename O::value_type, O::rank> {
 public:
  using expression_tag = void;
  using value_type = typename O::value_type;
  using place_type = typename O::place_type;
  static constexpr int rank = O::rank;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = 0;
  static constexpr bool reads_memory_only = true;

  /// Throws SchedulerError if the shape is not known.
  explicit ParameterNode(const O& parameter)
      : parameter_(parameter), shape_(parameter.shape()), place_(parameter.place()) {}

  const Dim<rank>& shape() const { return shape_; }
  std::optional<Place> place() const { return place_; }
  /// The array of the replay that runs. Throws SchedulerError when none runs.
  decltype(auto) array() const { return parameter_.array(); }

  template <class Leaves>
  [[gnu::always_inline]] LeafPlan<value_type> lower(Leaves& lowering) const {
    const auto& array = parameter_.array();
    return {lowering.add(array.data(), shape_.extents(), array.strides(), sizeof(value_type), array.place())};
  }
  bool conflicts(const plan::Written& written) const {
    const auto& array = parameter_.array();
    return plan::conflicts(written, memory_of(array));
  }
  bool any_leaf(const plan::LeafVisitor& visit) const {
    if (visit.visit_parameter != nullptr && schedule::is_being_recorded(parameter_.slot()))
      return visit.visit_parameter(visit, parameter_.slot());
    const auto& array = parameter_.array();
    return visit(memory_of(array), &array.buffer());
  }

 private:
  static plan::Written memory_of(const auto& array) {
    return {array.data(), array.shape().extents(), array.strides(), sizeof(value_type)};
  }

  O parameter_;
  Dim<rank> shape_;
  [[no_unique_address]] place_type place_;
};

/// A parameter that is a scalar, beside elements of type T, of which `Convert` makes an element of type T.
template <Element T, ScalarParameter P, class Convert>
class ScalarParameterNode : public ExpressionOperations<ScalarParameterNode<T, P, Convert>, T, 0> {
 public:
  using expression_tag = void;
  using value_type = T;
  using place_type = void;
  static constexpr int rank = 0;
  static constexpr int leaf_count = 0;
  static constexpr int fusible = 0;
  static constexpr bool reads_memory_only = true;

  /// Throws SchedulerError if the parameter's recording is not being made and no replay of it runs.
  ScalarParameterNode(const P& parameter, const Convert& convert) : parameter_(parameter), convert_(convert) {
    if (!storage::is_recorded_scalar(parameter)) static_cast<void>(parameter.value());
  }

  /// Throws SchedulerError when no replay runs, and what Convert throws.
  compute_t<T> value() const { return convert_(parameter_.value()); }

  Dim<0> shape() const { return {}; }
  std::optional<Place> place() const { return std::nullopt; }
  template <class Leaves>
  [[gnu::always_inline]] ScalarPlan<compute_t<T>> lower(Leaves&) const {
    return {value()};
  }
  bool conflicts(const plan::Written&) const { return false; }
  bool any_leaf(const plan::LeafVisitor&) const { return false; }

 private:
  P parameter_;
  [[no_unique_address]] Convert convert_;
};

/// The scalar as an element of type T.
template <Element T>
struct ToElement {
  template <class S>
  [[gnu::always_inline]] compute_t<T> operator()(const S& scalar) const {
    if constexpr (std::is_arithmetic_v<S> && sizeof(T) < sizeof(compute_t<T>) && Floating<T>) {
      return static_cast<compute_t<T>>(
          T(scalar));  // half-width elements are computed in float, but the scalar takes their type
    } else {
      return static_cast<compute_t<T>>(scalar);
    }
  }
};

/// The node of what `convert` makes of a scalar: now, or in each replay if it is a parameter.
template <Element T, Scalar S, class Convert>
[[gnu::always_inline]] inline auto scalar_node(const S& scalar, const Convert& convert) {
  if constexpr (ScalarParameter<S>) {
    return ScalarParameterNode<T, S, Convert>(scalar, convert);
  } else if constexpr (requires { scalar.get(); }) {  // a Reference
    return ScalarNode<T>(convert(scalar.get()));
  } else {
    return ScalarNode<T>(convert(scalar));
  }
}

}  // namespace tessera
