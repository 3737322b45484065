module;
#include <cstdio>
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;

// What algorithms that run on the host alone say to what they do not take.
namespace tessera::rows {

void require_on_host(Place place, const Argument& argument) {
  if (place.on_host()) return;
  throw PlaceError(to_string(Failure{.operation = argument.operation,
                                     .problem = std::string(argument.name) + ": the elements are on " +
                                                to_string(place) + ", and it runs on the host alone",
                                     .advice = "copy them with to(CpuPlace{})",
                                     .where = argument.where}));
}

std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  for (int digits = 6; digits < 17; ++digits) {
    char shorter[40];
    std::snprintf(shorter, sizeof shorter, "%.*g", digits, number);
    if (std::stod(shorter) == number) return shorter;
  }
  return text;
}

void throw_value(const Argument& argument, const std::string& problem, const char* advice) {
  throw std::invalid_argument(to_string(
      Failure{.operation = argument.operation, .problem = problem, .advice = advice, .where = argument.where}));
}

}  // namespace tessera::rows
