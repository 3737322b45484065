module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:discrete;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :philox;
import :random;
import :rejection;
import :gamma;

// Counts: Poisson's and the binomial distribution. They are computed in double, whatever the type of the numbers.
namespace tessera::random {

/// What counts may be: integers, or floating numbers, which have NaN.
template <class T>
concept Count = Element<T> && Real<T> && !std::is_same_v<T, bool>;

struct PoissonNumbers {
  static constexpr const char* name = "random::poisson";
  static constexpr const char* device = "tessera_poisson($0, $1, $2, $3, $4)";
  static double map(std::uint64_t stream, double first, double second, double rate, double none) {
    return poisson_number(stream, first, second, rate, none);
  }
};

/// Poisson's numbers, how many events there are where `rate` are expected: one rate for all or an operand with one for each number. Where such
/// an operand is negative or NaN the number is NaN, of integers 0. Throws std::invalid_argument for one rate that is negative, infinite or NaN,
/// ShapeError if the shape is too large or not what the operand broadcasts to.
export template <class T = std::int64_t, int Rank, class P>
  requires Count<T> && Parameter<P, Rank>
auto poisson(Key key, const Dim<Rank>& shape, P&& rate, std::source_location where = std::source_location::current()) {
  const auto rates = parameter_of<double>(
      std::forward<P>(rate), shape, [](double value) { return value >= 0 && value - value == 0; }, "random::poisson",
      "the rate", "it is finite and not negative", where);
  const auto none = [&] {
    if constexpr (Operand<P>) {
      return exp(-rates);
    } else {
      return std::exp(-rates);
    }
  }();
  return cast<T>(F<PoissonNumbers>(streams(part_of(key, 0), shape), uniform<double>(part_of(key, 1), shape),
                                   uniform<double>(part_of(key, 2), shape), rates, none));
}

struct BinomialNumbers {
  static constexpr const char* name = "random::binomial";
  static constexpr const char* device = "tessera_binomial($0, $1, $2, $3, $4, $5)";
  static double map(std::uint64_t stream, double first, double second, double trials, double chance, double none) {
    return binomial_number(stream, first, second, trials, chance, none);
  }
};

/// Binomial numbers, how many of `trials` succeed where each does with the given probability; both are one for all or operands with one for
/// each number. Where such an operand is negative or NaN, or a probability above 1, the number is NaN, of integers 0. Throws
/// std::invalid_argument for one such number, ShapeError if the shape is too large or not what an operand broadcasts to.
export template <class T = std::int64_t, int Rank, class N, class P>
  requires Count<T> && Parameter<N, Rank> && Parameter<P, Rank>
auto binomial(Key key, const Dim<Rank>& shape, N&& trials, P&& probability,
              std::source_location where = std::source_location::current()) {
  const auto number = parameter_of<double>(
      std::forward<N>(trials), shape, [](double value) { return value >= 0 && value - value == 0; }, "random::binomial",
      "the number of trials", "it is finite and not negative", where);
  const auto chance = parameter_of<double>(
      std::forward<P>(probability), shape, [](double value) { return value >= 0 && value <= 1; }, "random::binomial",
      "the probability", "it is in [0, 1]", where);
  const auto none = [&] {
    if constexpr (!Operand<N> && !Operand<P>) {
      return std::exp(__builtin_floor(number) * __builtin_log1p(-std::min(chance, 1 - chance)));
    } else {
      const auto whole = [&] {
        if constexpr (Operand<N>)
          return floor(number);
        else
          return __builtin_floor(number);
      }();
      const auto rare = [&] {
        if constexpr (Operand<P>)
          return log1p(-minimum(chance, 1.0 - chance));
        else
          return __builtin_log1p(-std::min(chance, 1 - chance));
      }();
      return exp(whole * rare);
    }
  }();
  return cast<T>(F<BinomialNumbers>(streams(part_of(key, 0), shape), uniform<double>(part_of(key, 1), shape),
                                    uniform<double>(part_of(key, 2), shape), number, chance, none));
}

}  // namespace tessera::random
