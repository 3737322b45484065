module;
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Differences and scans, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// Calls work(rows) with the static rows along an axis, of floating or complex elements, and gives its result x's axes.
template <class Work>
DArray along(const char* operation, const DArray& x, int axis, const Work& work) {
  const int at = storage::checked_axis(axis, x.rank(), operation);
  const bool is_inexact = kind(x.dtype()) == Kind::floating || kind(x.dtype()) == Kind::complex;
  const DArray rows = with_axis_last(is_inexact ? x : x.cast(DType::float64), at, operation);
  return core::with_element(rows.dtype(), [&]<class T>() -> DArray {
    if constexpr (Floating<T> || Complex<T>) {
      return as_shaped(DArray(work(rows_of<T>(rows))), x, at);
    } else {
      throw_dtype(operation, dtype_of<T>, "numbers");
    }
  });
}

void require_coordinates(const DArray& coordinates, const char* operation) {
  require_vector(coordinates, operation, "coordinates");
  if (kind(coordinates.dtype()) == Kind::complex)
    throw_dtype(operation, coordinates.dtype(), "coordinates that are real");
}

template <class T, class Rows>
DArray run_rows(RunningScan scan, const Rows& rows, const ScanOptions& options) {
  if (scan == RunningScan::sum) return tessera::cumulative_sum<-1>(rows, options, std::source_location{});
  if (scan == RunningScan::product) return tessera::cumulative_prod<-1>(rows, options, std::source_location{});
  if constexpr (Complex<T>) {
    throw_dtype("cumulative_max", dtype_of<T>, "elements that have an order");
  } else {
    if (scan == RunningScan::max) return tessera::cumulative_max<-1>(rows, options, std::source_location{});
    if (scan == RunningScan::min) return tessera::cumulative_min<-1>(rows, options, std::source_location{});
    if constexpr (Floating<T>) {
      return tessera::cumulative_logsumexp<-1>(rows, options, std::source_location{});
    } else {
      throw_dtype("cumulative_logsumexp", dtype_of<T>, "floating elements");
    }
  }
}

}  // namespace

DArray differences(const DArray& x, std::ptrdiff_t times, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "diff");
  const DArray rows = with_axis_last(x, at, "diff");
  return core::with_element(x.dtype(), [&]<class T>() -> DArray {
    return as_shaped(DArray(tessera::diff(rows_of<T>(rows), times, -1, std::source_location{})), x, at);
  });
}

DArray slopes(const DArray& x, double spacing, int axis) {
  return along("gradient", x, axis,
               [&](const auto& rows) { return tessera::gradient(rows, spacing, std::source_location{}); });
}

DArray slopes(const DArray& x, const DArray& coordinates, int axis) {
  require_coordinates(coordinates, "gradient");
  const Array<double, 1> at = vector_of<double>(coordinates);
  return along("gradient", x, axis,
               [&](const auto& rows) { return tessera::gradient(rows, at, std::source_location{}); });
}

DArray area(const DArray& y, double spacing, int axis) {
  return squeeze(
      along("trapezoid", y, axis,
            [&](const auto& rows) { return tessera::expand_dims<-1>(evaluate(tessera::trapezoid(rows, spacing))); }),
      storage::checked_axis(axis, y.rank(), "trapezoid"));
}

DArray area(const DArray& y, const DArray& coordinates, int axis) {
  require_coordinates(coordinates, "trapezoid");
  const Array<double, 1> at = vector_of<double>(coordinates);
  return squeeze(
      along("trapezoid", y, axis,
            [&](const auto& rows) {
              return tessera::expand_dims<-1>(evaluate(tessera::trapezoid(rows, at, std::source_location{})));
            }),
      storage::checked_axis(axis, y.rank(), "trapezoid"));
}

DArray convolved(const DArray& a, const DArray& b, ConvolveMode mode) {
  require_vector(a, "convolve", "a");
  require_vector(b, "convolve", "b");
  return core::with_element(promote(a.dtype(), b.dtype()), [&]<class T>() -> DArray {
    if constexpr (std::same_as<T, bool>) {
      throw_dtype("convolve", DType::boolean, "numbers");
    } else {
      return tessera::convolve(vector_of<T>(a), vector_of<T>(b), mode, std::source_location{});
    }
  });
}

DArray interpolated(const DArray& x, const DArray& abscissas, const DArray& ordinates,
                    const std::optional<std::pair<double, double>>& ends) {
  require_coordinates(abscissas, "interp");
  require_coordinates(ordinates, "interp");
  if (kind(x.dtype()) == Kind::complex) throw_dtype("interp", x.dtype(), "real numbers");
  const Array<double, 1> at = vector_of<double>(x), across = vector_of<double>(abscissas),
                         up = vector_of<double>(ordinates);
  const DArray found = ends ? tessera::interp(at, across, up, ends->first, ends->second, std::source_location{})
                            : tessera::interp(at, across, up, std::source_location{});
  const DArray shaped = found.reshape(x.shape());
  return kind(x.dtype()) == Kind::floating && x.dtype() != DType::float64 ? shaped.cast(x.dtype()) : shaped;
}

DArray run_along(RunningScan scan, const DArray& x, std::optional<int> axis, const ScanOptions& options) {
  if (!axis && x.rank() > 1) {
    throw ShapeError(to_string(Failure{.operation = "a running scan",
                                       .problem = "the array has the shape " + to_string(x.shape()),
                                       .advice = "name the one axis to scan along: 0 is the first, -1 the last"}));
  }
  const int at = storage::checked_axis(axis.value_or(0), x.rank(), "a running scan");
  const DArray rows = with_axis_last(x, at, "a running scan");
  return core::with_element(
      x.dtype(), [&]<class T>() -> DArray { return as_shaped(run_rows<T>(scan, rows_of<T>(rows), options), x, at); });
}

}  // namespace tessera::dynamic
