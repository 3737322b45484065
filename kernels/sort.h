/* Sorting contiguous rows: by value, or into positions. */
#pragma once
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `rows` rows of `length` elements one after another. Elements come in ascending or descending order; NaN of either sign come last. */
struct TesseraSort {
  int dtype; /* TesseraDType, not complex */
  int descending;
  int64_t rows;
  int64_t length;
  const void* from;
  void* to; /* shares no memory with `from` */
};

/* Writes each row's elements in order, -0 before 0. */
int tessera_sort(const struct TesseraSort* sort, const struct TesseraStream* stream, struct TesseraFailure* failure);

/* Writes the positions (int64_t) of each row's elements in their order; equal elements keep theirs, and so do NaN. */
int tessera_argsort(const struct TesseraSort* sort, const struct TesseraStream* stream, struct TesseraFailure* failure);

#ifdef __cplusplus
}
#endif
