module;
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
module tessera.darray;
import tessera.core;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Searching, compiled for each element type with an order, on vectors of all elements.
namespace tessera::dynamic {

void require_vector(const DArray& x, const char* operation, const char* name) {
  if (x.rank() == 1) return;
  throw ShapeError(to_string(Failure{.operation = operation,
                                     .problem = std::string(name) + " has the shape " + to_string(x.shape()),
                                     .advice = "it is a vector: x.flatten()"}));
}

DArray searched(const DArray& sorted, const DArray& values, SearchSide side) {
  require_vector(sorted, "searchsorted", "sorted");
  return with_ordered("searchsorted", promote(sorted.dtype(), values.dtype()), [&]<class T>() {
    return DArray(tessera::searchsorted(vector_of<T>(sorted), vector_of<T>(values), side)).reshape(values.shape());
  });
}

DArray digitized(const DArray& x, const DArray& edges, SearchSide closed) {
  require_vector(edges, "digitize", "edges");
  return with_ordered("digitize", promote(x.dtype(), edges.dtype()), [&]<class T>() {
    return DArray(tessera::digitize(vector_of<T>(x), vector_of<T>(edges), closed)).reshape(x.shape());
  });
}

DArray members(const DArray& x, const DArray& among) {
  return with_ordered("isin", promote(x.dtype(), among.dtype()), [&]<class T>() {
    return DArray(tessera::isin(vector_of<T>(x), vector_of<T>(among))).reshape(x.shape());
  });
}

DArray distinct(const DArray& x) {
  return with_ordered("unique", x.dtype(), [&]<class T>() { return DArray(tessera::unique(vector_of<T>(x))); });
}

DUnique distinct_all(const DArray& x) {
  return with_ordered("unique_all", x.dtype(), [&]<class T>() {
    const auto found = tessera::unique_all(vector_of<T>(x));
    return DUnique{found.values, found.indices, DArray(found.inverse).reshape(x.shape()), found.counts};
  });
}

DUnique distinct_slices(const DArray& x, int axis) {
  const int at = storage::checked_axis(axis, x.rank(), "unique"), first = 0;
  const DArray slices = x.with_layout(moved(x.layout(), {&at, 1}, {&first, 1}, "unique"));
  const std::ptrdiff_t count = slices.shape()[0];
  std::ptrdiff_t length = 1;
  for (int other = 1; other < x.rank(); ++other) length *= slices.shape()[other];
  return with_ordered("unique", x.dtype(), [&]<class T>() {
    const Array<T, 2> matrix = tessera::reshape(vector_of<T>(slices), Dim<2>{count, length});
    const auto found = tessera::unique<0>(matrix);
    return DUnique{take(x, DArray(found.indices), at), found.indices, found.inverse, found.counts};
  });
}

DArray combined(SetOperation operation, const DArray& a, const DArray& b) {
  return with_ordered("a set", promote(a.dtype(), b.dtype()), [&]<class T>() -> DArray {
    const Array<T, 1> left = vector_of<T>(a), right = vector_of<T>(b);
    switch (operation) {
      case SetOperation::intersection: return tessera::intersect1d(left, right);
      case SetOperation::united: return tessera::union1d(left, right);
      case SetOperation::difference: return tessera::setdiff1d(left, right);
      case SetOperation::either: break;
    }
    return tessera::setxor1d(left, right);
  });
}

}  // namespace tessera::dynamic
