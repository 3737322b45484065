module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:distributions;
import tessera.standard;
import tessera.core;
import tessera.array;
import tessera.expr;
import :philox;
import :random;
import :host_elements;

// Distributions whose number is a function of one uniform number: lazy expressions of random::uniform, which fuse, run on every place and
// are the same for any number of threads, as it is. Numbers of 16 bits are drawn as floats and rounded.
namespace tessera::random {

/// Numbers of type T from those that are computed in the type it is computed in.
template <Floating T, class X>
auto drawn_as(X&& x) {
  if constexpr (std::is_same_v<T, value_of<X>>) {
    return std::forward<X>(x);
  } else {
    return cast<T>(std::forward<X>(x));
  }
}

/// The distance from a uniform number to the middle between it and the next one: such middles are neither 0 nor 1.
template <Floating T>
inline constexpr compute_t<T> half_step = sizeof(T) == 8 ? compute_t<T>(0x1p-54) : compute_t<T>(0x1p-25);

/// Exponential numbers with mean 1. Throws ShapeError if the shape is too large.
export template <Floating T, int Rank>
auto exponential(Key key, const Dim<Rank>& shape) {
  return drawn_as<T>(abs(log1p(-uniform<compute_t<T>>(key, shape))));
}

/// Laplace's double exponential numbers with mean 0 and variance 2. Throws ShapeError if the shape is too large.
export template <Floating T, int Rank>
auto laplace(Key key, const Dim<Rank>& shape) {
  using C = compute_t<T>;
  const auto centred = (uniform<C>(key, shape) - C(0.5)) + half_step<T>;
  return drawn_as<T>(copysign(log1p(C(-2) * abs(centred)), centred));
}

/// Gumbel's numbers for maxima, with location 0 and scale 1: the mean is Euler's constant, the variance pi squared by 6. Throws ShapeError if
/// the shape is too large.
export template <Floating T, int Rank>
auto gumbel(Key key, const Dim<Rank>& shape) {
  using C = compute_t<T>;
  return drawn_as<T>(-log(-log1p(-maximum(uniform<C>(key, shape), half_step<T>))));
}

/// Logistic numbers with mean 0 and scale 1: the variance is pi squared by 3. Throws ShapeError if the shape is too large.
export template <Floating T, int Rank>
auto logistic(Key key, const Dim<Rank>& shape) {
  using C = compute_t<T>;
  const auto centred = (uniform<C>(key, shape) - C(0.5)) + half_step<T>;
  return drawn_as<T>(C(2) * atanh(C(2) * centred));
}

/// Throws std::invalid_argument unless a probability is one.
void require_probability(double probability, const std::source_location& where);

/// How many numbers are in [low, high). Throws std::invalid_argument if there is none and some are wanted.
std::uint64_t require_interval(std::int64_t low, std::int64_t high, std::ptrdiff_t count,
                               const std::source_location& where);
std::uint64_t require_interval(std::uint64_t low, std::uint64_t high, std::ptrdiff_t count,
                               const std::source_location& where);

/// The upper half of a product of 64 bits with a width, by products of halves, which compilers vectorise: D. Lemire, "Fast random integer
/// generation in an interval" (2019), without its rejections.
template <bool WidthOf32Bits>
struct ScaledBits {
  static constexpr const char* name = "random::integers";
  static constexpr const char* device = "(__umul64hi($0, $1) + $2)";
  [[gnu::always_inline]] static std::uint64_t map(std::uint64_t bits, std::uint64_t width, std::uint64_t least) {
    constexpr std::uint64_t half = 0xffffffff;
    const std::uint64_t low = (bits & half) * (width & half);
    const std::uint64_t first = (bits >> 32) * (width & half) + (low >> 32);
    if constexpr (WidthOf32Bits) return (first >> 32) + least;
    const std::uint64_t second = (bits & half) * (width >> 32) + (first & half);
    return (bits >> 32) * (width >> 32) + (first >> 32) + (second >> 32) + least;
  }
};

/// true with a probability, which is met to 2^-24 if it is a float, to 2^-53 if a double. Throws std::invalid_argument unless it is in
/// [0, 1], ShapeError if the shape is too large.
export template <Floating P, int Rank>
auto bernoulli(Key key, const Dim<Rank>& shape, P probability,
               std::source_location where = std::source_location::current()) {
  require_probability(static_cast<double>(probability), where);
  return uniform<compute_t<P>>(key, shape) < static_cast<compute_t<P>>(probability);
}

/// Integers in [low, high), each as likely as the others to one part in 2^64 / (high - low). Throws std::invalid_argument if there is none
/// in the interval, ShapeError if the shape is too large.
export template <Integer T, int Rank>
auto integers(Key key, const Dim<Rank>& shape, std::type_identity_t<T> low, std::type_identity_t<T> high,
              std::source_location where = std::source_location::current()) {
  using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  const std::uint64_t width = require_interval(Widest{low}, Widest{high}, product(shape), where);
  return cast<T>(
      F<ScaledBits<sizeof(T) <= 4>>(bits<std::uint64_t>(key, shape), width, static_cast<std::uint64_t>(low)));
}

template <class O>
concept Logits = Operand<O> && Floating<value_of<O>> && (rank_of<O> >= 1);

/// One label of each row of unnormalised logarithms of probabilities, of shape (..., labels): int64 of shape (...). A label is drawn with the
/// probability softmax(logits), by E. Gumbel's maximum of perturbed logits. Throws ShapeError if there are rows without labels.
export template <Logits O>
auto categorical(Key key, O&& logits) {
  constexpr int labels = rank_of<O> - 1;
  const auto perturbation = gumbel<compute_t<value_of<O>>>(key, Dim<rank_of<O>>(logits.shape()));
  return argmax<labels>(std::forward<O>(logits) + perturbation);
}

template <class O>
concept Rows = Operand<O> && (rank_of<O> >= 1);

/// A copy of x whose rows, along axis 0, are in random order; every order is equally likely.
export template <Rows O>
auto shuffle(Key key, const O& x, std::source_location where = std::source_location::current()) {
  return take(x, permutation(key, x.shape()[0]), where);
}

/// Whether random::choice may choose a row more than once.
export struct ChoiceOptions {
  bool replace = true;
};

/// Positions of `count` of n rows.
Array<std::int64_t, 1> chosen_positions(Key key, std::ptrdiff_t n, std::ptrdiff_t count, const ChoiceOptions& options,
                                        const std::source_location& where);
/// The same where row i has the weight `weights`[i].
Array<std::int64_t, 1> chosen_positions(Key key, std::ptrdiff_t n, std::ptrdiff_t count,
                                        const Array<double, 1>& weights, const ChoiceOptions& options,
                                        const std::source_location& where);

/// `count` rows of x, along axis 0, chosen at random: each is as likely as the others, and may be chosen again unless options.replace is
/// false. Throws std::invalid_argument if there are not as many to choose from, ShapeError if count is negative.
export template <Rows O>
auto choice(Key key, const O& x, std::ptrdiff_t count, const ChoiceOptions& options = {},
            std::source_location where = std::source_location::current()) {
  return take(x, chosen_positions(key, x.shape()[0], count, options, where), where);
}

template <class W>
concept Weights = Operand<W> && Real<value_of<W>> && (rank_of<W> == 1);

/// As choice(), where a row is chosen with a probability that is proportional to its weight: one weight for each row, not negative, which need
/// not add up to 1. Without replacement one row after the other is chosen of those that are left. Throws std::invalid_argument for other
/// weights and if there are not as many rows with a weight above 0, ShapeError for another number of weights.
export template <Rows O, Weights W>
auto choice(Key key, const O& x, std::ptrdiff_t count, const W& weights, const ChoiceOptions& options = {},
            std::source_location where = std::source_location::current()) {
  const Array<double, 1> checked = rows::on_host<double>(cast<double>(weights), {"random::choice", "weights", where});
  return take(x, chosen_positions(key, x.shape()[0], count, checked, options, where), where);
}

}  // namespace tessera::random
