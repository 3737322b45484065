module;
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.array;

// Conversions and text of single values.
namespace tessera {

DValue DValue::cast(DType to) const {
  DValue result = zero(to);
  visit(
      [&]<class From>(const From& from) {
        visit(
            [&]<class To>(const To&) {
              const To value = static_cast<To>(Cast<To>::map(static_cast<compute_t<From>>(from)));
              std::memcpy(result.data(), &value, sizeof value);
            },
            result);
      },
      *this);
  return result;
}

void DValue::convert(DType to, void* value) const {
  if (dtype_ != to && !assignable(dtype_, to)) {
    throw DTypeError(to_string(Failure{.operation = "get",
                                       .problem = "the value is " + std::string(name(dtype_)) +
                                                  ", which does not become " + std::string(name(to)) + " by itself",
                                       .operands = {"it is " + to_string(*this)},
                                       .advice = "convert it: value.cast(dtype)"}));
  }
  const DValue converted = dtype_ == to ? *this : cast(to);
  std::memcpy(value, converted.data(), static_cast<std::size_t>(item_size(to)));
}

bool DValue::equals(const DValue& other) const {
  const std::optional<DType> common = try_promote(dtype_, other.dtype_);
  if (!common) return false;
  const DValue a = cast(*common), b = other.cast(*common);
  return visit(
      [&]<class T>(const T& mine) {
        T others;
        std::memcpy(&others, b.data(), sizeof others);
        return static_cast<compute_t<T>>(mine) == static_cast<compute_t<T>>(others);
      },
      a);
}

std::string DValue::text() const {
  return visit([]<class T>(const T& own) { return to_string(borrow(const_cast<T*>(&own), Dim<0>{})); }, *this);
}

}  // namespace tessera
