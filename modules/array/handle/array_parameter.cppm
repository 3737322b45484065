module;
#include <cstddef>
export module tessera.array:array_parameter;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :buffer;
import :assigned;
import :concepts;
import :elements;
import :handle;
import :index;
import :layout;
import :slicing;

// Arrays that each replay of a recording is given. While the recording is made they have a shape and a place, those of the example that
// capture() was told, but no elements.
namespace tessera {

/// No Var: what an array without storage has.
const Var& no_var() noexcept;

/// What ops name that read or write the elements, so that a Parameter of an array may stand in reads() and writes(). Throws std::bad_alloc.
export template <Element T, int Rank, AnyPlace P>
const Var& var_of(const Array<T, Rank, P>& array) {
  return array.buffer() == nullptr ? no_var() : array.buffer()->var();
}

namespace storage {

/// While it lives, what this thread asks of a parameter without a value is answered for the example, if there is one: for explain().
export class [[nodiscard]] ExamplesStandIn {
 public:
  ExamplesStandIn() noexcept;
  ExamplesStandIn(const ExamplesStandIn&) = delete;
  ExamplesStandIn& operator=(const ExamplesStandIn&) = delete;
  ~ExamplesStandIn();

  static bool is_on() noexcept;

 private:
  bool outer_;
};

}  // namespace storage
using storage::ExamplesStandIn;

/// Throws SchedulerError: an expression cannot be made of a parameter whose shape is not known.
[[noreturn]] void throw_no_example();

/// Shape and place of an array that a replay was given, and those of the example.
struct ArgumentFacts {
  std::span<const std::ptrdiff_t> shape, expected_shape;
  Place place, expected_place;
};

/// Throws ShapeError or PlaceError.
[[noreturn]] void refuse_argument(const ArgumentFacts& facts, const schedule::ArgumentName& name);
/// Throws ShapeError: the argument is an array without storage.
[[noreturn]] void refuse_empty_argument(const schedule::ArgumentName& name);

/// What a recording knows of a parameter that is an array.
template <Element T, int Rank, AnyPlace P>
struct schedule::ParameterRules<Array<T, Rank, P>> {
  using A = Array<T, Rank, P>;

  A example;              // while the body is recorded
  Dim<Rank> shape{};      // of the example
  P place{};              // of the example
  mutable bool is_fixed;  // an expression was made for the example

  ParameterRules() : is_fixed(false) {}

  void take_example(const A& array) {
    example = array;
    example.hold();
    shape = array.shape();
    place = array.place();
  }
  void drop_example() noexcept { example = A(); }

  /// The example, on whose shape and place an expression depends from now on.
  const A& fixed_example() const {
    if (!example.has_storage()) throw_no_example();
    is_fixed = true;
    return example;
  }

  void check(const A& array, const schedule::ArgumentName& name) const {
    if (!is_fixed) return;
    if (!array.has_storage()) refuse_empty_argument(name);
    if (array.shape() == shape && Place(array.place()) == Place(place)) return;
    refuse_argument({.shape = array.shape().extents(),
                     .expected_shape = shape.extents(),
                     .place = array.place(),
                     .expected_place = place},
                    name);
  }

  /// What a replay keeps until it has ended is no name of the storage.
  static void keep(const A& array) { array.hold(); }

  void name_to(Engine& engine, const A& array) const {
    if (array.buffer() != nullptr) static_cast<void>(array.buffer()->var_for(engine));
  }
};

/// What a parameter sees as its array: the argument itself.
struct WholeArgument {
  const auto& operator()(const auto& array) const { return array; }
};
/// The argument's axes in reverse order.
struct TransposedArgument {
  auto operator()(const auto& array) const { return array.T(); }
};
/// What indices select of the argument.
template <class... I>
struct IndexedArgument {
  std::tuple<I...> indexers;

  auto operator()(const auto& array) const {
    return std::apply([&](const auto&... each) { return array(each...); }, indexers);
  }
};
/// One view of another.
template <class Inner, class Outer>
struct NestedArgument {
  Inner inner;
  Outer outer;

  auto operator()(const auto& array) const { return outer(inner(array)); }
};

template <class A, class View>
class ParameterView;

/// What a parameter and the views of it share. Derived has array(), which is what it sees of the argument of the replay that runs, or of
/// the example while it is recorded; Seen is that array's type.
template <class Derived, class Seen>
class ParameterElements {
 public:
  using value_type = typename Seen::value_type;
  using place_type = typename Seen::place_type;
  static constexpr int rank = Seen::rank;

  ParameterElements() = default;
  ParameterElements(const ParameterElements&) = default;
  ParameterElements& operator=(const ParameterElements&) = delete;

