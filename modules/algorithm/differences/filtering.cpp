module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Convolution adds multiples of the longer vector, a block of results at a time, which stays in the cache. Each result is added up in the order
// of the shorter vector's elements.
namespace tessera::filtering {

namespace {

constexpr std::ptrdiff_t block = 1024;
constexpr std::ptrdiff_t piece = std::ptrdiff_t{1} << 15;

template <class T>
void convolve_block(const T* a, std::ptrdiff_t n, const T* b, std::ptrdiff_t m, std::ptrdiff_t first,
                    std::ptrdiff_t count, T* to) {
  T sums[block];
  std::fill_n(sums, count, T(0));
  for (std::ptrdiff_t j = 0; j < m; ++j) {
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, j - first), end = std::min(count, n + j - first);
    const T factor = b[j];
    const T* const from = a + (first - j);
    for (std::ptrdiff_t i = begin; i < end; ++i) sums[i] += factor * from[i];
  }
  std::copy_n(sums, count, to);
}

template <class T>
void convolve_as(const rows::Vector& a, const rows::Vector& b, std::ptrdiff_t first, std::ptrdiff_t count, void* to) {
  rows::for_each_piece(count, std::max(block, piece / std::max<std::ptrdiff_t>(1, b.size)),
                       [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t at = begin; at < end; at += block) {
                           convolve_block(static_cast<const T*>(a.data), a.size, static_cast<const T*>(b.data), b.size,
                                          first + at, std::min(block, end - at), static_cast<T*>(to) + at);
                         }
                       });
}

double between(const Curve& curve, double x, std::ptrdiff_t after) {
  if (x != x) return x;
  if (after == 0) return curve.left;
  const std::ptrdiff_t at = after - 1;
  if (x == curve.x[at]) return curve.y[at];
  if (after == curve.size) return curve.right;
  const double slope = (curve.y[after] - curve.y[at]) / (curve.x[after] - curve.x[at]);
  const double value = slope * (x - curve.x[at]) + curve.y[at];
  if (value == value) return value;
  const double from_right = slope * (x - curve.x[after]) + curve.y[after];  // an infinite point on the left
  return from_right != from_right && curve.y[at] == curve.y[after] ? curve.y[at] : from_right;
}

}  // namespace

void convolve(const rows::Vector& a, const rows::Vector& b, std::ptrdiff_t first, std::ptrdiff_t count, void* to) {
  switch (a.dtype) {
    case DType::float32: return convolve_as<float>(a, b, first, count, to);
    case DType::float64: return convolve_as<double>(a, b, first, count, to);
    case DType::complex64: return convolve_as<std::complex<float>>(a, b, first, count, to);
    case DType::complex128: return convolve_as<std::complex<double>>(a, b, first, count, to);
    default: return convolve_as<std::uint64_t>(a, b, first, count, to);
  }
}

void require_elements(std::ptrdiff_t size, const rows::Argument& argument) {
  if (size > 0) return;
  throw ShapeError(to_string(Failure{.operation = argument.operation,
                                     .problem = std::string(argument.name) + " has no elements",
                                     .where = argument.where}));
}

void require_curve(const Curve& curve, std::ptrdiff_t ordinates, const rows::Argument& argument) {
  if (curve.size == 0 || curve.size != ordinates) {
    throw ShapeError(to_string(Failure{.operation = argument.operation,
                                       .problem = "the curve has " + std::to_string(curve.size) + " abscissas and " +
                                                  std::to_string(ordinates) + " ordinates",
                                       .advice = "each of its points has both",
                                       .where = argument.where}));
  }
  for (std::ptrdiff_t i = 1; i < curve.size; ++i) {
    if (curve.x[i - 1] <= curve.x[i]) continue;
    rows::throw_value(argument,
                      "the abscissas do not ascend: number " + std::to_string(i) + " is " + rows::text_of(curve.x[i]) +
                          " after " + rows::text_of(curve.x[i - 1]),
                      "sort the points first");
  }
}

void interpolate(const Curve& curve, const double* at, std::ptrdiff_t count, double* to) {
  const memory::Allocation memory(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
  auto* const places = static_cast<std::int64_t*>(memory.data());
  searching::search({DType::float64, curve.x, curve.size}, {DType::float64, at, count}, SearchSide::right, places);
  rows::for_each_piece(count, piece, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) to[i] = between(curve, at[i], places[i]);
  });
}

}  // namespace tessera::filtering
