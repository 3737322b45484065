module;
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <source_location>
#include <stdexcept>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// Checking and factoring a covariance.
namespace tessera::rows {

namespace {

[[noreturn]] void refuse_covariance(std::string problem, const char* advice, const std::source_location& where) {
  throw std::invalid_argument(to_string(Failure{
      .operation = "random::multivariate_normal", .problem = std::move(problem), .advice = advice, .where = where}));
}

std::string at(std::ptrdiff_t i, std::ptrdiff_t j) {
  return "the covariance at (" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

/// The largest magnitude; what is asymmetric or not finite is refused.
double checked_scale(const double* elements, std::ptrdiff_t n, double tolerance, const std::source_location& where) {
  double scale = 0;
  for (std::ptrdiff_t k = 0; k < n * n; ++k) {
    if (!std::isfinite(elements[k]))
      refuse_covariance(at(k / n, k % n) + " is " + std::to_string(elements[k]), "covariances are finite", where);
    scale = std::max(scale, std::abs(elements[k]));
  }
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t j = 0; j < i; ++j) {
      const double here = elements[i * n + j], there = elements[j * n + i];
      if (std::abs(here - there) <= tolerance * scale) continue;
      refuse_covariance(at(i, j) + " is " + std::to_string(here) + " and at (" + std::to_string(j) + ", " +
                            std::to_string(i) + ") " + std::to_string(there),
                        "a covariance is symmetric", where);
    }
  }
  return scale;
}

}  // namespace

Array<double, 2> covariance_factor(const Array<double, 2>& covariance, std::ptrdiff_t length, std::size_t element_bytes,
                                   const std::source_location& where) {
  if (covariance.shape() != Dim{length, length}) {
    throw ShapeError(to_string(Failure{.operation = "random::multivariate_normal",
                                       .problem = "a covariance of shape " + to_string(covariance.shape()) +
                                                  " for vectors of length " + std::to_string(length),
                                       .advice = "it has a row and a column for each element of the mean",
                                       .where = where}));
  }
  const std::ptrdiff_t n = length;
  const double tolerance = element_bytes == 8 ? 0x1p-42 : (element_bytes == 4 ? 0x1p-16 : 0x1p-5);
  const double* elements = covariance.data();
  const double least = tolerance * checked_scale(elements, n, tolerance, where);
  Array<double, 2> factor = zeros<double>(Dim{n, n});
  double* l = factor.data();
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const double* row = l + j * n;
    const double left = elements[j * n + j] - std::inner_product(row, row + j, row, 0.0);
    if (left < -least) {
      refuse_covariance(
          "with the rows before it, row " + std::to_string(j) + " leaves a variance of " + std::to_string(left),
          "a covariance is positive semi-definite", where);
    }
    const bool is_zero = left <= least;
    const double pivot = is_zero ? 0.0 : std::sqrt(left);
    l[j * n + j] = pivot;
    for (std::ptrdiff_t i = j + 1; i < n; ++i) {
      const double rest = elements[i * n + j] - std::inner_product(row, row + j, l + i * n, 0.0);
      if (is_zero && std::abs(rest) > std::sqrt(least) * std::sqrt(std::abs(elements[i * n + i]) + least)) {
        refuse_covariance(at(i, j) + " leaves " + std::to_string(rest) + " beside a variance of 0",
                          "a covariance is positive semi-definite", where);
      }
      l[i * n + j] = is_zero ? 0.0 : rest / pivot;
    }
  }
  return factor;
}

}  // namespace tessera::rows
