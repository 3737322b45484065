// A cuBLAS with plain loops on host memory. It refuses what cuBLAS refuses, and keeps what it was given for the tests.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

namespace {

struct Context {
  void* stream = nullptr;
  int products = 0;
};

std::mutex mutex;
std::vector<Context*> contexts;
int refused = 0;  // a status that the next product returns

constexpr int success = 0, not_initialized = 1, invalid_value = 7, not_supported = 15;
constexpr int real_32 = 0, real_64 = 1, real_16 = 2, complex_32 = 4, complex_64 = 5, real_b16 = 14;
constexpr int compute_32 = 68, compute_64 = 70;

float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// For the small integers of the tests, which are exact.
std::uint16_t half_bits(float value) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (half_value(static_cast<std::uint16_t>(bits)) == value) return static_cast<std::uint16_t>(bits);
  }
  return 0x7e00;
}

/// Element `at` of memory of a type, and writing it.
template <class Wide>
Wide read(const void* memory, int type, std::int64_t at) {
  const auto bits16 = [&] { return static_cast<const std::uint16_t*>(memory)[at]; };
  if (type == real_16) return Wide(half_value(bits16()));
  if (type == real_b16) return Wide(std::bit_cast<float>(std::uint32_t{bits16()} << 16));
  return static_cast<const Wide*>(memory)[at];
}
template <class Wide>
void write(void* memory, int type, std::int64_t at, Wide value) {
  if constexpr (std::is_same_v<Wide, float>) {
    if (type == real_16) return void(static_cast<std::uint16_t*>(memory)[at] = half_bits(value));
    if (type == real_b16)
      return void(static_cast<std::uint16_t*>(memory)[at] =
                      static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
  }
  static_cast<Wide*>(memory)[at] = value;
}

struct Product {
  bool a_transposed, b_transposed;
  int m, n, k;
  const void* a;
  int a_type, lda;
  long long a_step;
  const void* b;
  int b_type, ldb;
  long long b_step;
  void* c;
  int c_type, ldc;
  long long c_step;
  int count;
};

template <class Wide>
int multiply(const Product& p, const void* alpha, const void* beta) {
  if (*static_cast<const Wide*>(alpha) != Wide(1) || *static_cast<const Wide*>(beta) != Wide(0)) return not_supported;
  for (long long batch = 0; batch < p.count; ++batch) {
    for (long long j = 0; j < p.n; ++j) {
      for (long long i = 0; i < p.m; ++i) {
        Wide sum(0);
        for (long long l = 0; l < p.k; ++l) {
          const long long a = p.a_transposed ? l + i * p.lda : i + l * p.lda;
          const long long b = p.b_transposed ? j + l * p.ldb : l + j * p.ldb;
          sum += read<Wide>(p.a, p.a_type, a + batch * p.a_step) * read<Wide>(p.b, p.b_type, b + batch * p.b_step);
        }
        write<Wide>(p.c, p.c_type, i + j * p.ldc + batch * p.c_step, sum);
      }
    }
  }
  return success;
}

/// The combinations of types that cuBLAS documents, of those that Tessera uses.
bool is_supported(int a, int b, int c, int compute) {
  if (a != b) return false;
  if (compute == compute_64) return (a == real_64 || a == complex_64) && c == a;
  if (compute != compute_32) return false;
  if (a == real_16 || a == real_b16) return c == a || c == real_32;
  return (a == real_32 || a == complex_32) && c == a;
}

}  // namespace

extern "C" {

int fake_handles() { return static_cast<int>(contexts.size()); }
/// Products that the handle of a stream has computed; -1 without one.
int fake_products(void* stream) {
  for (const Context* context : contexts) {
    if (context->stream == stream) return context->products;
  }
  return -1;
}
void fake_refuse(int status) { refused = status; }

int cublasCreate_v2(void** handle) {
  const std::lock_guard lock(mutex);
  contexts.push_back(new Context);
  *handle = contexts.back();
  return success;
}
int cublasSetStream_v2(void* handle, void* stream) {
  static_cast<Context*>(handle)->stream = stream;
  return success;
}
int cublasGetProperty(int part, int* value) {
  *value = 13 - part;
  return success;
}
const char* cublasGetStatusName(int status) {
  return status == invalid_value ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_NOT_SUPPORTED";
}

int cublasGemmStridedBatchedEx(void* handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha,
                               const void* a, int a_type, int lda, long long a_step, const void* b, int b_type, int ldb,
                               long long b_step, const void* beta, void* c, int c_type, int ldc, long long c_step,
                               int count, int compute, int algorithm) {
  if (handle == nullptr) return not_initialized;
  if (refused != 0) return refused;
  const Product p{a_operation == 1,
                  b_operation == 1,
                  m,
                  n,
                  k,
                  a,
                  a_type,
                  lda,
                  a_step,
                  b,
                  b_type,
                  ldb,
                  b_step,
                  c,
                  c_type,
                  ldc,
                  c_step,
                  count};
  if (a_operation > 1 || b_operation > 1 || m < 1 || n < 1 || k < 1 || count < 1) return invalid_value;
  if (lda < (p.a_transposed ? k : m) || ldb < (p.b_transposed ? n : k) || ldc < m) return invalid_value;
  if (count > 1 && c_step < static_cast<long long>(ldc) * (n - 1) + m) return invalid_value;
  if (algorithm != -1 || !is_supported(a_type, b_type, c_type, compute)) return not_supported;
  ++static_cast<Context*>(handle)->products;
  switch (a_type) {
    case real_64: return multiply<double>(p, alpha, beta);
    case complex_32: return multiply<std::complex<float>>(p, alpha, beta);
    case complex_64: return multiply<std::complex<double>>(p, alpha, beta);
    default: return multiply<float>(p, alpha, beta);
  }
}
}
