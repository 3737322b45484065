module;
#include <cstddef>
export module tessera.darray:access;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :alternative;
import :dlayout;
import :handle;

// From dynamic arrays to the static ones that they hold.
namespace tessera {

/// Throws DTypeError or ShapeError: what the array is, and what was asked for.
[[noreturn]] void throw_other_array(const DArray& array, const dynamic::Which& asked);

/// Throws DTypeError: what the operands of a visit are.
[[noreturn]] void throw_not_accepted(std::span<const DArray* const> arrays);

template <class A>
inline constexpr dynamic::Which which_of{};
template <class T, int Rank>
inline constexpr dynamic::Which which_of<Array<T, Rank, Place>>{dtype_of<std::remove_const_t<T>>,
                                                                static_cast<std::uint8_t>(Rank), std::is_const_v<T>};

/// Array<T, D> or Array<const T, D> with a place known at run time: what a dynamic array can hold.
export template <class A>
concept HeldArray = ArrayHandle<A> && std::same_as<A, std::remove_cvref_t<A>> &&
                    std::same_as<typename A::place_type, Place> && (A::rank <= max_rank);

/// The array holds an A.
export template <HeldArray A>
bool holds(const DArray& array) {
  return array.which() == which_of<A>;
}

/// The array that is held, itself: giving it another value gives it to the dynamic array. Throws DTypeError if its elements are others,
/// ShapeError if its rank is another.
export template <HeldArray A>
A& get(DArray& array) {
  if (!holds<A>(array)) throw_other_array(array, which_of<A>);
  return dynamic::held<A>(array.room());
}
export template <HeldArray A>
const A& get(const DArray& array) {
  if (!holds<A>(array)) throw_other_array(array, which_of<A>);
  return dynamic::held<A>(array.room());
}
export template <HeldArray A>
A get(DArray&& array) {
  return get<A>(std::as_const(array));
}

/// The array that is held, or null if it is another.
export template <HeldArray A>
A* get_if(DArray* array) {
  return array != nullptr && holds<A>(*array) ? &dynamic::held<A>(array->room()) : nullptr;
}
export template <HeldArray A>
const A* get_if(const DArray* array) {
  return array != nullptr && holds<A>(*array) ? &dynamic::held<A>(array->room()) : nullptr;
}

// ------------------------------------------------------------------------------------------------------------- visits

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

template <class F, class... A>
struct CallResult {
  using type = NotCalled;
};
template <class F, class... A>
  requires std::invocable<F, A...>
struct CallResult<F, A...> {
  using type = std::invoke_result_t<F, A...>;
};

/// All alternatives of one array in a pack: the types as which a visited array is seen.
template <bool IsConst, class T, int Rank>
using Seen = std::conditional_t<IsConst, const Array<T, Rank>&, Array<T, Rank>&>;

template <class... Ts>
struct TypeList {};

template <bool IsConst, std::size_t... I>
auto alternatives_of(std::index_sequence<I...>) -> TypeList<
    Seen<IsConst, element_t<static_cast<DType>(I / (max_rank + 1))>, static_cast<int>(I % (max_rank + 1))>...>;

inline constexpr std::size_t alternative_count =
    static_cast<std::size_t>(dtype_count) * (static_cast<std::size_t>(max_rank) + 1);

template <bool IsConst>
using Alternatives = decltype(alternatives_of<IsConst>(std::make_index_sequence<alternative_count>{}));

template <class List>
struct FoldResults;
template <class First>
struct FoldResults<TypeList<First>> {
  using type = First;
};
// In halves, so that the depth of instantiation is that of a tree.
template <class A, class B>
struct FoldResults<TypeList<A, B>> {
  using type = typename JoinResults<A, B>::type;
};
template <class A, class B, class C, class... Rest>
struct FoldResults<TypeList<A, B, C, Rest...>> {
  using type =
      typename FoldResults<TypeList<typename JoinResults<typename JoinResults<A, B>::type, C>::type, Rest...>>::type;
};

/// A visit of the rest of the arguments, when the first ones are known.
template <class F, class Known, bool... IsConst>
struct Visit;

template <class F, class... Known>
struct Visit<F, TypeList<Known...>> {
  using result = typename CallResult<F, Known...>::type;

  template <class R>
  static R run(F& function, [[maybe_unused]] std::span<const DArray* const> all, Known... known) {
    if constexpr (std::same_as<result, NotCalled>) {
      throw_not_accepted(all);
    } else if constexpr (std::is_void_v<R>) {
      function(known...);
    } else {
      return static_cast<R>(function(known...));
    }
  }
};

template <class F, class... Known, bool First, bool... Rest>
struct Visit<F, TypeList<Known...>, First, Rest...> {
  template <class A>
  using Next = Visit<F, TypeList<Known..., A>, Rest...>;

  template <class... A>
  static auto results(TypeList<A...>) -> TypeList<typename Next<A>::result...>;
  using result = typename FoldResults<decltype(results(Alternatives<First>()))>::type;

