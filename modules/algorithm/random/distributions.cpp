module;
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
double width_of(Widest low, Widest high, std::ptrdiff_t count, const std::source_location& where) {
  const auto interval = [&] { return "[" + std::to_string(low) + ", " + std::to_string(high) + ")"; };
  if (low > high || (low == high && count > 0))
    refuse("random::integers", "there is no integer in " + interval(), "the end is not one of them", where);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (width > std::uint64_t{1} << 32)
    refuse("random::integers", "there are more than 4294967296 integers in " + interval(),
           "draw words by random::block, or in two steps", where);
  return static_cast<double>(width);
}

}  // namespace

void require_probability(double probability, const std::source_location& where) {
  if (probability >= 0 && probability <= 1) return;
  refuse("random::bernoulli", "the probability is " + std::to_string(probability), "it is in [0, 1]", where);
}

double require_interval(std::int64_t low, std::int64_t high, std::ptrdiff_t count, const std::source_location& where) {
  return width_of(low, high, count, where);
}

double require_interval(std::uint64_t low, std::uint64_t high, std::ptrdiff_t count,
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

}  // namespace tessera::random
