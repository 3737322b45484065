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

/// Its type, shape and place: "Array<float32, 2> (2, 3) on cpu".
std::string array_text(const DArray& array);

/// Throws DTypeError or ShapeError: what the array is, and what was asked for.
[[noreturn]] void throw_other_array(const DArray& array, const dynamic::Which& asked);

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

}  // namespace tessera
