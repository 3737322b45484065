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

// Differences, slopes and areas, which are expressions of views, and scans, compiled for each element type at the highest rank.
namespace tessera::dynamic {

namespace {

/// A part along the last axis.
DArray part(const DArray& x, const Range& range) { return x({ellipsis, range}); }

/// Elements less the ones before them along the last axis; of bool, whether they differ.
DArray difference_along_last(const DArray& x) {
  const DArray later = part(x, range(1, none)), earlier = part(x, range(none, -1));
  return x.dtype() == DType::boolean ? DArray(later != earlier) : DArray(later - earlier);
}

/// The type of slopes and areas: that of the elements, of integers and bool double.
DType averaged_type(const DArray& x) {
  const bool is_inexact = kind(x.dtype()) == Kind::floating || kind(x.dtype()) == Kind::complex;
  return is_inexact ? x.dtype() : DType::float64;
}

/// Whether a type is computed in float, and results are rounded once.
bool is_half(DType dtype) { return kind(dtype) == Kind::floating && item_size(dtype) == 2; }

/// The elements with an axis last, in the type in which they are computed.
DArray averaged_rows(const char* operation, const DArray& x, int axis) {
  const DType type = averaged_type(x), computed = is_half(type) ? DType::float32 : type;
  return with_axis_last(x.dtype() == computed ? x : x.cast(computed), axis, operation);
}

/// A result of halves, rounded.
DArray averaged(const DArray& result, const DArray& x) {
  return is_half(averaged_type(x)) ? result.cast(averaged_type(x)) : result;
}

/// A number beside elements of x, whose type it takes.
double beside(const DArray& x, double number) {
  switch (averaged_type(x)) {
    case DType::float16: return static_cast<float>(float16(static_cast<float>(number)));
    case DType::bfloat16: return static_cast<float>(bfloat16(static_cast<float>(number)));
    default: return number;
  }
}

/// Coordinates in the type that goes with the elements of x.
DArray coordinates_for(const DArray& coordinates, const DArray& x, int axis, const char* operation) {
  rows::require_coordinates(coordinates.size(), x.shape()[axis], axis, operation, {});
  const DArray wide = coordinates.cast(DType::float64);
  return kind(x.dtype()) == Kind::complex ? wide : wide.cast(averaged_type(x));
}

void require_slopes(const DArray& rows, int axis, EdgeOrder edges) {
  rows::require_slopes(rows.shape()[rows.rank() - 1], static_cast<int>(edges) + 1, axis, {});
}

/// A result of rows with the axes of x but one.
DArray without_axis(const DArray& result, const DArray& x, int axis) {
  const DDim shape = x.shape();
  std::vector<std::ptrdiff_t> extents(shape.extents().begin(), shape.extents().end());
  extents.erase(extents.begin() + axis);
  return result.reshape(DDim(extents));
}

/// One position along the last axis, of which negative ones count from the end.
DArray one_of_last(const DArray& x, int k) { return part(x, k == -1 ? range(-1, none) : range(k, k + 1)); }

/// The slope at the first of three elements, of which the second is `near` away and the third `far` more.
template <class Step>
DExpression slope_at_end(const DArray& at, const DArray& beside, const DArray& behind, const Step& near,
                         const Step& far) {
  return beside * ((near + far) / (near * far)) - at * ((near + near + far) / (near * (near + far))) -
         behind * (near / (far * (near + far)));
}

/// The slopes at both ends. `step(k)` is the distance of the elements k and k + 1; negative ones count from the end.
template <class Step>
void write_ends(const DArray& result, const DArray& rows, EdgeOrder order, const Step& step) {
  const auto element = [&](int k) { return one_of_last(rows, k); };
  const DArray first = one_of_last(result, 0), last = one_of_last(result, -1);
  if (order == EdgeOrder::first) {
    first.write((element(1) - element(0)) / step(0));
    last.write((element(-1) - element(-2)) / step(-1));
  } else {
    first.write(slope_at_end(element(0), element(1), element(2), step(0), step(1)));
    last.write(-slope_at_end(element(-1), element(-2), element(-3), step(-1), step(-2)));
  }
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
  rows::require_times(times, {});
  const int at = storage::checked_axis(axis, x.rank(), "diff");
  DArray rows = with_axis_last(x, at, "diff");
  if (times == 0) rows = rows.clone();
  for (std::ptrdiff_t i = 0; i < times; ++i) {
    if (rows.shape()[rows.rank() - 1] == 0) return as_shaped(rows.clone(), x, at);
    rows = difference_along_last(rows);
  }
  return as_shaped(rows, x, at);
}

DArray slopes(const DArray& x, double spacing, int axis, EdgeOrder edges) {
  const int at = storage::checked_axis(axis, x.rank(), "gradient");
  const DArray rows = averaged_rows("gradient", x, at);
  require_slopes(rows, at, edges);
  const double step = beside(x, spacing);
  const DArray result(rows.shape(), rows.dtype(), rows.place());
  part(result, range(1, -1)).write((part(rows, range(2, none)) - part(rows, range(none, -2))) / (step + step));
  const DArray distance = full(rows.dtype(), DDim(Dim<1>{1}), edges == EdgeOrder::first ? step : spacing, rows.place());
  write_ends(result, rows, edges, [&](int) { return distance; });
  return averaged(as_shaped(result, x, at), x);
}

DArray slopes(const DArray& x, const DArray& coordinates, int axis, EdgeOrder edges) {
  require_coordinates(coordinates, "gradient");
  const int at = storage::checked_axis(axis, x.rank(), "gradient");
  const DArray rows = averaged_rows("gradient", x, at);
  require_slopes(rows, at, edges);
  const DArray rounded = difference_along_last(coordinates_for(coordinates, x, at, "gradient"));
  const DArray steps = is_half(rounded.dtype()) ? rounded.cast(DType::float32) : rounded;
  const DArray before = part(steps, range(none, -1)), after = part(steps, range(1, none));
  const DArray left = part(rows, range(none, -2)), middle = part(rows, range(1, -1)),
               right = part(rows, range(2, none));
  const DArray result(rows.shape(), rows.dtype(), rows.place());
  part(result, range(1, -1))
      .write(right * (before / (after * (before + after))) + middle * ((after - before) / (before * after)) -
             left * (after / (before * (before + after))));
  write_ends(result, rows, edges, [&](int k) { return one_of_last(steps, k); });
  return averaged(as_shaped(result, x, at), x);
}

DArray area(const DArray& y, double spacing, int axis) {
  const int at = storage::checked_axis(axis, y.rank(), "trapezoid");
  const DArray rows = averaged_rows("trapezoid", y, at);
  const DArray sums = sum(part(rows, range(1, none)) + part(rows, range(none, -1)), -1) * beside(y, spacing / 2);
  return averaged(without_axis(sums, y, at), y);
}

DArray area(const DArray& y, const DArray& coordinates, int axis) {
  require_coordinates(coordinates, "trapezoid");
  const int at = storage::checked_axis(axis, y.rank(), "trapezoid");
  const DArray rows = averaged_rows("trapezoid", y, at);
  const DArray given = coordinates_for(coordinates, y, at, "trapezoid");
  const DArray places = is_half(given.dtype()) ? given.cast(DType::float32) : given;
  const DArray after = part(places, range(1, none)), before = part(places, range(none, -1));
  const DArray sums = sum((part(rows, range(1, none)) + part(rows, range(none, -1))) * (after - before), -1) * 0.5;
  return averaged(without_axis(sums, y, at), y);
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
