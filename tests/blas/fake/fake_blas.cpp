// A small BLAS with plain loops, which says that its kernels are those of a processor with bfloat16 instructions and counts its calls.
#include <atomic>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace {

constexpr int transposed = 112;

std::atomic<int> calls{0};
std::atomic<int> matrix_calls{0};
std::atomic<int> vector_calls{0};

/// Chosen when the library is loaded, as OpenBLAS does: what FAKE_BLAS_KERNELS says it knows, unless OPENBLAS_CORETYPE says better.
char* chosen_kernels() {
  static char otherwise[] = "Cooperlake";
  for (const char* variable : {"OPENBLAS_CORETYPE", "FAKE_BLAS_KERNELS"}) {
    if (char* const wish = std::getenv(variable)) return wish;
  }
  return otherwise;
}
std::string name_of_kernels = chosen_kernels();

float widened(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
template <class T>
T widened(T value) {
  return value;
}

/// c = a b, row-major; the factors for a b and c are 1 and 0 in all calls.
template <class T, class Result>
void gemm(int a_flag, int b_flag, int rows, int columns, int inner, const T* a, int a_leading, const T* b,
          int b_leading, Result* c, int c_leading) {
  ++matrix_calls;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      Result sum(0);
      for (int k = 0; k < inner; ++k) {
        const auto x = widened(a_flag == transposed ? a[k * a_leading + i] : a[i * a_leading + k]);
        const auto y = widened(b_flag == transposed ? b[j * b_leading + k] : b[k * b_leading + j]);
        sum += x * y;
      }
      c[i * c_leading + j] = sum;
    }
  }
}

template <class T>
void gemv(int flag, int rows, int columns, const T* a, int leading, const T* x, int x_step, T* y, int y_step) {
  ++vector_calls;
  const int taken = flag == transposed ? rows : columns;
  const int given = flag == transposed ? columns : rows;
  if (x_step < 0) x -= (taken - 1) * x_step;
  if (y_step < 0) y -= (given - 1) * y_step;
  for (int i = 0; i < given; ++i) {
    T sum(0);
    for (int k = 0; k < taken; ++k)
      sum += (flag == transposed ? a[k * leading + i] : a[i * leading + k]) * x[k * x_step];
    y[i * y_step] = sum;
  }
}

}  // namespace

extern "C" {

int sbgemm_calls() { return calls; }
int all_gemm_calls() { return matrix_calls; }
int all_gemv_calls() { return vector_calls; }

char* openblas_get_corename() { return name_of_kernels.data(); }

void cblas_sgemm(int, int ta, int tb, int m, int n, int k, float, const float* a, int lda, const float* b, int ldb,
                 float, float* c, int ldc) {
  gemm(ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}
void cblas_dgemm(int, int ta, int tb, int m, int n, int k, double, const double* a, int lda, const double* b, int ldb,
                 double, double* c, int ldc) {
  gemm(ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}
void cblas_cgemm(int, int ta, int tb, int m, int n, int k, const void*, const std::complex<float>* a, int lda,
                 const std::complex<float>* b, int ldb, const void*, std::complex<float>* c, int ldc) {
  gemm(ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}
void cblas_zgemm(int, int ta, int tb, int m, int n, int k, const void*, const std::complex<double>* a, int lda,
                 const std::complex<double>* b, int ldb, const void*, std::complex<double>* c, int ldc) {
  gemm(ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}
void cblas_sbgemm(int, int ta, int tb, int m, int n, int k, float, const std::uint16_t* a, int lda,
                  const std::uint16_t* b, int ldb, float, float* c, int ldc) {
  ++calls;
  gemm(ta, tb, m, n, k, a, lda, b, ldb, c, ldc);
}

void cblas_sgemv(int, int t, int m, int n, float, const float* a, int lda, const float* x, int dx, float, float* y,
                 int dy) {
  gemv(t, m, n, a, lda, x, dx, y, dy);
}
void cblas_dgemv(int, int t, int m, int n, double, const double* a, int lda, const double* x, int dx, double, double* y,
                 int dy) {
  gemv(t, m, n, a, lda, x, dx, y, dy);
}
void cblas_cgemv(int, int t, int m, int n, const void*, const std::complex<float>* a, int lda,
                 const std::complex<float>* x, int dx, const void*, std::complex<float>* y, int dy) {
  gemv(t, m, n, a, lda, x, dx, y, dy);
}
void cblas_zgemv(int, int t, int m, int n, const void*, const std::complex<double>* a, int lda,
                 const std::complex<double>* x, int dx, const void*, std::complex<double>* y, int dy) {
  gemv(t, m, n, a, lda, x, dx, y, dy);
}

}  // extern "C"
