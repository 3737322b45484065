module;
#include <cstddef>
export module tessera.expr:blas;
import tessera.core;

// The BLAS library, opened at run time. TESSERA_BLAS names another library than OpenBLAS.
namespace tessera::blas {

/// A row-major matrix product C = A B of `rows` x `inner` by `inner` x `columns`. A transposed operand is given by its
/// flag; leading dimensions are in elements.
template <class T>
struct Gemm {
  std::ptrdiff_t rows, columns, inner;
  const T* a;
  std::ptrdiff_t a_leading;
  bool a_transposed;
  const T* b;
  std::ptrdiff_t b_leading;
  bool b_transposed;
  T* c;
  std::ptrdiff_t c_leading;
};

/// All extents are positive and fit in an int. Runs on the calling thread only. Throws DeviceError if no library was found.
void gemm(const Gemm<float>& call);
void gemm(const Gemm<double>& call);

/// What was opened, for reports: "OpenBLAS 0.3.21, SkylakeX kernels". Throws DeviceError if no library was found.
export const char* description();

}  // namespace tessera::blas
