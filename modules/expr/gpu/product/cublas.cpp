module;
#include <complex>
#include <cstddef>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Opening cuBLAS and calling it by its published C signatures. It is column-major: what it takes for C^T = B^T A^T is our C = A B.
namespace tessera::cublas {

namespace {

using Handle = void*;
using Status = int;
constexpr Status success = 0;
constexpr int not_transposed = 0;
constexpr int transposed = 1;
constexpr int default_algorithm = -1;

// cudaDataType
constexpr int real_32 = 0, real_64 = 1, real_16 = 2, complex_32 = 4, complex_64 = 5, real_b16 = 14;
// cublasComputeType_t; the first is IEEE float, not TF32
constexpr int compute_32 = 68, compute_64 = 70;

template <class T>
constexpr int data_type() {
  if constexpr (std::is_same_v<T, float>) return real_32;
  if constexpr (std::is_same_v<T, double>) return real_64;
  if constexpr (std::is_same_v<T, float16>) return real_16;
  if constexpr (std::is_same_v<T, bfloat16>) return real_b16;
  if constexpr (std::is_same_v<T, std::complex<float>>) return complex_32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return complex_64;
}

/// The type of the factors, which is that of the accumulator.
template <class Result>
using Factor = compute_t<Result>;

template <class Result>
constexpr bool is_double = std::is_same_v<Result, double> || std::is_same_v<Result, std::complex<double>>;

using GemmFunction = Status (*)(Handle, int a_operation, int b_operation, int rows, int columns, int inner,
                                const void* alpha, const void* a, int a_type, int a_leading, long long a_step,
                                const void* b, int b_type, int b_leading, long long b_step, const void* beta, void* c,
                                int c_type, int c_leading, long long c_step, int count, int compute_type,
                                int algorithm);

struct CuBlas {
  Status (*create)(Handle*) = nullptr;
  Status (*set_stream)(Handle, void*) = nullptr;
  const char* (*status_name)(Status) = nullptr;
  GemmFunction gemm = nullptr;
  std::string description;
  std::string reason;  // why there is none
};

/// ", cuBLAS 13.0.2"
std::string version_text(const device::runtime::Library& library) {
  Status (*property)(int, int*) = nullptr;
  library.find(property, "cublasGetProperty");
  if (property == nullptr) return "";
  std::string text = ", cuBLAS ";
  for (const int part : {0, 1, 2}) {
    int number = 0;
    if (property(part, &number) != success) return "";
    text += (part > 0 ? "." : "") + std::to_string(number);
  }
  return text;
}

CuBlas open() {
  device::runtime::Library library("cuBLAS", "TESSERA_CUBLAS",
                                   {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                    "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so"});
  CuBlas cublas;
  library.require(cublas.create, "cublasCreate_v2");
  library.require(cublas.set_stream, "cublasSetStream_v2");
  library.require(cublas.gemm, "cublasGemmStridedBatchedEx");
  library.find(cublas.status_name, "cublasGetStatusName");
  cublas.description = library.file() + version_text(library);
  cublas.reason = library.reason();
  return cublas;
}

const CuBlas& opened() {
  static const CuBlas& cublas = *new CuBlas(open());
  return cublas;
}

const CuBlas& library() {
  if (opened().reason.empty()) return opened();
  throw DeviceError(to_string(Failure{.operation = "dot",
                                      .problem = opened().reason,
                                      .advice = "install CUDA's cuBLAS, or name it in TESSERA_CUBLAS"}));
}

void check(const CuBlas& library, Status status, const char* function) {
  if (status == success) return;
  const char* name = library.status_name != nullptr ? library.status_name(status) : "an error";
  throw DeviceError(
      to_string(Failure{.operation = "dot",
                        .problem = std::string(function) + " reports " + name + " (" + std::to_string(status) + ")"}));
}

Handle make_handle(const CuBlas& library, void* stream) {
  Handle handle = nullptr;
  check(library, library.create(&handle), "cublasCreate");
  check(library, library.set_stream(handle, stream), "cublasSetStream");
  return handle;
}

/// The handle of a stream: of its own, because products on two streams that shared one would share its workspace, and results could differ
/// from run to run. Streams live for ever, and so do these.
Handle handle_of(const CuBlas& library, void* stream) {
  struct Last {
    void* stream;
    Handle handle = nullptr;
  };
  static thread_local Last last;
  if (last.handle != nullptr && last.stream == stream) return last.handle;
  static std::mutex mutex;
  static auto& handles = *new std::unordered_map<void*, Handle>;
  const std::lock_guard lock(mutex);
  Handle& handle = handles[stream];
  if (handle == nullptr) handle = make_handle(library, stream);
  last = {stream, handle};
  return handle;
}

template <class T, class Result>
void call_gemm(const blas::Gemm<T, Result>& g, void* stream, const Batch& batch) {
  const CuBlas& cublas = library();
  const Factor<Result> one(1);
  const Factor<Result> zero(0);
  const Status status =
      cublas.gemm(handle_of(cublas, stream), g.b_transposed ? transposed : not_transposed,
                  g.a_transposed ? transposed : not_transposed, static_cast<int>(g.columns), static_cast<int>(g.rows),
                  static_cast<int>(g.inner), &one, g.b, data_type<T>(), static_cast<int>(g.b_leading), batch.b_step,
                  g.a, data_type<T>(), static_cast<int>(g.a_leading), batch.a_step, &zero, g.c, data_type<Result>(),
                  static_cast<int>(g.c_leading), batch.c_step, static_cast<int>(batch.count),
                  is_double<Result> ? compute_64 : compute_32, default_algorithm);
  check(cublas, status, "cublasGemmStridedBatchedEx");
}

}  // namespace

void gemm(const blas::Gemm<float>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }
void gemm(const blas::Gemm<double>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }
void gemm(const blas::Gemm<std::complex<float>>& call, void* stream, const Batch& batch) {
  call_gemm(call, stream, batch);
}
void gemm(const blas::Gemm<std::complex<double>>& call, void* stream, const Batch& batch) {
  call_gemm(call, stream, batch);
}
void gemm(const blas::Gemm<float16>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }
void gemm(const blas::Gemm<bfloat16>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }
void gemm(const blas::Gemm<float16, float>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }
void gemm(const blas::Gemm<bfloat16, float>& call, void* stream, const Batch& batch) { call_gemm(call, stream, batch); }

bool is_there() { return opened().reason.empty(); }

const char* description() { return library().description.c_str(); }

}  // namespace tessera::cublas