  template <class R, class A, class... Others>
  static R step(F& function, std::span<const DArray* const> all, Known... known, const DArray& array,
                const Others&... others) {
    if constexpr (std::same_as<typename Next<A>::result, NotCalled>) {
      throw_not_accepted(all);
    } else {
      using Plain = std::remove_cvref_t<A>;
      if (array.is_read_only()) [[unlikely]] {  // it is seen as a const one, of the same type
        if constexpr (First) {
          const Plain plain =
              dynamic::held<Array<const typename Plain::value_type, Plain::rank>>(array.room()).as_operand();
          return Next<A>::template run<R>(function, all, known..., plain, others...);
        } else {
          throw_not_accepted(all);
        }
      }
      return Next<A>::template run<R>(function, all, known..., dynamic::held<Plain>(const_cast<DArray&>(array).room()),
                                      others...);
    }
  }

  template <class R, class... Others, class... A>
  static constexpr auto table(TypeList<A...>) {
    return std::array{&step<R, A, Others...>...};
  }

  template <class R, class... Others>
  static R run(F& function, std::span<const DArray* const> all, Known... known, const DArray& array,
               const Others&... others) {
    static constexpr auto steps = table<R, Others...>(Alternatives<First>());
    constexpr std::size_t ranks = static_cast<std::size_t>(max_rank) + 1;
    return steps[static_cast<std::size_t>(array.which().dtype) * ranks + array.which().rank](function, all, known...,
                                                                                             array, others...);
  }
};

/// A dynamic array, const or not.
template <class A>
concept Dynamic = std::same_as<std::remove_cvref_t<A>, DArray>;

/// Calls `function` with the static arrays that the dynamic ones are: Array<T, D>&, and const Array<T, D>& of what is const. The
/// results become one type: their own if it is the same for all, DValue for values of several types, DArray for arrays and expressions,
/// else their common type. Throws DTypeError where the function does not take what it meets; a read-only array that is visited as one
/// that is not const is not taken.
///
/// A function of one argument is compiled for 150 types. One of several should say in its parameters which go together, as in []<class
/// T, int D>(Array<T, D>& a, const Array<T, D>& b): it is compiled for those only.
export template <class F, Dynamic... A>
  requires(sizeof...(A) > 0)
decltype(auto) visit(F&& function, A&&... arrays) {
  using Visitor = Visit<std::remove_reference_t<F>, TypeList<>, std::is_const_v<std::remove_reference_t<A>>...>;
  using R = typename Visitor::result;
  static_assert(!std::same_as<R, NotCalled>, "the function takes no array");
  const DArray* const all[] = {&arrays...};
  return Visitor::template run<R>(function, all, arrays...);
}

// ------------------------------------------------------------------------------------------------------ visits by dtype

/// The array with leading axes of extent 1, so that its rank is the highest.
DArray with_all_axes(const DArray& array);

template <class F, class Known, std::size_t Left>
struct VisitDType;

template <class F, class... Known>
struct VisitDType<F, TypeList<Known...>, 0> {
  using result = typename CallResult<F, const Array<Known, max_rank>&...>::type;

  template <class R>
  static R run(F& function, std::span<const DArray* const> all) {
    if constexpr (std::same_as<result, NotCalled>) {
      throw_not_accepted(all);
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) -> R {
        if constexpr (std::is_void_v<R>) {
          function(dynamic::held<Array<Known, max_rank>>(all[I]->room())...);
        } else {
          return static_cast<R>(function(dynamic::held<Array<Known, max_rank>>(all[I]->room())...));
        }
      }(std::index_sequence_for<Known...>{});
    }
  }
};

template <class F, class... Known, std::size_t Left>
  requires(Left > 0)
struct VisitDType<F, TypeList<Known...>, Left> {
  template <class T>
  using Next = VisitDType<F, TypeList<Known..., T>, Left - 1>;

  template <std::size_t... D>
  static auto results(std::index_sequence<D...>)
      -> TypeList<typename Next<element_t<static_cast<DType>(D)>>::result...>;
  using result =
      typename FoldResults<decltype(results(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{}))>::type;

  template <class R>
  static R run(F& function, std::span<const DArray* const> all) {
    return dynamic::with_element(all[sizeof...(Known)]->dtype(),
                                 [&]<class T>() -> R { return Next<T>::template run<R>(function, all); });
  }
};

/// As visit, for functions to which only element types matter: they are called with const Array<T, 9>&, views that share the storage
/// and have leading axes of extent 1, and are compiled for 15 types of each argument. Arrays that are read only are seen as others, so
/// the function must not write to them.
export template <class F, Dynamic... A>
  requires(sizeof...(A) > 0)
decltype(auto) visit_dtype(F&& function, A&&... arrays) {
  using Visitor = VisitDType<std::remove_reference_t<F>, TypeList<>, sizeof...(A)>;
  using R = typename Visitor::result;
  static_assert(!std::same_as<R, NotCalled>, "the function takes no array");
  const DArray all[] = {with_all_axes(arrays)...};
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> R {
    const DArray* const pointers[] = {&all[I]...};
    return Visitor::template run<R>(function, pointers);
  }(std::index_sequence_for<A...>{});
}

}  // namespace tessera
