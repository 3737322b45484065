// What the kernel families share: errors as exceptions inside, as codes and text at the C interface; temporaries; dtypes.
#pragma once
#include "call.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace tessera::kernels {

/// Why a call ends early. It never leaves this library.
struct CallError {
  int status;
  cudaError_t cuda_error;
  const char* text;
};

/// Throws if CUDA reports an error.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call starts without it
  throw CallError{TESSERA_CUDA_ERROR, error, cudaGetErrorString(error)};
}

/// Runs a call's body and turns what it throws into a status and a message.
template <class Body>
int guarded(TesseraFailure* failure, const Body& body) noexcept {
  try {
    body();
    return TESSERA_DONE;
  } catch (const CallError& error) {
    const char* name = error.cuda_error == cudaSuccess ? "" : cudaGetErrorName(error.cuda_error);
    failure->cuda_error = error.cuda_error;
    std::snprintf(failure->message, sizeof failure->message, "%s%s%s", name, *name != '\0' ? ": " : "", error.text);
    return error.status;
  }
}

/// Memory for the length of a call.
class Temporary {
 public:
  Temporary(const TesseraStream& stream, std::size_t bytes)
      : stream_(stream), bytes_(bytes), memory_(stream.allocate(stream.context, bytes, stream.stream)) {
    if (memory_ == nullptr) throw CallError{TESSERA_OUT_OF_MEMORY, cudaSuccess, "no memory for temporaries"};
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { stream_.free(stream_.context, memory_, bytes_, stream_.stream); }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  const TesseraStream& stream_;
  std::size_t bytes_;
  void* memory_;
};

/// Calls a CUB algorithm twice, as CUB wants it: for the size of its temporaries, then with them. Where there is no GPU, CUDA says why,
/// and CUB would only say that the device is invalid.
template <class Algorithm>
void with_temporaries(const TesseraStream& stream, const Algorithm& algorithm) {
  int device = 0;
  check(cudaGetDevice(&device));
  std::size_t bytes = 0;
  check(algorithm(nullptr, bytes));
  const Temporary memory(stream, bytes == 0 ? 1 : bytes);
  check(algorithm(memory.as<void>(), bytes));
}

/// Names a type for a generic lambda.
template <class T>
struct Type {
  using type = T;
};

[[noreturn]] inline void refuse() { throw CallError{TESSERA_UNSUPPORTED, cudaSuccess, "no kernel for these types"}; }

struct Complex64 {
  float real, imaginary;
};
/// Aligned as std::complex<double> is.
struct Complex128 {
  double real, imaginary;
};

/// Calls body(Type<T>) for a dtype with an order.
template <class Body>
void with_ordered_type(int dtype, const Body& body) {
  switch (dtype) {
    case TESSERA_BOOLEAN: return body(Type<bool>{});
    case TESSERA_INT8: return body(Type<std::int8_t>{});
    case TESSERA_INT16: return body(Type<std::int16_t>{});
    case TESSERA_INT32: return body(Type<std::int32_t>{});
    case TESSERA_INT64: return body(Type<std::int64_t>{});
    case TESSERA_UINT8: return body(Type<std::uint8_t>{});
    case TESSERA_UINT16: return body(Type<std::uint16_t>{});
    case TESSERA_UINT32: return body(Type<std::uint32_t>{});
    case TESSERA_UINT64: return body(Type<std::uint64_t>{});
    case TESSERA_FLOAT16: return body(Type<__half>{});
    case TESSERA_BFLOAT16: return body(Type<__nv_bfloat16>{});
    case TESSERA_FLOAT32: return body(Type<float>{});
    case TESSERA_FLOAT64: return body(Type<double>{});
    default: refuse();
  }
}

/// The same for all dtypes.
template <class Body>
void with_type(int dtype, const Body& body) {
  if (dtype == TESSERA_COMPLEX64) return body(Type<Complex64>{});
  if (dtype == TESSERA_COMPLEX128) return body(Type<Complex128>{});
  with_ordered_type(dtype, body);
}

}  // namespace tessera::kernels
