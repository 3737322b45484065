// A library with the C interface of the CUDA kernels that computes on the host with plain loops, for a few types, and is strict: each call
// takes temporary memory, gives it back with the size and stream it was taken with, and a stream of 0 is an error of "CUDA". Where there is a
// fake CUDA driver, operands and results are in its GPUs' memory: the library waits for the stream and copies them.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "scan.h"
#include "select.h"
#include "sort.h"

namespace {

int fail(TesseraFailure* failure, int status, int error, const char* text) {
  failure->cuda_error = error;
  std::snprintf(failure->message, sizeof failure->message, "%s", text);
  return status;
}

/// The driver's copying in the order of a stream, or the host's without a driver.
class Copies {
 public:
  explicit Copies(CUstream_st* stream) : stream_(stream) {
    const char* name = std::getenv("TESSERA_CUDA_DRIVER");
    void* const driver = name != nullptr ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (driver == nullptr) return;
    copy_ = reinterpret_cast<Copy*>(dlsym(driver, "cuMemcpyAsync"));
    wait_ = reinterpret_cast<Wait*>(dlsym(driver, "cuStreamSynchronize"));
  }
  void operator()(void* to, const void* from, size_t bytes) const {
    if (copy_ == nullptr) return void(std::memcpy(to, from, bytes));
    copy_(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), bytes, stream_);
    wait_(stream_);
  }

 private:
  using Copy = int(uint64_t, uint64_t, size_t, CUstream_st*);
  using Wait = int(CUstream_st*);
  CUstream_st* stream_;
  Copy* copy_ = nullptr;
  Wait* wait_ = nullptr;
};

/// Runs body(), which returns whether the types are served, with some temporary memory, in which it leaves traces.
template <class Body>
int run(const TesseraStream* stream, TesseraFailure* failure, const Body& body) {
  if (stream->stream == nullptr)
    return fail(failure, TESSERA_CUDA_ERROR, 400, "cudaErrorInvalidResourceHandle: no stream");
  const std::vector<unsigned char> traces(1000, 0xff);
  void* const memory = stream->allocate(stream->context, traces.size(), stream->stream);
  if (memory == nullptr) return fail(failure, TESSERA_OUT_OF_MEMORY, 0, "no memory for temporaries");
  const Copies copy(stream->stream);
  copy(memory, traces.data(), traces.size());
  const bool is_served = body(copy);
  stream->free(stream->context, memory, traces.size(), stream->stream);
  return is_served ? TESSERA_DONE : fail(failure, TESSERA_UNSUPPORTED, 0, "no kernel for these types");
}

size_t bytes_of(int dtype) {
  switch (dtype) {
    case TESSERA_BOOLEAN:
    case TESSERA_INT8:
    case TESSERA_UINT8: return 1;
    case TESSERA_INT16:
    case TESSERA_UINT16:
    case TESSERA_FLOAT16:
    case TESSERA_BFLOAT16: return 2;
    case TESSERA_INT32:
    case TESSERA_UINT32:
    case TESSERA_FLOAT32: return 4;
    case TESSERA_COMPLEX128: return 16;
    default: return 8;
  }
}

/// Device memory on the host, for the length of a call.
template <class T>
std::vector<T> fetch(const Copies& copy, const void* from, int64_t count) {
  std::vector<T> elements(static_cast<size_t>(count));
  copy(elements.data(), from, elements.size() * sizeof(T));
  return elements;
}
template <class T>
void send(const Copies& copy, void* to, const std::vector<T>& elements) {
  copy(to, elements.data(), elements.size() * sizeof(T));
}

/// Calls body(row of T, row of results) for each row.
template <class T, class Result, class Call, class Body>
void for_each_row(const Copies& copy, const Call& call, const Body& body) {
  const std::vector<T> from = fetch<T>(copy, call.from, call.rows * call.length);
  std::vector<Result> to(from.size());
  for (int64_t row = 0; row < call.rows; ++row) body(from.data() + row * call.length, to.data() + row * call.length);
  send(copy, call.to, to);
}

template <class T>
bool argsort_rows(const Copies& copy, const TesseraSort& sort) {
  for_each_row<T, int64_t>(copy, sort, [&](const T* from, int64_t* to) {
    std::iota(to, to + sort.length, int64_t{0});
    std::sort(to, to + sort.length, [&](int64_t a, int64_t b) {
      if (from[a] == from[b]) return a < b;
      return sort.descending != 0 ? from[b] < from[a] : from[a] < from[b];
    });
  });
  return true;
}

/// Accumulated in double.
template <class T>
bool scan_rows(const Copies& copy, const TesseraScan& scan) {
  for_each_row<T, T>(copy, scan, [&](const T* from, T* to) {
    double total = scan.operation == TESSERA_SCAN_PRODUCT ? 1 : 0;
    for (int64_t i = 0; i < scan.length; ++i) {
      total = scan.operation == TESSERA_SCAN_PRODUCT ? total * from[i] : total + from[i];
      to[i] = static_cast<T>(total);
    }
  });
  return true;
}

}  // namespace

int tessera_sort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&](const Copies& copy) {
    if (sort->dtype != TESSERA_FLOAT32) return false;
    for_each_row<float, float>(copy, *sort, [&](const float* from, float* to) {
      std::copy_n(from, sort->length, to);
      std::sort(to, to + sort->length);
      if (sort->descending != 0) std::reverse(to, to + sort->length);
    });
    return true;
  });
}

int tessera_argsort(const TesseraSort* sort, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&](const Copies& copy) {
    if (sort->dtype == TESSERA_INT16) return argsort_rows<int16_t>(copy, *sort);
    return sort->dtype == TESSERA_FLOAT32 && argsort_rows<float>(copy, *sort);
  });
}

int tessera_scan(const TesseraScan* scan, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&](const Copies& copy) {
    if (scan->dtype == TESSERA_FLOAT64) return scan_rows<double>(copy, *scan);
    return scan->dtype == TESSERA_FLOAT32 && scan_rows<float>(copy, *scan);
  });
}

int tessera_select(const TesseraSelect* select, const TesseraStream* stream, TesseraFailure* failure) {
  return run(stream, failure, [&](const Copies& copy) {
    const auto bytes = static_cast<int64_t>(bytes_of(select->dtype));
    const auto from = fetch<uint8_t>(copy, select->from, select->length * bytes);
    const auto mask = fetch<uint8_t>(copy, select->mask, select->length);
    std::vector<uint8_t> picked;
    int64_t count = 0;
    for (int64_t i = 0; i < select->length; ++i) {
      if (mask[static_cast<size_t>(i)] == 0) continue;
      picked.insert(picked.end(), from.begin() + i * bytes, from.begin() + (i + 1) * bytes);
      ++count;
    }
    send(copy, select->to, picked);
    copy(select->count, &count, sizeof count);
    return true;
  });
}