  /// A parameter is no name but a window: its = always writes. Evaluates `source` into the elements of each replay's argument, broadcast to
  /// the example's shape. Recorded, within an Async scope of the same scheduler. Throws as assignment to an array does, SchedulerError while recorded outside of such a scope.
  [[gnu::always_inline]] const Derived& operator=(
      Assigned<const Derived, ElementsAssignment<value_type, rank, place_type>> source) const {
    source.to(self());
    return self();
  }
  template <class S>
    requires MisfitOfElements<S, value_type, rank, place_type, Misfit::more_axes>
  void operator=(const S&) const = delete;  // the source has more axes than the parameter: index or reduce it
  // clang-format off
  template <class S>
    requires MisfitOfElements<S, value_type, rank, place_type, Misfit::values>
  void operator=(const S&) const = delete;  // the elements do not fit: only floats narrow by themselves, write cast<T>(x)
  // clang-format on
  template <class S>
    requires MisfitOfElements<S, value_type, rank, place_type, Misfit::places>
  void operator=(const S&) const = delete;  // the source is on another place than the parameter: move it with to(place)
  template <class S>
    requires AssignableSource<S, value_type, rank, place_type>
  const Derived& operator+=(const S& source) const {
    assign(self(), self() + source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, value_type, rank, place_type>
  const Derived& operator-=(const S& source) const {
    assign(self(), self() - source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, value_type, rank, place_type>
  const Derived& operator*=(const S& source) const {
    assign(self(), self() * source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, value_type, rank, place_type>
  const Derived& operator/=(const S& source) const {
    assign(self(), self() / source);
    return self();
  }

  /// The axes in reverse order.
  auto T() const { return self().seen_by(TransposedArgument()); }

  /// What indices select, as of an array. Throws IndexError.
  template <class... I>
    requires(sizeof...(I) > 0) && SliceIndexers<rank, I...>
  auto operator()(const I&... indexers) const {
    return self().seen_by(IndexedArgument<I...>{{indexers...}});
  }
  /// What index arrays and masks pick, as of an array.
  template <class... I>
    requires PickingIndexers<rank, I...>
  auto operator()(const I&... indexers) const {
    return picked(self(), indexers...);
  }
  template <class... I>
    requires TooManyIndexers<rank, I...>
  void operator()(const I&...) const = delete;  // more indices than axes
  template <class... I>
    requires TwoEllipses<rank, I...>
  void operator()(const I&...) const = delete;  // an index may hold one ellipsis
                                                // clang-format off
  template <std::integral... I>
    requires(sizeof...(I) == rank)
  void operator()(I...) const = delete;  // a parameter has no elements before its replay: read parameter.value()(i, j) in an op

  /// There are no elements yet.
  void operator[](const Index<rank>&) const = delete;  // a parameter has no elements before its replay: read parameter.value()[{...}] in an op
                                                // clang-format on

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// A parameter as operand and destination of expressions.
template <Element T, int Rank, AnyPlace P>
struct schedule::ParameterOperations<Array<T, Rank, P>>
    : ParameterElements<Parameter<Array<T, Rank, P>>, Array<T, Rank, P>> {
  using A = Array<T, Rank, P>;
  using ParameterElements<Parameter<A>, A>::operator=;

  /// Shape and place of the array: the example's while it is recorded. Throw SchedulerError without one.
  const Dim<Rank>& shape() const { return known().shape(); }
  P place() const { return known().place(); }

  /// The array of the replay that runs. Throws SchedulerError when none runs.
  const A& array() const {
    if (ExamplesStandIn::is_on()) [[unlikely]]
      return known();
    return parameter().value();
  }

  template <class View>
  auto seen_by(const View& view) const {
    return ParameterView<A, View>(parameter(), view);
  }

 private:
  friend class ParameterElements<Parameter<A>, A>;
  const Parameter<A>& parameter() const { return static_cast<const Parameter<A>&>(*this); }

  const A& known() const {
    const auto& slot = parameter().slot();
    return schedule::is_being_recorded(slot) ? slot.rules.fixed_example() : parameter().value();
  }
};

template <class A, class View>
using seen_through = std::remove_cvref_t<std::invoke_result_t<View, const A&>>;

/// A view of a parameter, such as its transpose: found anew in each replay's argument.
template <class A, class View>
class ParameterView : public ParameterElements<ParameterView<A, View>, seen_through<A, View>> {
 public:
  using Seen = seen_through<A, View>;
  using ParameterElements<ParameterView, Seen>::operator=;

  ParameterView(const Parameter<A>& parameter, const View& view) : parameter_(parameter), view_(view) {
    const ExamplesStandIn on;
    const Seen seen = array();
    shape_ = seen.shape();
    place_ = seen.place();
  }
  ParameterView(const ParameterView&) = default;
  /// Writes elements, as every assignment to a view.
  void operator=(const ParameterView& source) && { assign(*this, source); }

  const Dim<Seen::rank>& shape() const { return shape_; }
  typename Seen::place_type place() const { return place_; }
  Seen array() const { return view_(parameter_.array()); }
  const auto& slot() const { return parameter_.slot(); }

  template <class Outer>
  auto seen_by(const Outer& outer) const {
    return ParameterView<A, NestedArgument<View, Outer>>(parameter_, {view_, outer});
  }

 private:
  Parameter<A> parameter_;
  View view_;
  Dim<Seen::rank> shape_{};
  [[no_unique_address]] typename Seen::place_type place_{};
};

template <Element T, int Rank, AnyPlace P>
inline constexpr bool is_array_parameter<Parameter<Array<T, Rank, P>>> = true;
template <class A, class View>
inline constexpr bool is_array_parameter<ParameterView<A, View>> = true;

}  // namespace tessera
