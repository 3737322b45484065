/* What every call of a kernel family is given: its stream, memory for its temporaries, and room for what went wrong. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A CUDA stream: cudaStream_t and CUstream are pointers to it. The context of its device is current on the calling thread. */
struct CUstream_st;

/* Work is enqueued on `stream`, and no call waits for it. Temporaries come from allocate(), which returns memory for work that the stream
   is given from now on, or a null pointer; free() takes memory that the stream still uses in work that it has been given. */
struct TesseraStream {
  struct CUstream_st* stream;
  void* context;
  void* (*allocate)(void* context, size_t bytes, struct CUstream_st* stream);
  void (*free)(void* context, void* memory, size_t bytes, struct CUstream_st* stream);
};

/* What a call returns: done, or why not. */
enum TesseraStatus {
  TESSERA_DONE = 0,
  TESSERA_CUDA_ERROR = 1,    /* cuda_error and message say which */
  TESSERA_OUT_OF_MEMORY = 2, /* allocate() returned a null pointer; nothing has been written */
  TESSERA_UNSUPPORTED = 3    /* no kernel for these types */
};

/* What went wrong, for a person. */
struct TesseraFailure {
  int cuda_error;    /* cudaError_t, or 0 */
  char message[248]; /* ends with a zero */
};

/* Element types, numbered as tessera::DType. */
enum TesseraDType {
  TESSERA_BOOLEAN,
  TESSERA_INT8,
  TESSERA_INT16,
  TESSERA_INT32,
  TESSERA_INT64,
  TESSERA_UINT8,
  TESSERA_UINT16,
  TESSERA_UINT32,
  TESSERA_UINT64,
  TESSERA_FLOAT16,
  TESSERA_BFLOAT16,
  TESSERA_FLOAT32,
  TESSERA_FLOAT64,
  TESSERA_COMPLEX64,
  TESSERA_COMPLEX128
};
