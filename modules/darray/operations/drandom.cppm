module;
#include <cstddef>
#include <cstdint>
export module tessera.darray:drandom;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.algorithm;
import :handle;
import :dfunctions;

// Random numbers of a type that is known at run time.
namespace tessera::random {

/// Uniform numbers in [0, 1), those of the function for arrays: an element depends on the key, its row-major position and the type. Throws
/// DTypeError for types that are not floating, ShapeError, OutOfMemory.
export DArray uniform(Key key, DType dtype, const DDim& shape, Place place = {});

/// Normal numbers with mean 0 and variance 1. Throws as uniform().
export DArray normal(Key key, DType dtype, const DDim& shape, Place place = {});

/// Exponential numbers with mean 1. Throws as uniform().
export DArray exponential(Key key, DType dtype, const DDim& shape, Place place = {});

/// Laplace's double exponential numbers with mean 0 and variance 2. Throws as uniform().
export DArray laplace(Key key, DType dtype, const DDim& shape, Place place = {});

/// Gumbel's numbers for maxima, with location 0 and scale 1. Throws as uniform().
export DArray gumbel(Key key, DType dtype, const DDim& shape, Place place = {});

/// Logistic numbers with mean 0 and scale 1. Throws as uniform().
export DArray logistic(Key key, DType dtype, const DDim& shape, Place place = {});

/// Integers in [low, high). Throws std::invalid_argument as the function for arrays, DTypeError for types that are not integers, and if the
/// type does not hold low and high - 1, ShapeError, OutOfMemory.
export DArray integers(Key key, DType dtype, const DDim& shape, std::int64_t low, std::int64_t high, Place place = {},
                       std::source_location where = std::source_location::current());

/// A parameter of a distribution: one number for all, or an array with one for each number, which broadcasts.
export class DParameter {
 public:
  template <Scalar S>
    requires std::is_arithmetic_v<S>
  DParameter(S value) : value_(static_cast<double>(value)) {}
  DParameter(DArray array) : array_(std::move(array)) {}

  /// Whether there is one number for all.
  bool is_number() const { return !array_; }
  double number() const { return value_; }
  const DArray& array() const { return *array_; }

 private:
  std::optional<DArray> array_;
  double value_ = 0;
};

/// Gamma numbers with scale 1: mean and variance are the concentration. Throws std::invalid_argument as the function for arrays, DTypeError for
/// types that are not floating, ShapeError, PlaceError, OutOfMemory.
export DArray gamma(Key key, DType dtype, const DDim& shape, const DParameter& concentration, Place place = {},
                    std::source_location where = std::source_location::current());

/// Beta numbers in [0, 1] with mean a / (a + b). Throws as gamma().
export DArray beta(Key key, DType dtype, const DDim& shape, const DParameter& a, const DParameter& b, Place place = {},
                   std::source_location where = std::source_location::current());

/// Normal numbers with mean 0 and variance 1 that lie in [low, high]. Throws as gamma().
export DArray truncated_normal(Key key, DType dtype, const DDim& shape, const DParameter& low, const DParameter& high,
                               Place place = {}, std::source_location where = std::source_location::current());

/// How many events there are where `rate` are expected. Throws as gamma(), but takes integer types, too.
export DArray poisson(Key key, DType dtype, const DDim& shape, const DParameter& rate, Place place = {},
                      std::source_location where = std::source_location::current());

/// How many of `trials` succeed, each with this probability. Throws as poisson().
export DArray binomial(Key key, DType dtype, const DDim& shape, const DParameter& trials, const DParameter& probability,
                       Place place = {}, std::source_location where = std::source_location::current());

/// true with a probability. Throws std::invalid_argument unless it is in [0, 1], ShapeError, OutOfMemory.
export DArray bernoulli(Key key, const DDim& shape, double probability, Place place = {},
                        std::source_location where = std::source_location::current());

/// Integers that have every value of an unsigned type equally often. Throws DTypeError for other types, ShapeError, OutOfMemory.
export DArray bits(Key key, DType dtype, const DDim& shape, Place place = {});

DArray labels_of(Key key, const DArray& logits);
DArray shuffled(Key key, const DArray& x);
DArray chosen(Key key, const DArray& x, std::ptrdiff_t count, const ChoiceOptions& options,
              const std::source_location& where);
DArray chosen(Key key, const DArray& x, std::ptrdiff_t count, const DArray& weights, const ChoiceOptions& options,
              const std::source_location& where);
DArray normal_vectors(Key key, std::ptrdiff_t count, const DArray& mean, const DArray& covariance,
                      const std::source_location& where);

/// One label of each row of unnormalised logarithms of probabilities, of shape (..., labels): int64 of shape (...). Throws DTypeError for types
/// that are not floating, ShapeError for rank 0 and rows without labels.
export template <DynamicOperand X>
DArray categorical(Key key, const X& logits) {
  return labels_of(key, logits);
}

/// A copy of x whose rows, along axis 0, are in random order. Throws ShapeError for rank 0.
export template <DynamicOperand X>
DArray shuffle(Key key, const X& x) {
  return shuffled(key, x);
}

/// `count` rows of x, along axis 0, chosen at random. Throws as the function for arrays, ShapeError for rank 0.
export template <DynamicOperand X>
DArray choice(Key key, const X& x, std::ptrdiff_t count, const ChoiceOptions& options = {},
              std::source_location where = std::source_location::current()) {
  return chosen(key, x, count, options, where);
}

/// The same, where a row is as likely as its weight says.
export template <DynamicOperand X, class W>
  requires DynamicOperands<X, W> && (!DScalar<W>)
DArray choice(Key key, const X& x, std::ptrdiff_t count, const W& weights, const ChoiceOptions& options = {},
              std::source_location where = std::source_location::current()) {
  return chosen(key, x, count, weights, options, where);
}

/// `count` normal vectors with this mean and covariance, in the type of the mean. Throws as the function for arrays, DTypeError for types that are
/// not floating.
export template <class M, class S>
  requires DynamicOperands<M, S>
DArray multivariate_normal(Key key, std::ptrdiff_t count, const M& mean, const S& covariance,
                           std::source_location where = std::source_location::current()) {
  return normal_vectors(key, count, mean, covariance, where);
}

}  // namespace tessera::random
