// The C interface of sorting.
#include "sort.h"

#include "sort_ordered.cuh"

namespace tessera::kernels {

// Each instantiated in the file for its size of elements, 4 or 8 bytes.
template <class T>
void sort_rows(const TesseraSort& sort, const TesseraStream& stream);
template <class T>
void argsort_rows(const TesseraSort& sort, const TesseraStream& stream);

namespace {

/// Calls body(type) if there is something to sort.
template <class Body>
int for_type(const TesseraSort& sort, TesseraFailure* failure, const Body& body) {
  return guarded(failure, [&] {
    with_ordered_type(sort.dtype, [&](auto type) {
      if (sort.rows > 0 && sort.length > 0) body(type);
    });
  });
}

}  // namespace

}  // namespace tessera::kernels

int tessera_sort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  using namespace tessera::kernels;
  return for_type(*sort, failure, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (sizeof(T) <= 2) {
      sort_ordered(*sort, order_of<T>(sort->descending != 0, false), *stream);
    } else {
      sort_rows<T>(*sort, *stream);
    }
  });
}

int tessera_argsort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  using namespace tessera::kernels;
  return for_type(*sort, failure, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (sizeof(T) <= 2) {
      argsort_ordered(*sort, order_of<T>(sort->descending != 0, true), *stream);
    } else {
      argsort_rows<T>(*sort, *stream);
    }
  });
}
