module;
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;

// What moments say to orders that they have not.
namespace tessera::rows {

void require_order(int order, const std::source_location& where) {
  if (order >= 0) return;
  throw std::invalid_argument(to_string(Failure{.operation = "moment",
                                                .problem = "the order is " + std::to_string(order),
                                                .advice = "orders of moments are 0, 1, 2, ...",
                                                .where = where}));
}

}  // namespace tessera::rows
