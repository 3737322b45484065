module;
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// How many elements an arange has.
namespace tessera {

std::ptrdiff_t arange_count(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  constexpr double most = 9.0e18;  // below 2^63
  if (step == 0 || std::isnan(count) || count > most) {
    std::ostringstream text;
    text << "from " << start << " to " << stop << " by " << step << " is no sequence of at most 2^63 - 1 elements";
    throw ShapeError(to_string(
        Failure{.operation = "arange", .problem = text.str(), .advice = "the step must lead from start to stop"}));
  }
  return count > 0 ? static_cast<std::ptrdiff_t>(count) : 0;
}

std::ptrdiff_t arange_count(std::uint64_t distance, std::uint64_t step) {
  if (step == 0) {
    throw ShapeError(to_string(
        Failure{.operation = "arange", .problem = "the step is 0", .advice = "the step must lead from start to stop"}));
  }
  if (distance == 0) return 0;
  const std::uint64_t count = (distance - 1) / step + 1;
  if (count > static_cast<std::uint64_t>(PTRDIFF_MAX)) {
    throw ShapeError(to_string(
        Failure{.operation = "arange", .problem = std::to_string(count) + " elements are more than 2^63 - 1"}));
  }
  return static_cast<std::ptrdiff_t>(count);
}

}  // namespace tessera
