module;
#include <cstddef>
#include <cstdint>
export module tessera.core:promote;
import tessera.standard;
import :dtype;
import :error;

// Type promotion of the Python array API standard (2023.12, "Type Promotion Rules"): one table for compile time and run time.
namespace tessera {

constexpr DType floating_of_size(std::ptrdiff_t size) { return size == 8 ? DType::float64 : DType::float32; }

constexpr DType integer_of_size(Kind kind, std::ptrdiff_t size) {
  const int first = static_cast<int>(kind == Kind::signed_integer ? DType::int8 : DType::uint8);
  return static_cast<DType>(first + (size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3));
}

constexpr std::optional<DType> promote_integers(DType a, DType b) {
  if (kind(a) == kind(b)) return item_size(a) > item_size(b) ? a : b;
  const DType is_signed = kind(a) == Kind::signed_integer ? a : b;
  const DType is_unsigned = kind(a) == Kind::signed_integer ? b : a;
  if (item_size(is_signed) > item_size(is_unsigned)) return is_signed;
  if (item_size(is_unsigned) == 8) return std::nullopt;  // no integer type holds both
  return integer_of_size(Kind::signed_integer, 2 * item_size(is_unsigned));
}

constexpr std::optional<DType> promote_floating(DType a, DType b) {
  if (a == b || item_size(a) != item_size(b)) return item_size(a) >= item_size(b) ? a : b;
  return DType::float32;  // float16 with bfloat16: the smallest type that holds both
}

constexpr std::optional<DType> promote_complex(DType a, DType b) {
  const auto part = [](DType dtype) {
    return kind(dtype) == Kind::complex ? floating_of_size(item_size(dtype) / 2) : dtype;
  };
  return promote_floating(part(a), part(b)) == DType::float64 ? DType::complex128 : DType::complex64;
}

/// The type that holds the values of both, or nothing where the standard defines none (bool with numbers, integers
/// with floats, int64 with uint64). float16 with bfloat16, which the standard does not know, gives float32.
export constexpr std::optional<DType> try_promote(DType a, DType b) {
  if (a == b) return a;
  if (core::is_integer(a) && core::is_integer(b)) return promote_integers(a, b);
  if (kind(a) == Kind::floating && kind(b) == Kind::floating) return promote_floating(a, b);
  const auto is_inexact = [](Kind k) { return k == Kind::floating || k == Kind::complex; };
  if (is_inexact(kind(a)) && is_inexact(kind(b))) return promote_complex(a, b);
  return std::nullopt;
}

/// As try_promote; throws DTypeError where no promotion is defined.
export constexpr DType promote(DType a, DType b) {
  const std::optional<DType> result = try_promote(a, b);
  if (!result) {
    throw DTypeError(
        to_string(Failure{.operation = "promote",
                          .problem = std::string(name(a)) + " and " + std::string(name(b)) + " have no common type",
                          .advice = "convert one of them: cast<T>(x)"}));
  }
  return *result;
}

/// Element types with a common type under the array API's rules.
export template <class A, class B>
concept Promotable = Element<A> && Element<B> && try_promote(dtype_of<A>, dtype_of<B>).has_value();

/// The common type of two element types.
export template <Element A, Element B>
  requires Promotable<A, B>
using promote_t = element_t<*try_promote(dtype_of<A>, dtype_of<B>)>;

/// Type of `array op scalar`, where C++ scalars are weak: the array's type wins unless the scalar is of a higher
/// kind. A floating scalar with an integer array is refused by the concept below, as in the standard.
template <class Array, class Scalar>
constexpr bool weak_fits() {
  if constexpr (std::same_as<Scalar, bool>) {
    return kind_of<Array> == Kind::boolean;
  } else if constexpr (std::integral<Scalar>) {
    return kind_of<Array> != Kind::boolean;
  } else if constexpr (std::floating_point<Scalar>) {
    return kind_of<Array> == Kind::floating || kind_of<Array> == Kind::complex;
  } else {
    return Promotable<Array, Scalar>;
  }
}

/// A scalar that takes the type of the array it meets: a C++ arithmetic type.
export template <class T>
concept WeakScalar = std::is_arithmetic_v<T>;

/// `Scalar` can meet an array of `Array` elements and take its type.
export template <class Scalar, class Array>
concept WeakWith = WeakScalar<Scalar> && Element<Array> && weak_fits<Array, Scalar>();

/// All values of one integer type are values of the other.
constexpr bool holds_integers(DType from, DType to) {
  const bool widens = item_size(to) > item_size(from);
  if (kind(from) == kind(to)) return widens || item_size(to) == item_size(from);
  return kind(from) == Kind::unsigned_integer && widens;
}

/// Assignment from one element type to another: floating types among themselves, where it may narrow, and into complex ones; integers into
/// those that hold all their values. Nothing else loses digits or changes its kind without a cast.
export constexpr bool assignable(DType from, DType to) {
  if (core::is_integer(from) && core::is_integer(to)) return holds_integers(from, to);
  if (kind(from) == kind(to)) return true;
  return kind(from) == Kind::floating && kind(to) == Kind::complex;
}

/// Elements of type From may be assigned to elements of type To without a cast.
export template <class From, class To>
concept AssignableTo = Element<From> && Element<To> && assignable(dtype_of<From>, dtype_of<To>);

}  // namespace tessera
