module;
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
module tessera.array;

// How many elements an arange has.
namespace tessera {

std::ptrdiff_t arange_count(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  constexpr double most = 9.0e18;  // below 2^63
  if (step == 0 || std::isnan(count) || count > most) {
    std::ostringstream text;
    text << "from " << start << " to " << stop << " by " << step << " is no sequence of at most 2^63 - 1 elements";
    throw ShapeError(to_string(Failure{.operation = "arange", .problem = text.str(), .advice = "the step must lead from start to stop"}));
  }
  return count > 0 ? static_cast<std::ptrdiff_t>(count) : 0;
}

}  // namespace tessera
