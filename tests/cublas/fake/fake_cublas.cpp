// A cuBLAS with plain loops. It refuses what cuBLAS refuses, and keeps what it was given for the tests. On streams of the fake driver
// (tests/cuda) a product is work of its stream, done when the driver comes to it; on any other it is done at once, on host memory.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace {

struct Context {
  void* stream = nullptr;  // of the fake driver, or any number
  int products = 0;
};

/// Of the contexts, of what they count and of the last product: handles of several streams are used at once.
std::mutex mutex;
std::vector<Context*> contexts;
std::atomic<int> refused = 0;  // a status that the next product returns

constexpr int success = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13, not_supported = 15;
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

Product last{};

template <class Wide>
void multiply(const Product& p) {
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
}

void multiply(const Product& p) {
  switch (p.a_type) {
    case real_64: return multiply<double>(p);
    case complex_32: return multiply<std::complex<float>>(p);
    case complex_64: return multiply<std::complex<double>>(p);
    default: return multiply<float>(p);
  }
}

template <class Wide>
bool are_one_and_zero(const void* alpha, const void* beta) {
  return *static_cast<const Wide*>(alpha) == Wide(1) && *static_cast<const Wide*>(beta) == Wide(0);
}

/// The factors, in host memory, are those of a plain product.
bool is_plain(int type, const void* alpha, const void* beta) {
  switch (type) {
    case real_64: return are_one_and_zero<double>(alpha, beta);
    case complex_32: return are_one_and_zero<std::complex<float>>(alpha, beta);
    case complex_64: return are_one_and_zero<std::complex<double>>(alpha, beta);
    default: return are_one_and_zero<float>(alpha, beta);
  }
}

long long bytes_of(int type) {
  switch (type) {
    case real_16:
    case real_b16: return 2;
    case real_32: return 4;
    case complex_64: return 16;
    default: return 8;
  }
}

struct Memory {
  std::uint64_t begin, end;
};

/// What a product touches of column-major matrices that lie `step` apart.
Memory memory_of(const void* data, int type, long long rows, long long columns, long long leading, long long step,
                 long long count) {
  const auto begin = reinterpret_cast<std::uint64_t>(data);
  const long long elements = leading * (columns - 1) + rows + step * (count - 1);
  return {begin, begin + static_cast<std::uint64_t>(elements * bytes_of(type))};
}

using Give = int(void* stream, const char* name, const std::uint64_t* begins, const std::uint64_t* ends, int count,
                 void (*run)(void*), void* data);

/// How the fake driver takes work; null without it.
Give* driver() {
  const char* const path = std::getenv("TESSERA_CUDA_DRIVER");
  static void* const library = path != nullptr ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  return library != nullptr ? reinterpret_cast<Give*>(dlsym(library, "fake_give")) : nullptr;
}

/// The product as work of the stream; what the driver says of that.
int enqueue(const Product& p, void* stream, Give* give) {
  const auto& [rows_a, columns_a] = p.a_transposed ? std::pair(p.k, p.m) : std::pair(p.m, p.k);
  const auto& [rows_b, columns_b] = p.b_transposed ? std::pair(p.n, p.k) : std::pair(p.k, p.n);
  const Memory uses[] = {memory_of(p.a, p.a_type, rows_a, columns_a, p.lda, p.a_step, p.count),
                         memory_of(p.b, p.b_type, rows_b, columns_b, p.ldb, p.b_step, p.count),
                         memory_of(p.c, p.c_type, p.m, p.n, p.ldc, p.c_step, p.count)};
  std::uint64_t begins[3], ends[3];
  for (int k = 0; k < 3; ++k) begins[k] = uses[k].begin, ends[k] = uses[k].end;
  const auto run = [](void* data) {
    const auto* const product = static_cast<Product*>(data);
    multiply(*product);
    delete product;
  };
  return give(stream, "product", begins, ends, 3, run, new Product(p));
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

int fake_handles() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(contexts.size());
}
/// Products that the handle of a stream has computed; -1 without one.
int fake_products(void* stream) {
  const std::lock_guard lock(mutex);
  for (const Context* context : contexts) {
    if (context->stream == stream) return context->products;
  }
  return -1;
}
void fake_refuse(int status) { refused = status; }
/// Products of all handles.
int fake_all_products() {
  const std::lock_guard lock(mutex);
  int sum = 0;
  for (const Context* context : contexts) sum += context->products;
  return sum;
}
/// The last product as the library was given it, column-major: its factors change places with ours. {a transposed, b transposed, m, n, k,
/// lda, ldb, ldc, count}
void fake_last_product(int* numbers) {
  const std::lock_guard lock(mutex);
  const int values[] = {last.a_transposed, last.b_transposed, last.m,   last.n,    last.k,
                        last.lda,          last.ldb,          last.ldc, last.count};
  std::ranges::copy(values, numbers);
}

int cublasCreate_v2(void** handle) {
  const std::lock_guard lock(mutex);
  contexts.push_back(new Context);
  *handle = contexts.back();
  return success;
}
int cublasSetStream_v2(void* handle, void* stream) {
  const std::lock_guard lock(mutex);
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
  if (const int status = refused; status != 0) return status;
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
  if (!is_plain(a_type, alpha, beta)) return not_supported;
  auto& context = *static_cast<Context*>(handle);
  {
    const std::lock_guard lock(mutex);
    ++context.products;
    last = p;
  }
  Give* const give = driver();
  if (give != nullptr) return enqueue(p, context.stream, give) == 0 ? success : execution_failed;
  multiply(p);
  return success;
}
}
