module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:visit;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :access;
import :alternative;
import :handle;
import :visit_results;

// Calling a function with the static arrays, shapes and values that dynamic ones are.
namespace tessera {

/// What an argument of a visit can be: how many alternatives it has, which one it is, and that one as a static type.
template <class Argument>
struct Visited;

inline constexpr std::size_t rank_count = static_cast<std::size_t>(max_rank) + 1;
inline constexpr std::size_t type_count = static_cast<std::size_t>(dtype_count);

/// An array that may be written: one that only reads is not taken.
template <>
struct Visited<DArray> {
  static constexpr std::size_t count = type_count * rank_count;
  template <std::size_t I>
  using type = Array<element_t<static_cast<DType>(I / rank_count)>, static_cast<int>(I % rank_count)>&;

  static std::size_t which(const DArray& array) {
    return static_cast<std::size_t>(array.which().dtype) * rank_count + array.which().rank;
  }
  static bool is_taken(const DArray& array) { return !array.is_read_only(); }

  template <std::size_t I>
  struct Held {
    using A = std::remove_reference_t<type<I>>;
    A& array;
    explicit Held(DArray& x) : array(dynamic::held<A>(x.room())) {}
    A& value() const { return array; }
  };
};

/// An array that is read: one that only reads is seen as a const one of the same type.
template <>
struct Visited<const DArray> {
  static constexpr std::size_t count = Visited<DArray>::count;
  template <std::size_t I>
  using type = const std::remove_reference_t<Visited<DArray>::type<I>>&;

  static std::size_t which(const DArray& array) { return Visited<DArray>::which(array); }
  static bool is_taken(const DArray&) { return true; }

  template <std::size_t I>
  struct Held {
    using A = std::remove_cvref_t<type<I>>;
    std::optional<A> plain;
    const A* array;
    explicit Held(const DArray& x) : array(&dynamic::held<A>(x.room())) {
      if (!x.is_read_only()) [[likely]]
        return;
      plain.emplace(dynamic::held<Array<const typename A::value_type, A::rank>>(x.room()).as_operand());
      array = &*plain;
    }
    const A& value() const { return *array; }
  };
};

template <>
struct Visited<const DDim> {
  static constexpr std::size_t count = rank_count;
  template <std::size_t I>
  using type = const Dim<static_cast<int>(I)>&;

  static std::size_t which(const DDim& shape) { return static_cast<std::size_t>(shape.rank()); }
  static bool is_taken(const DDim&) { return true; }

  template <std::size_t I>
  struct Held {
    Dim<static_cast<int>(I)> shape;
    explicit Held(const DDim& dynamic) : shape(get<static_cast<int>(I)>(dynamic)) {}
    type<I> value() const { return shape; }
  };
};

template <>
struct Visited<const DValue> {
  static constexpr std::size_t count = type_count;
  template <std::size_t I>
  using type = const element_t<static_cast<DType>(I)>&;

  static std::size_t which(const DValue& value) { return static_cast<std::size_t>(value.dtype()); }
  static bool is_taken(const DValue&) { return true; }

  template <std::size_t I>
  struct Held {
    element_t<static_cast<DType>(I)> element;
    explicit Held(const DValue& dynamic) : element(dynamic.as<element_t<static_cast<DType>(I)>>()) {}
    type<I> value() const { return element; }
  };
};
template <>
struct Visited<DDim> : Visited<const DDim> {};
template <>
struct Visited<DValue> : Visited<const DValue> {};

/// A dynamic array, const or not.
template <class A>
concept Dynamic = std::same_as<std::remove_cvref_t<A>, DArray>;

/// What may stand beside a dynamic array in a visit.
template <class A>
concept VisitArgument =
    Dynamic<A> || std::same_as<std::remove_cvref_t<A>, DDim> || std::same_as<std::remove_cvref_t<A>, DValue>;

/// The text of an argument in an error.
std::string visited_text(const DArray& array);
std::string visited_text(const DDim& shape);
std::string visited_text(const DValue& value);

/// Throws DTypeError: what the arguments of a visit are.
[[noreturn]] void throw_not_accepted(std::span<const std::string> arguments);

/// Where an ascending list has a number; its length where it has not.
std::size_t position_of(std::size_t number, std::span<const std::uint32_t> ascending);

/// More combinations than these are not tried.
inline constexpr std::size_t most_combinations = 100'000;

/// Which combinations of alternatives a function takes, the last argument's fastest. They are tried without an instantiation of each: two
/// arrays have 22,500 of them.
template <class F, class... Known>
struct Accepted {
  template <class Last>
  static constexpr void write(bool*& to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((*to++ = requires {
         std::declval<F&>()(std::declval<Known>()..., std::declval<typename Visited<Last>::template type<I>>());
       }), ...);
    }(std::make_index_sequence<Visited<Last>::count>{});
  }
  template <class First, class Second, class... Rest>
  static constexpr void write(bool*& to) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (Accepted<F, Known..., typename Visited<First>::template type<I>>::template write<Second, Rest...>(to), ...);
    }(std::make_index_sequence<Visited<First>::count>{});
  }
};

/// The visits of a function F with arguments that have the types Arguments, const or not.
template <class F, class... Arguments>
struct Visits {
  static constexpr std::size_t arguments = sizeof...(Arguments);
  static constexpr std::size_t total = (std::size_t{1} * ... * Visited<Arguments>::count);
  static_assert(total <= most_combinations,
                "too many combinations of types: visit one of the arrays, and take the others by get<Array<T, D>>(x)");

