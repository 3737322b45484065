/* Running sums and products of contiguous rows. */
#pragma once
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum TesseraScanOperation { TESSERA_SCAN_SUM, TESSERA_SCAN_PRODUCT };

/* `rows` rows of `length` elements one after another. Results are int64_t of bool and signed integers, uint64_t of unsigned ones, and of the
   elements' type otherwise, accumulated in double. */
struct TesseraScan {
  int dtype;     /* TesseraDType */
  int operation; /* TesseraScanOperation */
  int64_t rows;
  int64_t length;
  const void* from;
  void* to; /* shares no memory with `from` */
};

/* Element i of a row becomes the sum or product of its elements 0 to i. The same bits on every run. */
int tessera_scan(const struct TesseraScan* scan, const struct TesseraStream* stream, struct TesseraFailure* failure);

#ifdef __cplusplus
}
#endif
