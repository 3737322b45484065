// Values of arrays wherever they are, and how they differ.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

/// Elements in row-major order, as complex numbers of double precision.
using Values = std::vector<std::complex<double>>;

template <class A>
Values values_of(const A& array) {
  const auto host = array.to(tessera::CpuPlace{}).clone();
  Values values;
  for (std::ptrdiff_t i = 0; i < host.size(); ++i) {
    using T = typename A::value_type;
    if constexpr (tessera::Complex<T>) {
      values.emplace_back(static_cast<double>(host.data()[i].real()), static_cast<double>(host.data()[i].imag()));
    } else {
      values.emplace_back(static_cast<double>(host.data()[i]));
    }
  }
  return values;
}

/// |a - b| relative to the larger of |b| and 1; 0 for two NaNs.
inline double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::abs(a - b) / std::max(1.0, std::abs(b));
}

/// Where `got` is farther from `wanted` than the tolerance, in words; empty if it is nowhere.
inline std::string difference(const Values& got, const Values& wanted, double tolerance) {
  if (got.size() != wanted.size())
    return std::to_string(got.size()) + " elements instead of " + std::to_string(wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = std::max(distance(got[i].real(), wanted[i].real()), distance(got[i].imag(), wanted[i].imag()));
    if (off <= tolerance) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(got[i].real()) + " instead of " +
           std::to_string(wanted[i].real()) + ", off by " + std::to_string(off);
  }
  return "";
}

/// The same program on the CPU and on a GPU gives the same values within a tolerance.
template <class Program>
void check_alike(const std::string& name, double tolerance, const Program& program) {
  INFO(name);
  const auto on_cpu = program(tessera::Place(tessera::CpuPlace{}));
  const auto on_gpu = program(tessera::Place(tessera::GpuPlace{0}));
  CHECK(tessera::Place(on_gpu.place()) == tessera::Place(tessera::GpuPlace{0}));
  CHECK(difference(values_of(on_gpu), values_of(on_cpu), tolerance) == "");
}
