module;
#include <algorithm>
#include <cstdint>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;

// Comparing and rounding.
namespace tessera::dynamic {

namespace {

using core::is_integer;

/// Integers as double, in which distances have fractions.
DArray as_close(const DArray& x) { return is_integer(x.dtype()) ? x.cast(DType::float64) : x; }

template <class T>
DArray rounded_as(const DArray& x, int decimals) {
  const DArray result(x.shape(), x.dtype(), x.place());
  assign(get<Array<T, 1>>(result.flatten()), round(get<Array<T, 1>>(x.flatten()), decimals));
  return result;
}

/// Integers are rounded as those of 64 bits, so that there is a loop for two types only; 0 where theirs does not hold the power of ten.
DArray rounded_integers(const DArray& x, int decimals) {
  if (decimals >= 0) return x.clone();
  const bool is_signed = kind(x.dtype()) == Kind::signed_integer;
  const auto bits = static_cast<double>(8 * item_size(x.dtype())) - (is_signed ? 1 : 0);
  const auto most_digits = static_cast<int>(bits * 0.30102999566398120);  // log10(2)
  if (-std::max(decimals, -64) > most_digits) return zeros(x.dtype(), x.shape(), x.place());
  const DArray wide = x.cast(is_signed ? DType::int64 : DType::uint64);
  return (is_signed ? rounded_as<std::int64_t>(wide, decimals) : rounded_as<std::uint64_t>(wide, decimals))
      .cast(x.dtype());
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
  if (is_integer(x.dtype())) return rounded_integers(x, decimals);
  return core::with_element(x.dtype(), [&]<class T>() -> DArray {
    if constexpr (Floating<T> || Complex<T>) {
      return rounded_as<T>(x, decimals);
    } else {
      throw_dtype("round", x.dtype(), "numbers");
    }
  });
}

}  // namespace tessera::dynamic
