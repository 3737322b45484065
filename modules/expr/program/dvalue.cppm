module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.expr:dvalue;
import tessera.standard;
import tessera.core;
import tessera.array;

// A value whose type is known at run time only.
namespace tessera {

/// One value with its dtype: what an element of a dynamic array is. It is made of any element, and converts back to exactly its own
/// type, or to one that an assignment would convert it to.
export class DValue {
 public:
  /// false.
  DValue() = default;

  template <class T>
    requires Element<std::remove_cvref_t<T>>
  DValue(const T& value) : dtype_(dtype_of<std::remove_cvref_t<T>>) {
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  /// An element of an array.
  template <Element T>
  DValue(const Reference<T>& element) : DValue(element.get()) {}

  inline DType dtype() const { return dtype_; }
  /// The bytes of the element, as many as its dtype has.
  inline const void* data() const { return bytes_.data(); }
  inline void* data() { return bytes_.data(); }

  /// A value of that dtype, all of whose bytes are 0.
  static DValue zero(DType dtype) {
    DValue made;
    made.dtype_ = dtype;
    return made;
  }

  /// The value as a T. Throws DTypeError unless an assignment would convert it, which keeps integers and the kind.
  template <Element T>
  T as() const {
    T value{};
    convert(dtype_of<T>, &value);
    return value;
  }
  template <Element T>
  operator T() const {
    return as<T>();
  }

  /// The value in another type, as cast<T>() converts. Every conversion is defined.
  DValue cast(DType to) const;

  /// Equal values, of any types that have a common one; NaN equals nothing. Values without a common type are not equal.
  friend bool operator==(const DValue& a, const DValue& b) { return a.equals(b); }

  // Friends that are found beside a DValue only: other values would convert to it.

  /// The value as an array of rank 0 prints: "2.5", "True".
  friend std::string to_string(const DValue& value) { return value.text(); }
  friend std::ostream& operator<<(std::ostream& out, const DValue& value) { return out << value.text(); }

 private:
  void convert(DType to, void* value) const;
  bool equals(const DValue& other) const;
  std::string text() const;

  DType dtype_ = DType::boolean;
  alignas(16) std::array<std::byte, 16> bytes_{};
};

/// The value as a T, as DValue::as<T>() has it.
export template <Element T>
T get(const DValue& value) {
  return value.as<T>();
}

/// Calls `function` with the value in its own type.
export template <class Function>
decltype(auto) visit(Function&& function, const DValue& value) {
  using Result = std::invoke_result_t<Function&, bool>;
  const auto call = [&]<Element T>() -> Result {
    T own;
    std::memcpy(&own, value.data(), sizeof own);
    return std::forward<Function>(function)(own);
  };
  switch (value.dtype()) {
    case DType::boolean: return call.template operator()<bool>();
    case DType::int8: return call.template operator()<std::int8_t>();
    case DType::int16: return call.template operator()<std::int16_t>();
    case DType::int32: return call.template operator()<std::int32_t>();
    case DType::int64: return call.template operator()<std::int64_t>();
    case DType::uint8: return call.template operator()<std::uint8_t>();
    case DType::uint16: return call.template operator()<std::uint16_t>();
    case DType::uint32: return call.template operator()<std::uint32_t>();
    case DType::uint64: return call.template operator()<std::uint64_t>();
    case DType::float16: return call.template operator()<float16>();
    case DType::bfloat16: return call.template operator()<bfloat16>();
    case DType::float32: return call.template operator()<float>();
    case DType::float64: return call.template operator()<double>();
    case DType::complex64: return call.template operator()<std::complex<float>>();
    case DType::complex128: break;
  }
  return call.template operator()<std::complex<double>>();
}

}  // namespace tessera