  static constexpr std::array<bool, total> is_accepted = [] {
    std::array<bool, total> mask{};
    bool* to = mask.data();
    Accepted<F>::template write<Arguments...>(to);
    return mask;
  }();
  static constexpr std::size_t count = [] {
    std::size_t found = 0;
    for (const bool is : is_accepted) found += is ? 1 : 0;
    return found;
  }();
  static_assert(count > 0, "the function takes no array");

  /// Numbers of the combinations that are accepted, ascending.
  static constexpr std::array<std::uint32_t, count> accepted = [] {
    std::array<std::uint32_t, count> numbers{};
    std::size_t next = 0;
    for (std::size_t k = 0; k < total; ++k) {
      if (is_accepted[k]) numbers[next++] = static_cast<std::uint32_t>(k);
    }
    return numbers;
  }();

  /// The alternative of argument `position` in a combination.
  static constexpr std::size_t digit(std::size_t combination, std::size_t position) {
    constexpr std::array<std::size_t, arguments> counts{Visited<Arguments>::count...};
    for (std::size_t k = arguments - 1; k > position; --k) combination /= counts[k];
    return combination % counts[position];
  }

  template <std::size_t Combination, class Positions = std::index_sequence_for<Arguments...>>
  struct Call;
  template <std::size_t Combination, std::size_t... Position>
  struct Call<Combination, std::index_sequence<Position...>> {
    using result =
        std::invoke_result_t<F&, typename Visited<Arguments>::template type<digit(Combination, Position)>...>;

    template <class R>
    static R run(F& function, Arguments&... arguments) {
      return called<R>(function,
                       typename Visited<Arguments>::template Held<digit(Combination, Position)>(arguments)...);
    }
    template <class R, class... Held>
    static R called(F& function, const Held&... held) {
      if constexpr (std::is_void_v<R>) {
        function(held.value()...);
      } else {
        return static_cast<R>(function(held.value()...));
      }
    }
  };

  template <std::size_t... K>
  static auto results(std::index_sequence<K...>) -> TypeList<typename Call<accepted[K]>::result...>;
  using R = typename FoldResults<decltype(results(std::make_index_sequence<count>{}))>::type;

  template <std::size_t... K>
  static constexpr auto table_of(std::index_sequence<K...>) {
    return std::array<R (*)(F&, Arguments&...), count>{&Call<accepted[K]>::template run<R>...};
  }

  static R run(F& function, Arguments&... arguments) {
    static constexpr auto table = table_of(std::make_index_sequence<count>{});
    std::size_t combination = 0;
    ((combination = combination * Visited<Arguments>::count + Visited<Arguments>::which(arguments)), ...);
    const bool is_taken = (Visited<Arguments>::is_taken(arguments) && ...);
    if constexpr (count == total) {
      if (is_taken) [[likely]]
        return table[combination](function, arguments...);
    } else {
      const std::size_t position = position_of(combination, accepted);
      if (is_taken && position < count) return table[position](function, arguments...);
    }
    const std::string texts[] = {visited_text(arguments)...};
    throw_not_accepted(texts);
  }
};

/// Calls `function` with the static arrays that the dynamic ones are: Array<T, D>&, and const Array<T, D>& of what is const. Beside an
/// array may stand shapes and values: a DDim is visited as a Dim<D>, a DValue as a T. The results become one type: their own if it is the
/// same for all, DValue for values of several types, DArray for arrays and expressions, else their common type. Throws DTypeError where
/// the function does not take what it meets; a read-only array that is visited as one that is not const is not taken.
///
/// A function of one array is compiled for 150 types. One of several arguments should say in its parameters which go together, as in
/// []<class T, int D>(Array<T, D>& a, const Array<T, D>& b): it is compiled for those only. Of three arrays, visit one and take the
/// others by get<Array<T, D>>(x).
export template <class F, VisitArgument... A>
  requires(sizeof...(A) > 0) && (Dynamic<A> || ...)
decltype(auto) visit(F&& function, A&&... arguments) {
  return Visits<std::remove_reference_t<F>, std::remove_reference_t<A>...>::run(function, arguments...);
}

/// The array with leading axes of extent 1, so that its rank is the highest. What only reads becomes an array that could be written.
DArray with_all_axes(const DArray& array);

/// An array of which only the element type is visited.
struct OfAllAxes {
  const DArray& array;
  DArray rows = with_all_axes(array);
};
inline std::string visited_text(const OfAllAxes& visited) { return visited_text(visited.array); }

template <>
struct Visited<const OfAllAxes> {
  static constexpr std::size_t count = type_count;
  template <std::size_t I>
  using type = const Array<element_t<static_cast<DType>(I)>, max_rank>&;

  static std::size_t which(const OfAllAxes& visited) { return static_cast<std::size_t>(visited.rows.dtype()); }
  static bool is_taken(const OfAllAxes&) { return true; }

  template <std::size_t I>
  struct Held {
    type<I> array;
    explicit Held(const OfAllAxes& visited) : array(dynamic::held<std::remove_cvref_t<type<I>>>(visited.rows.room())) {}
    type<I> value() const { return array; }
  };
};

/// As visit, for functions to which only element types matter: they are called with const Array<T, 9>&, views that share the storage
/// and have leading axes of extent 1, and are compiled for 15 types of each argument. Arrays that are read only are seen as others, so
/// the function must not write to them.
export template <class F, Dynamic... A>
  requires(sizeof...(A) > 0)
decltype(auto) visit_dtype(F&& function, A&&... arrays) {
  return [&]<class... Seen>(const Seen&... seen) -> decltype(auto) {
    return Visits<std::remove_reference_t<F>, const Seen...>::run(function, seen...);
  }(OfAllAxes{arrays}...);
}

}  // namespace tessera
