module;
#include <cstddef>
#include <string>
module tessera.core;

// What is said of numbers that are no extents.
namespace tessera::core {

namespace {

[[noreturn]] void throw_written(const std::string& number) {
  throw ShapeError(to_string(Failure{.operation = "shape",
                                     .problem = "extent " + number + " is not in 0 .. 2^63 - 1",
                                     .advice = "extents count elements and are never negative"}));
}

}  // namespace

void throw_no_extent(std::ptrdiff_t number) { throw_written(std::to_string(number)); }
void throw_no_extent(std::size_t number) { throw_written(std::to_string(number)); }

}  // namespace tessera::core
