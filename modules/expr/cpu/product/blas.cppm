module;
#include <cstddef>
export module tessera.expr:blas;
import tessera.standard;
import tessera.core;

// A BLAS library for comparison, opened at run time if TESSERA_BLAS names one.
namespace tessera::blas {

/// A row-major matrix product C = A B of `rows` x `inner` by `inner` x `columns`. A transposed operand is given by its
/// flag; leading dimensions are in elements.
export template <class T, class Result = T>
struct Gemm {
  std::ptrdiff_t rows, columns, inner;
  const T* a;
  std::ptrdiff_t a_leading;
  bool a_transposed;
  const T* b;
  std::ptrdiff_t b_leading;
  bool b_transposed;
  Result* c;
  std::ptrdiff_t c_leading;
};

/// All extents are positive and fit in an int. Runs on the calling thread only. Throws DeviceError if the chosen library cannot be
/// opened.
void gemm(const Gemm<float>& call);
void gemm(const Gemm<double>& call);
void gemm(const Gemm<std::complex<float>>& call);
void gemm(const Gemm<std::complex<double>>& call);

/// As the others, accumulated in float; only where has_bfloat16().
void gemm(const Gemm<bfloat16, float>& call);

/// TESSERA_BLAS names a library: products that are not small go to it. Read once.
export bool is_chosen() noexcept;

/// A library is chosen that multiplies matrices of bfloat16 with the instructions that this CPU has for it. Throws DeviceError if it cannot be
/// opened.
export bool has_bfloat16();

/// A row-major matrix `rows` x `columns`, or its transpose, times a vector. Steps, which may be negative but not 0, lead from one element of
/// a vector to the next; the pointers are those of the first elements.
template <class T>
struct Gemv {
  std::ptrdiff_t rows, columns;
  const T* a;
  std::ptrdiff_t a_leading;
  bool a_transposed;
  const T* x;
  std::ptrdiff_t x_step;
  T* y;
  std::ptrdiff_t y_step;
};

void gemv(const Gemv<float>& call);
void gemv(const Gemv<double>& call);
void gemv(const Gemv<std::complex<float>>& call);
void gemv(const Gemv<std::complex<double>>& call);

/// What was opened, for reports: "OpenBLAS 0.3.21, SkylakeX kernels". Throws DeviceError if none is chosen or it cannot be opened.
export const char* description();

}  // namespace tessera::blas
