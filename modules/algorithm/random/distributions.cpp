module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.array;
import tessera.expr;

// What distributions say to parameters that they do not take.
namespace tessera::random {

namespace {

[[noreturn]] void refuse(const char* operation, std::string problem, const char* advice,
                         const std::source_location& where) {
  throw std::invalid_argument(
      to_string(Failure{.operation = operation, .problem = std::move(problem), .advice = advice, .where = where}));
}

template <class Widest>
std::uint64_t width_of(Widest low, Widest high, std::ptrdiff_t count, const std::source_location& where) {
  if (low > high || (low == high && count > 0)) {
    refuse("random::integers", "there is no integer in [" + std::to_string(low) + ", " + std::to_string(high) + ")",
           "the end is not one of them", where);
  }
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

/// Throws unless all are weights. How many of them are above 0.
std::ptrdiff_t checked_weights(const Array<double, 1>& weights, std::ptrdiff_t n, const std::source_location& where) {
  if (weights.size() != n) {
    throw ShapeError(
        to_string(Failure{.operation = "random::choice",
                          .problem = std::to_string(weights.size()) + " weights for " + std::to_string(n) + " rows",
                          .advice = "give one weight for each row, along axis 0",
                          .where = where}));
  }
  std::ptrdiff_t positive = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double weight = weights.data()[i];
    if (!(weight >= 0) || std::isinf(weight)) {
      refuse("random::choice", "weight " + std::to_string(i) + " is " + std::to_string(weight),
             "weights are finite and not negative", where);
    }
    positive += weight > 0 ? 1 : 0;
  }
  return positive;
}

/// Where a uniform number falls among the sums of weights.
Array<std::int64_t, 1> weighted_positions(Key key, std::ptrdiff_t count, const Array<double, 1>& weights) {
  const Array<double, 1> sums = cumulative_sum(weights);
  const std::ptrdiff_t n = sums.size();
  Array<std::int64_t, 1> positions =
      searchsorted(sums, sums[n - 1] * uniform<double>(key, Dim<1>{count}), SearchSide::right);
  // A product that is rounded up to the last sum: the last row that has a weight.
  std::ptrdiff_t last = n - 1;
  while (weights.data()[last] == 0) --last;
  return evaluate(minimum(positions, last));
}

}  // namespace

void require_probability(double probability, const std::source_location& where) {
  if (probability >= 0 && probability <= 1) return;
  refuse("random::bernoulli", "the probability is " + std::to_string(probability), "it is in [0, 1]", where);
}

std::uint64_t require_interval(std::int64_t low, std::int64_t high, std::ptrdiff_t count,
                               const std::source_location& where) {
  return width_of(low, high, count, where);
}

std::uint64_t require_interval(std::uint64_t low, std::uint64_t high, std::ptrdiff_t count,
                               const std::source_location& where) {
  return width_of(low, high, count, where);
}

Array<std::int64_t, 1> chosen_positions(Key key, std::ptrdiff_t n, std::ptrdiff_t count, const ChoiceOptions& options,
                                        const std::source_location& where) {
  const auto problem = [&] { return std::to_string(count) + " rows cannot be chosen of " + std::to_string(n); };
  if (options.replace) {
    if (n == 0 && count > 0) refuse("random::choice", problem(), "there is none", where);
    return evaluate(integers<std::int64_t>(key, Dim<1>{count}, 0, n, where));
  }
  if (count > n) refuse("random::choice", problem(), "with replace a row may be chosen again", where);
  return copy(permutation(key, n)(range(0, Dim<1>{count}[0])));
}

Array<std::int64_t, 1> chosen_positions(Key key, std::ptrdiff_t n, std::ptrdiff_t count,
                                        const Array<double, 1>& weights, const ChoiceOptions& options,
                                        const std::source_location& where) {
  const std::ptrdiff_t positive = checked_weights(weights, n, where);
  const std::ptrdiff_t wanted = Dim<1>{count}[0];
  if (wanted > (options.replace ? std::min<std::ptrdiff_t>(positive, 1) * wanted : positive)) {
    refuse("random::choice",
           std::to_string(wanted) + " rows cannot be chosen of " + std::to_string(positive) + " with a weight above 0",
           options.replace ? "give one row a weight" : "with replace a row may be chosen again", where);
  }
  if (wanted == 0) return Array<std::int64_t, 1>(Dim<1>{0});
  if (options.replace) return weighted_positions(key, wanted, weights);
  // One after the other of those that are left: the largest of perturbed logarithms, E. Gumbel's way.
  return top_k(log(weights) + gumbel<double>(key, Dim<1>{n}), wanted).indices;
}

}  // namespace tessera::random
