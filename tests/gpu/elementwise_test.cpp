// Elementwise expressions on a GPU compute what the CPU computes.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;

TEST_CASE("expressions on a GPU compute what the CPU computes") {
  std::map<std::string, Values> wanted;
  cases::for_each([&](const char* name, double, const auto& destination, const auto& expression, auto) {
    assign(destination, expression);
    wanted[name] = values_of(destination);
  });
  int compared = 0;
  cases::for_each(
      [&](const char* name, double tolerance, const auto& destination, const auto& expression, auto) {
        INFO("case " << name);
        assign(destination, expression);
        CHECK(difference(values_of(destination), wanted.at(name), tolerance) == "");
        ++compared;
      },
      GpuPlace{0});
  CHECK(compared == static_cast<int>(wanted.size()));
}
