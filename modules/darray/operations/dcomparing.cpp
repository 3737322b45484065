module;
#include <string>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Comparing and rounding.
namespace tessera::dynamic {

namespace {

/// Integers as double, in which distances have fractions.
DArray as_close(const DArray& x) {
  const bool is_integer = kind(x.dtype()) == Kind::signed_integer || kind(x.dtype()) == Kind::unsigned_integer;
  return is_integer ? x.cast(DType::float64) : x;
}

}  // namespace

DArray close(const DArray& a, const DArray& b, double relative, double absolute, bool equal_nan) {
  const DArray x = as_close(a), y = as_close(b);
  const DArray near = (x == y) | (isfinite(y) & (abs(x - y) <= absolute + relative * abs(y)));
  return equal_nan ? DArray(near | (isnan(x) & isnan(y))) : near;
}

bool all_close(const DArray& a, const DArray& b, double relative, double absolute, bool equal_nan) {
  if (a.shape() != b.shape()) return false;
  const DArray answer = all_of(close(a, b, relative, absolute, equal_nan));
  return answer.item() == DValue(true);
}

bool all_equal(const DArray& a, const DArray& b) {
  if (a.shape() != b.shape()) return false;
  const DArray answer = all_of(a == b);
  return answer.item() == DValue(true);
}

DArray rounded(const DArray& x, int decimals) {
  return core::with_element(x.dtype(), [&]<class T>() -> DArray {
    if constexpr (Numeric<T>) {
      const DArray result(x.shape(), x.dtype(), x.place());
      assign(get<Array<T, 1>>(result.flatten()), round(get<Array<T, 1>>(x.flatten()), decimals));
      return result;
    } else {
      throw_dtype("round", x.dtype(), "numbers");
    }
  });
}

}  // namespace tessera::dynamic
