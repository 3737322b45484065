// The C interface of sorting.
#include "sort.h"

#include "support.cuh"

namespace tessera::kernels {

// Each instantiated in the file for its size of elements.
template <class T>
void sort_rows(const TesseraSort& sort, const TesseraStream& stream);
template <class T>
void argsort_rows(const TesseraSort& sort, const TesseraStream& stream);

namespace {

bool is_empty(const TesseraSort& sort) { return sort.rows == 0 || sort.length == 0; }

}  // namespace

}  // namespace tessera::kernels

int tessera_sort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  using namespace tessera::kernels;
  return guarded(failure, [&] {
    with_ordered_type(sort->dtype, [&](auto type) {
      if (!is_empty(*sort)) sort_rows<typename decltype(type)::type>(*sort, *stream);
    });
  });
}

int tessera_argsort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  using namespace tessera::kernels;
  return guarded(failure, [&] {
    with_ordered_type(sort->dtype, [&](auto type) {
      if (!is_empty(*sort)) argsort_rows<typename decltype(type)::type>(*sort, *stream);
    });
  });
}
