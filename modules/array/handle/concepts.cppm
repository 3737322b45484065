export module tessera.array:concepts;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :reference;

// The contract between arrays and what is computed from them. An array assigns whatever satisfies Source by calling
// assign(destination, source), which the expression room defines.
namespace tessera {

template <class T>
inline constexpr bool is_array = false;

template <class T>
inline constexpr bool is_view = false;

/// Array<T, D, P>: a name for shared storage.
export template <class A>
concept ArrayHandle = is_array<std::remove_cvref_t<A>>;

/// ArrayView<T, D, P>: a view that borrows its memory.
export template <class V>
concept ViewHandle = is_view<std::remove_cvref_t<V>>;

/// An array or a view: something with elements in memory.
export template <class A>
concept Elements = ArrayHandle<A> || ViewHandle<A>;

/// A node of an expression: it has an element type, a rank, a shape and a place_type (void when it has no operand in
/// memory), and computes nothing until it is assigned.
export template <class E>
concept ExpressionNode = requires(const std::remove_cvref_t<E>& node) {
  typename std::remove_cvref_t<E>::expression_tag;
  typename std::remove_cvref_t<E>::place_type;
  requires Element<typename std::remove_cvref_t<E>::value_type>;
  { node.shape() } -> std::convertible_to<Dim<std::remove_cvref_t<E>::rank>>;
};

template <class P>
inline constexpr bool is_array_parameter = false;

/// An array that each replay of a recording is given, or a view of it: Parameter<Array<T, D, P>>.
export template <class P>
concept ArrayParameter = is_array_parameter<std::remove_cvref_t<P>>;

/// Elements that can be written: of an array or view of elements that are not const, or of a const view of them; a const array is read only.
export template <class A>
concept WritableElements =
    Elements<A> && !std::is_const_v<std::remove_pointer_t<decltype(std::declval<A&>().data())>> &&
    !(ArrayHandle<A> && std::is_const_v<std::remove_reference_t<A>>);

/// Operands of expressions: arrays, views and other expressions.
export template <class O>
concept Operand = ExpressionNode<O> || Elements<O> || ArrayParameter<O>;

/// What an operation on arrays takes, computed or not: `template <Expression E> auto f(const E& x)` is called with an array, a view, or
/// `a + b`. An Operand by the name that is looked for.
export template <class E>
concept Expression = Operand<E>;

/// A C++ arithmetic type or any other element type.
export template <class T>
concept ScalarValue = WeakScalar<T> || Element<T>;

template <class S>
struct ScalarFacts {
  using type = S;
  static constexpr bool is_parameter = false;
};
/// An element is its value.
template <Element T>
struct ScalarFacts<Reference<T>> {
  using type = T;
  static constexpr bool is_parameter = false;
};
template <ScalarValue T>
struct ScalarFacts<Parameter<T>> {
  using type = T;
  static constexpr bool is_parameter = true;
};

/// The type of a scalar's value, which for a Parameter<T> is T.
export template <class S>
using scalar_of = typename ScalarFacts<std::remove_cvref_t<S>>::type;

/// A scalar that each replay of a recording is given.
export template <class S>
concept ScalarParameter = ScalarFacts<std::remove_cvref_t<S>>::is_parameter;

/// A C++ arithmetic type or any other element type, standing for one value, or a parameter of such a type.
export template <class S>
concept Scalar = ScalarValue<scalar_of<S>>;

/// Whatever can stand on the right of an assignment to an array.
export template <class S>
concept Source = Operand<S> || Scalar<S>;

template <class S>
struct SourceFacts {
  using value_type = scalar_of<S>;
  using place_type = void;
  static constexpr int rank = 0;
};
template <Operand S>
struct SourceFacts<S> {
  using value_type = typename S::value_type;
  using place_type = typename S::place_type;
  static constexpr int rank = S::rank;
};

/// Element type of an operand, or the type of a scalar.
export template <Source S>
using value_of = typename SourceFacts<std::remove_cvref_t<S>>::value_type;

/// Place type of an operand; void for scalars and expressions without memory.
export template <Source S>
using place_of = typename SourceFacts<std::remove_cvref_t<S>>::place_type;

/// Rank of an operand; 0 for scalars.
export template <Source S>
inline constexpr int rank_of = SourceFacts<std::remove_cvref_t<S>>::rank;

/// Two place types that may meet in one expression: equal, or one of them unknown before run time.
export template <class P, class Q>
concept PlacesMayMeet =
    std::is_void_v<P> || std::is_void_v<Q> || std::same_as<P, Place> || std::same_as<Q, Place> || std::same_as<P, Q>;

/// A source may be assigned to elements of type T: within its kind, or a scalar that takes the array's type.
export template <class S, class T>
concept ValueFits = AssignableTo<value_of<S>, T> || (Scalar<S> && WeakWith<scalar_of<S>, T>);

/// S can be written to elements of type T along Rank axes at P, to which it broadcasts; a failure says what to do.
export template <class S, class T, int Rank, class P>
concept AssignableSource =
    Source<S> &&
    (rank_of<S> <= Rank || unsatisfied<"rank mismatch: the source has more axes than the array it is assigned to">) &&
    (ValueFits<S, T> ||
     unsatisfied<"the element type does not fit: only floats narrow by themselves, integers and other kinds need "
                 "cast<T>(...)">) &&
    (PlacesMayMeet<place_of<S>, P> ||
     unsatisfied<"the source and the array are on different places: move one with to(place)">);

/// S can be the new value of a name: an expression or view of its rank, or a scalar, which fills the array. An array of the same type is
/// simply another value for the name.
export template <class S, class T, int Rank, class P>
concept NamedSource =
    AssignableSource<S, T, Rank, P> &&
    (!ArrayHandle<S> || unsatisfied<"an array on the right of = is taken as it is: element type and rank must be the "
                                    "same; cast<T>(b) converts the elements">) &&
    (Scalar<S> || rank_of<S> == Rank ||
     unsatisfied<"= gives a name the value of the right side, which has fewer axes: a(ellipsis) = x broadcasts">);

namespace storage {

/// What is wrong with a source of an assignment. Each misfit has a deleted overload of `=`, on whose line the compiler finds the sentence.
export enum class Misfit { none, no_source, more_axes, fewer_axes, values, places, other_elements, read_only };

template <class S, class T, int Rank, class P>
inline constexpr Misfit misfit_of_elements = Misfit::no_source;
template <Source S, class T, int Rank, class P>
inline constexpr Misfit misfit_of_elements<S, T, Rank, P> = rank_of<S> > Rank                ? Misfit::more_axes
                                                            : !ValueFits<S, T>               ? Misfit::values
                                                            : !PlacesMayMeet<place_of<S>, P> ? Misfit::places
                                                                                             : Misfit::none;

/// S cannot be written to elements of type T along Rank axes at P because of `Reason`.
export template <class S, class T, int Rank, class P, Misfit Reason>
concept MisfitOfElements = misfit_of_elements<S, std::remove_const_t<T>, Rank, P> == Reason;

}  // namespace storage
using storage::Misfit;
using storage::misfit_of_elements;
using storage::MisfitOfElements;

template <class S, class T, int Rank, class P>
inline constexpr Misfit misfit_of_name = misfit_of_elements<S, std::remove_const_t<T>, Rank, P>;
template <Operand S, class T, int Rank, class P>
  requires(rank_of<S> < Rank)
inline constexpr Misfit misfit_of_name<S, T, Rank, P> = Misfit::fewer_axes;
/// An array is taken as it is: a place that is not known takes any, and nothing else is converted.
template <ArrayHandle S, class T, int Rank, class P>
  requires(rank_of<S> == Rank)
inline constexpr Misfit misfit_of_name<S, T, Rank, P> =
    !std::same_as<value_of<S>, std::remove_const_t<T>>         ? Misfit::other_elements
    : !std::same_as<P, Place> && !std::same_as<place_of<S>, P> ? Misfit::places
    : !WritableElements<S> && !std::is_const_v<T>              ? Misfit::read_only
                                                               : Misfit::none;

/// S cannot be the new value of a name because of `Reason`.
template <class S, class T, int Rank, class P, Misfit Reason>
concept MisfitOfName = misfit_of_name<S, T, Rank, P> == Reason;

}  // namespace tessera
