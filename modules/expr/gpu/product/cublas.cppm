module;
#include <cstddef>
export module tessera.expr:cublas;
import tessera.standard;
import tessera.core;
import :blas;

// cuBLAS, opened at run time: libcublas.so.13 or .12, or what TESSERA_CUBLAS names.
namespace tessera::cublas {

/// Products of one shape: operands and results lie these numbers of elements apart, 0 for an operand that is the same in all.
export struct Batch {
  std::ptrdiff_t count = 1;
  std::ptrdiff_t a_step = 0, b_step = 0, c_step = 0;
};

/// As the functions of the same name for the host, on device memory: enqueues row-major products on `stream`, a CUstream whose device's context
/// is current, and does not wait. All extents are positive and fit in an int. Accumulates in float (without rounding to TF32), in double
/// for double. Throws DeviceError if no library was found or cuBLAS refuses.
export void gemm(const blas::Gemm<float>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<double>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<std::complex<float>>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<std::complex<double>>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<float16>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<bfloat16>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<float16, float>& call, void* stream, const Batch& batch = {});
export void gemm(const blas::Gemm<bfloat16, float>& call, void* stream, const Batch& batch = {});

/// Whether a library was found.
export bool is_there();

/// What was opened: its file and version, such as "libcublas.so.13, cuBLAS 13.0.2". Throws DeviceError if no library was found.
export const char* description();

}  // namespace tessera::cublas
