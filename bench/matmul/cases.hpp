// Products by name, and their timing: what the programs of this folder share. A case is "f32 mm 64 784 256": a type, what is multiplied, and
// extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../cpu/harness.hpp"

namespace bench {

/// mm: a matrix (m, k) by (k, n). mmt: by the transpose of (n, k). mtm: the transpose of (k, m) by (k, n). mv: (m, k) by a vector. vm: a vector by
/// (k, n). batch: a thousand of (m, k) by (k, n). sums, softmax: of the rows of (m, k) by (k, n), with a bias for softmax. Other names are one
/// program's own. The type i8 is int8 by int8, u8 is uint8 by int8, both summed in int32.
struct Case {
  std::string type, kind;
  std::ptrdiff_t m = 0, k = 0, n = 0;
};

inline constexpr std::ptrdiff_t batch = 1000;

/// Numbers in [0, 1) of any type, those of integers from 0 to 99.
template <class T>
std::vector<T> numbers(std::ptrdiff_t count, std::uint32_t seed) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    seed = seed * 1664525u + 1013904223u;
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>((seed >> 8) % 100);
    } else {
      value = T(static_cast<float>(seed >> 8) * 0x1p-24f);
    }
  }
  return values;
}

/// Answers lines "type kind m k n milliseconds" with {"case": ..., "ns": ...}, or with "ns": null for what `prepare` does not know.
template <class Prepare>
int serve_cases(const std::string& library, const Prepare& prepare) {
  std::cout.precision(9);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Case one;
    double milliseconds = 0;
    if (!(words >> one.type >> one.kind >> one.m >> one.k >> one.n >> milliseconds)) return 2;
    const Repeat run = prepare(one);
    std::cout << R"({"library": ")" << library << R"(", "ns": )";
    if (run) {
      std::cout << measure(run, milliseconds).median;
    } else {
      std::cout << "null";
    }
    std::cout << "}" << std::endl;
  }
  return 0;
}

}  // namespace bench
