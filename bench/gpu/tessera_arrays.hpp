// Operands and results of Tessera's kernels. Include it after `import tessera;`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "harness.hpp"

namespace bench {

inline constexpr tessera::GpuPlace gpu{0};

template <class T, int Rank>
using OnGpu = tessera::Array<T, Rank, tessera::GpuPlace>;

/// An array on the GPU whose element i is value(number(i, seed)), rounded to T.
template <class T, int Rank, class Value>
OnGpu<T, Rank> made_of(const tessera::Dim<Rank>& shape, std::uint32_t seed, const Value& value) {
  constexpr std::ptrdiff_t piece = 1 << 16;
  const tessera::Array<T, Rank, tessera::CpuPlace> host(shape);
  T* data = host.data();
  const std::ptrdiff_t count = host.size();
  tessera::parallel_for((count + piece - 1) / piece, [&](std::ptrdiff_t part) {
    const std::ptrdiff_t end = std::min(count, (part + 1) * piece);
    for (std::ptrdiff_t i = part * piece; i < end; ++i) data[i] = T(value(number(static_cast<std::uint32_t>(i), seed)));
  });
  return host.to(gpu);
}

template <class T, int Rank>
OnGpu<T, Rank> numbers(const tessera::Dim<Rank>& shape, std::uint32_t seed) {
  return made_of<T>(shape, seed, [](float x) { return x; });
}

/// A destination that no kernel has written yet: NaN, or -1.
template <class T, int Rank>
OnGpu<T, Rank> poisoned(const tessera::Dim<Rank>& shape) {
  if constexpr (std::is_integral_v<T>) return tessera::full<T>(shape, T(-1), gpu);
  return tessera::full<T>(shape, T(std::numeric_limits<float>::quiet_NaN()), gpu);
}

/// The elements of a contiguous array that are compared.
template <class T, int Rank>
std::vector<double> samples(const OnGpu<T, Rank>& result) {
  tessera::synchronize();
  const OnGpu<T, 1> flat = tessera::flatten(result);
  std::vector<double> values;
  for (std::int64_t k = 0; k < samples_of(flat.size()); ++k) {
    const T value = flat[{position(k, flat.size())}];
    values.push_back(static_cast<double>(value));
  }
  return values;
}

// The kernels, by what they are about.
std::vector<Kernel> elementwise_kernels();
std::vector<Kernel> row_kernels();
std::vector<Kernel> moving_kernels();
std::vector<Kernel> pattern_kernels();
std::vector<Kernel> product_kernels();

/// Prints a line with the nanoseconds of the first and the later kernels' first use, for the cache of TESSERA_CACHE_DIR as it is.
void time_compiling();

}  // namespace bench
