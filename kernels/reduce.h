/* Sums, products, minima and maxima of all elements of a contiguous array. */
#pragma once
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum TesseraReduceOperation { TESSERA_REDUCE_SUM, TESSERA_REDUCE_PRODUCT, TESSERA_REDUCE_MIN, TESSERA_REDUCE_MAX };

/* Sums and products have the types of TesseraScan's; minima and maxima the elements', are NaN if one element is NaN, and need one. */
struct TesseraReduce {
  int dtype;     /* TesseraDType; complex for sums and products only */
  int operation; /* TesseraReduceOperation */
  int64_t length;
  const void* from;
  void* to; /* one result */
};

/* Writes the result to device memory. The same bits on every run. */
int tessera_reduce(const struct TesseraReduce* reduce, const struct TesseraStream* stream,
                   struct TesseraFailure* failure);

#ifdef __cplusplus
}
#endif
