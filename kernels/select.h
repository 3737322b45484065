/* Picking the elements of a contiguous array where a mask is true. */
#pragma once
#include "call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct TesseraSelect {
  int dtype; /* TesseraDType */
  int64_t length;
  const void* from;
  const uint8_t* mask; /* `length` bytes, 0 or 1 */
  void* to;            /* room for as many elements as are picked; shares no memory with `from` */
  int64_t* count;      /* how many were picked, in device memory */
};

/* Writes the picked elements in their order, and their number. */
int tessera_select(const struct TesseraSelect* select, const struct TesseraStream* stream,
                   struct TesseraFailure* failure);

#ifdef __cplusplus
}
#endif
