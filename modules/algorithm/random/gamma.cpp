module;
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.array;

// Refusals of parameters.
namespace tessera::random {

void require_parameter(bool fits, double value, const char* operation, const char* name, const char* advice,
                       const std::source_location& where) {
  if (fits) return;
  throw std::invalid_argument(to_string(Failure{.operation = operation,
                                                .problem = std::string(name) + " is " + std::to_string(value),
                                                .advice = advice,
                                                .where = where}));
}

void require_parameter_shape(const DDim& parameter, const DDim& numbers, const char* operation, const char* name,
                             const std::source_location& where) {
  bool fits = parameter.rank() <= numbers.rank();
  for (int axis = 1; fits && axis <= parameter.rank(); ++axis) {
    const std::ptrdiff_t extent = parameter[parameter.rank() - axis];
    fits = extent == 1 || extent == numbers[numbers.rank() - axis];
  }
  if (fits) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = std::string(name) + " of shape " + to_string(parameter) +
                                                " for numbers of shape " + to_string(numbers),
                                     .advice = "it broadcasts to the shape of the numbers",
                                     .where = where}));
}

void require_ordered(double low, double high, const std::source_location& where) {
  if (low <= high) return;
  throw std::invalid_argument(
      to_string(Failure{.operation = "random::truncated_normal",
                        .problem = "there is no number in [" + std::to_string(low) + ", " + std::to_string(high) + "]",
                        .advice = "low is not above high",
                        .where = where}));
}

}  // namespace tessera::random
