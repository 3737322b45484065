module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:gamma;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :philox;
import :random;
import :rejection;
import :distributions;

// Distributions with a parameter for each number, by rejection: most numbers are what a few uniform and normal ones give, the others draw on
// from a stream of their own. So they stay expressions, and a number depends on key, position and parameters only.
namespace tessera::random {

/// What distributions of T take for a parameter: one number for all, or an operand with one for each that broadcasts to the shape.
export template <class P, int Rank>
concept Parameter =
    (Scalar<P> && std::is_arithmetic_v<scalar_of<P>>) || (Operand<P> && Real<value_of<P>> && (rank_of<P> <= Rank));

/// Throws std::invalid_argument for a number that the parameter of that name may not be.
void require_parameter(bool fits, double value, const char* operation, const char* name, const char* advice,
                       const std::source_location& where);

/// Throws ShapeError for a parameter that does not broadcast to the shape of the numbers.
void require_parameter_shape(const DDim& parameter, const DDim& numbers, const char* operation, const char* name,
                             const std::source_location& where);

/// A parameter in the type in which numbers are computed, checked as far as it can be before it is read.
template <class C, int Rank, class P, class Fits>
auto parameter_of(P&& given, const Dim<Rank>& shape, const Fits& fits, const char* operation, const char* name,
                  const char* advice, const std::source_location& where) {
  if constexpr (Operand<P>) {
    require_parameter_shape(DDim(Dim<rank_of<P>>(given.shape())), DDim(shape), operation, name, where);
    if constexpr (std::is_same_v<value_of<P>, C>) {
      return std::forward<P>(given);
    } else {
      return cast<C>(std::forward<P>(given));
    }
  } else {
    const auto value = static_cast<double>(given);
    require_parameter(fits(value), value, operation, name, advice, where);
    return static_cast<C>(value);
  }
}

struct GammaNumbers {
  static constexpr const char* name = "random::gamma";
  static constexpr const char* device = "tessera_gamma($0, $1, $2, $3)";
  template <class C>
  [[gnu::always_inline]] static C map(std::uint64_t stream, C normal, C uniform, C shape) {
    if (shape >= 1) [[likely]] {
      const GammaTrial<C> trial = squeeze_gamma(normal, uniform, shape);
      if (trial.accepted) [[likely]]
        return trial.value;
    } else if (shape > 0) {
      const GammaTrial<C> above = squeeze_gamma(normal, uniform, shape + C(1));
      if (above.accepted) [[likely]] {
        const double left = left_of_uniform(normal, uniform);
        return static_cast<C>(static_cast<double>(above.value) * std::exp(std::log(left) / static_cast<double>(shape)));
      }
    }
    return gamma_number(stream, normal, uniform, shape);
  }
};

/// x / (x + y) of two gamma numbers x and y.
struct BetaNumbers {
  static constexpr const char* name = "random::beta";
  static constexpr const char* device = "tessera_beta($0, $1, $2, $3, $4, $5, $6, $7)";
  template <class C>
  [[gnu::always_inline]] static C map(std::uint64_t stream_a, C normal_a, C uniform_a, C a, std::uint64_t stream_b,
                                      C normal_b, C uniform_b, C b) {
    if (a >= 1 && b >= 1) [[likely]] {
      const GammaTrial<C> x = squeeze_gamma(normal_a, uniform_a, a), y = squeeze_gamma(normal_b, uniform_b, b);
      if (x.accepted && y.accepted) [[likely]]
        return x.value / (x.value + y.value);
    }
    return beta_number(GammaSource<C>{stream_a, normal_a, uniform_a, a},
                       GammaSource<C>{stream_b, normal_b, uniform_b, b});
  }
};

inline bool is_positive(double value) { return value > 0; }

/// Gamma numbers with scale 1: mean and variance are `concentration`, which is one for all or an operand with one for each number. Where such
/// an operand is not above 0 the number is NaN. Throws std::invalid_argument for one that is not above 0, ShapeError if the shape is too large
/// or not what the operand broadcasts to.
export template <Floating T, int Rank, class P>
  requires Parameter<P, Rank>
auto gamma(Key key, const Dim<Rank>& shape, P&& concentration,
           std::source_location where = std::source_location::current()) {
  using C = compute_t<T>;
  return drawn_as<T>(F<GammaNumbers>(streams(part_of(key, 0), shape), normal<C>(part_of(key, 1), shape),
                                     uniform<C>(part_of(key, 2), shape),
                                     parameter_of<C>(std::forward<P>(concentration), shape, is_positive,
                                                     "random::gamma", "concentration", "it is above 0", where)));
}

/// Beta numbers in [0, 1] with mean a / (a + b); a and b are one for all or operands with one for each number. Where such an operand is not
/// above 0 the number is NaN. Throws as gamma().
export template <Floating T, int Rank, class A, class B>
  requires Parameter<A, Rank> && Parameter<B, Rank>
auto beta(Key key, const Dim<Rank>& shape, A&& a, B&& b, std::source_location where = std::source_location::current()) {
  using C = compute_t<T>;
  const auto shape_of = [&]<class P>(P&& parameter, const char* name) {
    return parameter_of<C>(std::forward<P>(parameter), shape, is_positive, "random::beta", name, "it is above 0",
                           where);
  };
  return drawn_as<T>(F<BetaNumbers>(streams(part_of(key, 0), shape), normal<C>(part_of(key, 1), shape),
                                    uniform<C>(part_of(key, 2), shape), shape_of(std::forward<A>(a), "a"),
                                    streams(part_of(key, 3), shape), normal<C>(part_of(key, 4), shape),
                                    uniform<C>(part_of(key, 5), shape), shape_of(std::forward<B>(b), "b")));
}

struct TruncatedNumbers {
  static constexpr const char* name = "random::truncated_normal";
  static constexpr const char* device = "tessera_truncated($0, $1, $2, $3)";
  template <class C>
  [[gnu::always_inline]] static C map(std::uint64_t stream, C normal, C low, C high) {
    return truncated_number(stream, normal, low, high);
  }
};

/// Throws std::invalid_argument for an interval without numbers.
void require_ordered(double low, double high, const std::source_location& where);

/// Numbers of the normal distribution with mean 0 and variance 1 that lie in [low, high], which are two numbers for all, maybe infinite, or
/// operands with two for each number. Where such operands are not low <= high the number is NaN. Throws std::invalid_argument unless low <=
/// high, ShapeError if the shape is too large or not what an operand broadcasts to.
export template <Floating T, int Rank, class L, class H>
  requires Parameter<L, Rank> && Parameter<H, Rank>
auto truncated_normal(Key key, const Dim<Rank>& shape, L&& low, H&& high,
                      std::source_location where = std::source_location::current()) {
  using C = compute_t<T>;
  if constexpr (!Operand<L> && !Operand<H>) require_ordered(static_cast<double>(low), static_cast<double>(high), where);
  const auto bound = [&]<class P>(P&& given, const char* name) {
    return parameter_of<C>(
        std::forward<P>(given), shape, [](double value) { return value == value; }, "random::truncated_normal", name,
        "it is a number", where);
  };
  return drawn_as<T>(F<TruncatedNumbers>(streams(part_of(key, 0), shape), normal<C>(part_of(key, 1), shape),
                                         bound(std::forward<L>(low), "low"), bound(std::forward<H>(high), "high")));
}

}  // namespace tessera::random
