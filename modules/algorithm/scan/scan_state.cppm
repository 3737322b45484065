module;
#include <cmath>
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:scan_state;
import tessera.standard;
import tessera.core;

// What running sums and products are accumulated in, for each type of elements. A state takes elements by add() and the state of what
// comes after it by merge(); value_with(later) is the total of both, computed in fewer steps.
namespace tessera::scanning {

/// A sum or product of numbers that are wide enough to be added up one by one.
template <class Number, bool IsProduct>
struct Plain {
  Number total = IsProduct ? Number(1) : Number(-0.0);  // -0 is what leaves -0 as it is

  [[gnu::always_inline]] inline void add(Number x) { total = IsProduct ? total * x : total + x; }
  [[gnu::always_inline]] inline void merge(const Plain& later) { add(later.total); }
  [[gnu::always_inline]] inline Number value_with(const Plain& later) const {
    return IsProduct ? total * later.total : total + later.total;
  }
};

/// Integers, modulo 2^64.
template <bool IsProduct>
struct Plain<std::uint64_t, IsProduct> {
  std::uint64_t total = IsProduct ? 1 : 0;

  [[gnu::always_inline]] inline void add(std::uint64_t x) { total = IsProduct ? total * x : total + x; }
  [[gnu::always_inline]] inline void merge(const Plain& later) { add(later.total); }
  [[gnu::always_inline]] inline std::uint64_t value_with(const Plain& later) const {
    return IsProduct ? total * later.total : total + later.total;
  }
};

/// A sum of doubles with the sum of its rounding errors (T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", 2005). The errors
/// are beside the chain of additions, so they cost little time.
struct Compensated {
  double total = -0.0;
  double lost = 0;

  [[gnu::always_inline]] inline void add(double x) {
    const double sum = total + x;
    const double added = sum - total;
    lost += (total - (sum - added)) + (x - added);
    total = sum;
  }
  [[gnu::always_inline]] inline void merge(const Compensated& later) {
    add(later.total);
    lost += later.lost;
  }
  /// The errors of an infinite sum are NaN and do not count, and -0 is what leaves -0 as it is.
  [[gnu::always_inline]] inline double value_with(const Compensated& later) const {
    const double errors = lost + later.lost;
    return total + (later.total + (errors < 0 || errors > 0 ? errors : -0.0));
  }
};

/// Real and imaginary parts, each a sum of its own.
template <class Part>
struct ComplexSum {
  Part real{}, imaginary{};

  [[gnu::always_inline]] inline void add(std::complex<double> x) {
    real.add(x.real());
    imaginary.add(x.imag());
  }
  [[gnu::always_inline]] inline void merge(const ComplexSum& later) {
    real.merge(later.real);
    imaginary.merge(later.imaginary);
  }
  [[gnu::always_inline]] inline std::complex<double> value_with(const ComplexSum& later) const {
    return {real.value_with(later.real), imaginary.value_with(later.imaginary)};
  }
};

struct ComplexProduct {
  double real = 1, imaginary = 0;

  [[gnu::always_inline]] inline void add(std::complex<double> x) {
    const double product = real * x.real() - imaginary * x.imag();
    imaginary = real * x.imag() + imaginary * x.real();
    real = product;
  }
  [[gnu::always_inline]] inline void merge(const ComplexProduct& later) { add({later.real, later.imaginary}); }
  [[gnu::always_inline]] inline std::complex<double> value_with(const ComplexProduct& later) const {
    return {real * later.real - imaginary * later.imaginary, real * later.imaginary + imaginary * later.real};
  }
};

/// The state of a scan over elements of type T, and the type of its results. What is narrower than double is accumulated in double.
template <class T, bool IsProduct>
struct ScanOf {
  using State = Plain<std::uint64_t, IsProduct>;
  using Result = std::conditional_t<kind_of<T> == Kind::unsigned_integer, std::uint64_t, std::int64_t>;
  static std::uint64_t widened(T x) { return static_cast<std::uint64_t>(x); }
};
template <Floating T, bool IsProduct>
struct ScanOf<T, IsProduct> {
  using State = std::conditional_t<sizeof(T) == 8 && !IsProduct, Compensated, Plain<double, IsProduct>>;
  using Result = T;
  static double widened(T x) { return static_cast<double>(x); }
};
template <Complex T, bool IsProduct>
struct ScanOf<T, IsProduct> {
  using Sum = ComplexSum<std::conditional_t<sizeof(T) == 16, Compensated, Plain<double, false>>>;
  using State = std::conditional_t<IsProduct, ComplexProduct, Sum>;
  using Result = T;
  static std::complex<double> widened(T x) { return x; }
};

}  // namespace tessera::scanning
