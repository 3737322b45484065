export module tessera.darray:visit_results;
import tessera.standard;
import tessera.core;
import tessera.array;
import :handle;

// One type for what the calls of a visit return.
namespace tessera {

/// What a call is not.
struct NotCalled {};

/// One type for results of several: theirs if they are all the same, their common type if they are values, DArray if they are arrays or
/// expressions.
template <class... R>
struct UnifiedResult {
  using type = void;
};
template <class Only>
struct UnifiedResult<Only> {
  using type = Only;
};
template <class A, class B>
struct JoinResults {};
template <class A>
struct JoinResults<A, A> {
  using type = A;
};
template <class A>
struct JoinResults<NotCalled, A> {
  using type = A;
};
template <class A>
struct JoinResults<A, NotCalled> {
  using type = A;
};
template <>
struct JoinResults<NotCalled, NotCalled> {
  using type = NotCalled;
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
concept OtherResult = !ValueResult<std::remove_cvref_t<R>> && !ArrayResult<R> && !std::same_as<R, NotCalled>;
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
struct FoldResults<TypeList<A, B, Rest...>> {
  using type = typename FoldResults<TypeList<typename JoinResults<A, B>::type, Rest...>>::type;
};
// Several at once, so that the depth of instantiation stays below what compilers take.
template <class A, class B, class C, class D, class E, class F, class G, class... Rest>
  requires(sizeof...(Rest) > 100)
struct FoldResults<TypeList<A, B, C, D, E, F, G, Rest...>> {
  using type = typename FoldResults<TypeList<typename FoldResults<TypeList<A, B, C, D, E, F, G>>::type, Rest...>>::type;
};

/// What a call returns, or NotCalled.
template <class F, class... A>
struct CallResult {
  using type = NotCalled;
};
template <class F, class... A>
  requires std::invocable<F, A...>
struct CallResult<F, A...> {
  using type = std::invoke_result_t<F, A...>;
};

}  // namespace tessera
