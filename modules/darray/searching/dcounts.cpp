module;
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Counting and selecting, compiled for each element type: on vectors of all elements, matrices of slices, and rows of the highest rank.
namespace tessera::dynamic {

namespace {

/// Calls body with the type of labels. Throws DTypeError for others than integers, ShapeError unless they are a vector.
template <class Body>
decltype(auto) with_labels(const DArray& labels, const char* operation, const Body& body) {
  require_vector(labels, operation, "labels");
  return with_ordered(operation, labels.dtype(), [&]<class T>() -> DArray {
    if constexpr (Integer<T>) {
      return body.template operator()<T>();
    } else {
      throw_dtype(operation, dtype_of<T>, "labels that are integers");
    }
  });
}

Array<double, 1> numbers_of(const DArray& weights, const char* operation) {
  if (kind(weights.dtype()) == Kind::complex) throw_dtype(operation, weights.dtype(), "weights that are real numbers");
  return vector_of<double>(weights);
}

}  // namespace

DArray counted(const DArray& labels, const DArray* weights, std::ptrdiff_t least) {
  return with_labels(labels, "bincount", [&]<class T>() -> DArray {
    const Array<T, 1> vector = vector_of<T>(labels);
    if (weights == nullptr) return tessera::bincount(vector, least);
    require_vector(*weights, "bincount", "weights");
    return tessera::bincount(vector, numbers_of(*weights, "bincount"), least);
  });
}

DHistogram binned(const DArray& x, const DArray* bins, std::ptrdiff_t count, const std::optional<Bounds>& bounds,
                  const DArray* weights) {
  if (weights != nullptr && weights->shape() != x.shape()) {
    throw ShapeError(to_string(Failure{.operation = "histogram",
                                       .problem = "the weights have the shape " + to_string(weights->shape()) +
                                                  " and the elements have " + to_string(x.shape()),
                                       .advice = "an element has one weight"}));
  }
  return with_ordered("histogram", x.dtype(), [&]<class T>() {
    const Array<T, 1> values = vector_of<T>(x);
    const auto as_dynamic = [](const auto& found) { return DHistogram{found.counts, found.edges}; };
    if (bins != nullptr) {
      require_vector(*bins, "histogram", "edges");
      auto found = as_dynamic(tessera::histogram(values, numbers_of(*bins, "histogram")));
      found.edges = bins->clone();
      return found;
    }
    if (weights == nullptr)
      return as_dynamic(bounds ? tessera::histogram(values, count, *bounds) : tessera::histogram(values, count));
    const Array<double, 1> numbers = numbers_of(*weights, "histogram");
    return as_dynamic(bounds ? tessera::histogram(values, count, *bounds, numbers)
                             : tessera::histogram(values, count, numbers));
  });
}

DArray segmented(Segmented operation, const DArray& x, const DArray& labels, std::ptrdiff_t count) {
  static_cast<void>(storage::checked_axis(0, x.rank(), "segment_sum"));
  const DDim shape = x.shape();
  std::vector<std::ptrdiff_t> extents(shape.extents().begin(), shape.extents().end());
  std::ptrdiff_t width = 1;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) width *= extents[axis];
  return with_labels(labels, "segment_sum", [&]<class I>() -> DArray {
    const Array<std::int64_t, 1> segments = vector_of<std::int64_t>(labels);
    return core::with_element(x.dtype(), [&]<class T>() -> DArray {
      const Array<T, 2> slices = tessera::reshape(vector_of<T>(x), Dim<2>{extents[0], width});
      const auto shaped = [&](const DArray& result) {
        extents[0] = count;
        return result.reshape(DDim(extents));
      };
      if (operation == Segmented::sum) return shaped(tessera::segment_sum(slices, segments, count));
      if (operation == Segmented::mean) return shaped(tessera::segment_mean(slices, segments, count));
      if constexpr (Complex<T>) {
        throw_dtype("segment_min", dtype_of<T>, "elements that have an order");
      } else {
        if (operation == Segmented::min) return shaped(tessera::segment_min(slices, segments, count));
        return shaped(tessera::segment_max(slices, segments, count));
      }
    });
  });
}

DArray partitioned(const DArray& x, std::ptrdiff_t rank, int axis, bool positions) {
  const char* const operation = positions ? "argpartition" : "partition";
  const int at = storage::checked_axis(axis, x.rank(), operation);
  const DArray rows = with_axis_last(x, at, operation);
  return with_ordered(operation, x.dtype(), [&]<class T>() -> DArray {
    if (positions) return as_shaped(tessera::argpartition(rows_of<T>(rows), rank), x, at);
    return as_shaped(tessera::partition(rows_of<T>(rows), rank), x, at);
  });
}

DTopK first_of(const DArray& x, std::ptrdiff_t count, int axis, TopMode mode) {
  const int at = storage::checked_axis(axis, x.rank(), "top_k");
  const DArray rows = with_axis_last(x, at, "top_k");
  return with_ordered("top_k", x.dtype(), [&]<class T>() {
    const auto found = tessera::top_k(rows_of<T>(rows), count, mode);
    return DTopK{as_shaped(found.values, x, at), as_shaped(found.indices, x, at)};
  });
}

}  // namespace tessera::dynamic
