// A library with the C interface of the CUDA kernels that computes on the host with plain loops, for a few types, and is strict: each call
// takes temporary memory, gives it back with the size and stream it was taken with, and a stream of 0 is an error of "CUDA".
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "reduce.h"
#include "scan.h"
#include "select.h"
#include "sort.h"

namespace {

int fail(TesseraFailure* failure, int status, int error, const char* text) {
  failure->cuda_error = error;
  std::snprintf(failure->message, sizeof failure->message, "%s", text);
  return status;
}

/// Runs body(), which returns whether the types are served, with some temporary memory.
template <class Body>
int run(const TesseraStream* stream, TesseraFailure* failure, const Body& body) {
  if (stream->stream == nullptr)
    return fail(failure, TESSERA_CUDA_ERROR, 400, "cudaErrorInvalidResourceHandle: no stream");
  constexpr size_t bytes = 1000;
  void* const memory = stream->allocate(stream->context, bytes, stream->stream);
  if (memory == nullptr) return fail(failure, TESSERA_OUT_OF_MEMORY, 0, "no memory for temporaries");
  std::memset(memory, 0xff, bytes);
  const bool is_served = body();
  stream->free(stream->context, memory, bytes, stream->stream);
  return is_served ? TESSERA_DONE : fail(failure, TESSERA_UNSUPPORTED, 0, "no kernel for these types");
}

/// Calls body(row of T, row of results) for each row.
template <class T, class Result, class Call, class Body>
void for_each_row(const Call& call, const Body& body) {
  for (int64_t row = 0; row < call.rows; ++row)
    body(static_cast<const T*>(call.from) + row * call.length, static_cast<Result*>(call.to) + row * call.length);
}

}  // namespace

int tessera_sort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&] {
    if (sort->dtype != TESSERA_FLOAT32) return false;
    for_each_row<float, float>(*sort, [&](const float* from, float* to) {
      std::copy_n(from, sort->length, to);
      std::sort(to, to + sort->length);
      if (sort->descending != 0) std::reverse(to, to + sort->length);
    });
    return true;
  });
}

int tessera_argsort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&] {
    if (sort->dtype != TESSERA_INT16) return false;
    for_each_row<int16_t, int64_t>(*sort, [&](const int16_t* from, int64_t* to) {
      std::iota(to, to + sort->length, int64_t{0});
      std::sort(to, to + sort->length,
                [&](int64_t a, int64_t b) { return sort->descending != 0 ? from[b] < from[a] : from[a] < from[b]; });
    });
    return true;
  });
}

int tessera_scan(const TesseraScan* scan, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&] {
    if (scan->dtype != TESSERA_FLOAT64) return false;
    for_each_row<double, double>(*scan, [&](const double* from, double* to) {
      double total = scan->operation == TESSERA_SCAN_PRODUCT ? 1 : 0;
      for (int64_t i = 0; i < scan->length; ++i) {
        total = scan->operation == TESSERA_SCAN_PRODUCT ? total * from[i] : total + from[i];
        to[i] = total;
      }
    });
    return true;
  });
}

int tessera_reduce(const TesseraReduce* reduce, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&] {
    if (reduce->dtype != TESSERA_INT32) return false;
    const auto* from = static_cast<const int32_t*>(reduce->from);
    const auto* end = from + reduce->length;
    switch (reduce->operation) {
      case TESSERA_REDUCE_SUM: *static_cast<int64_t*>(reduce->to) = std::accumulate(from, end, int64_t{0}); return true;
      case TESSERA_REDUCE_PRODUCT:
        *static_cast<int64_t*>(reduce->to) = std::accumulate(from, end, int64_t{1}, std::multiplies<>());
        return true;
      case TESSERA_REDUCE_MIN: *static_cast<int32_t*>(reduce->to) = *std::min_element(from, end); return true;
      case TESSERA_REDUCE_MAX: *static_cast<int32_t*>(reduce->to) = *std::max_element(from, end); return true;
      default: return false;
    }
  });
}

int tessera_select(const TesseraSelect* select, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&] {
    if (select->dtype != TESSERA_UINT8) return false;
    auto* to = static_cast<uint8_t*>(select->to);
    for (int64_t i = 0; i < select->length; ++i) {
      if (select->mask[i] != 0) *to++ = static_cast<const uint8_t*>(select->from)[i];
    }
    *select->count = to - static_cast<uint8_t*>(select->to);
    return true;
  });
}
