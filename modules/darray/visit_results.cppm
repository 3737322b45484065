export module tessera.darray:visit_results;
import tessera.standard;
import tessera.core;
import tessera.array;
import :handle;

// One type for what the calls of a visit return.
namespace tessera {

/// One type for results of two: theirs if it is the same, DValue if they are values, DArray if they are arrays or expressions, else their
/// common type.
template <class A, class B>
struct JoinResults {};
template <class A>
struct JoinResults<A, A> {
  using type = A;
};
/// Values of element types: DValue holds them all.
template <class R>
concept ValueResult = Element<R> || std::same_as<R, DValue>;
/// Arrays and expressions: DArray is all of them.
template <class R>
concept ArrayResult = !ValueResult<R> && std::convertible_to<R, DArray>;

template <class A, class B>
  requires(!std::same_as<A, B>) && ValueResult<std::remove_cvref_t<A>> && ValueResult<std::remove_cvref_t<B>>
struct JoinResults<A, B> {
  using type = DValue;
};
template <class A, class B>
  requires(!std::same_as<A, B>) && ArrayResult<A> && ArrayResult<B>
struct JoinResults<A, B> {
  using type = DArray;
};
template <class R>
concept OtherResult = !ValueResult<std::remove_cvref_t<R>> && !ArrayResult<R>;
template <class A, class B>
  requires(!std::same_as<A, B>) && (OtherResult<A> || OtherResult<B>) &&
          requires { false ? std::declval<A>() : std::declval<B>(); }
struct JoinResults<A, B> {
  using type = std::remove_cvref_t<decltype(false ? std::declval<A>() : std::declval<B>())>;
};

template <class... Ts>
struct TypeList {};

template <class First, class... Rest>
constexpr bool is_one_type() {
  const bool is_same[] = {true, std::same_as<First, Rest>...};  // a fold over thousands exceeds what compilers take
  for (const bool is : is_same) {
    if (!is) return false;
  }
  return true;
}

/// The one type of all, of which there may be thousands: most visits return the same of each.
template <class List>
struct FoldResults;
template <class First, class... Rest>
  requires(is_one_type<First, Rest...>())
struct FoldResults<TypeList<First, Rest...>> {
  using type = First;
};
template <class A, class B, class... Rest>
  requires(!is_one_type<A, B, Rest...>())
struct FoldResults<TypeList<A, B, Rest...>> {
  using type = typename FoldResults<TypeList<typename JoinResults<A, B>::type, Rest...>>::type;
};
// Several at once, so that the depth of instantiation stays below what compilers take.
template <class A, class B, class C, class D, class E, class F, class G, class... Rest>
  requires(sizeof...(Rest) > 100 && !is_one_type<A, B, C, D, E, F, G, Rest...>())
struct FoldResults<TypeList<A, B, C, D, E, F, G, Rest...>> {
  using type = typename FoldResults<TypeList<typename FoldResults<TypeList<A, B, C, D, E, F, G>>::type, Rest...>>::type;
};

}  // namespace tessera
