module;
#include <cstddef>
#include <cstdint>
#include <string>

#include "../../../kernels/scan.h"
#include "../../../kernels/select.h"
#include "../../../kernels/sort.h"
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Opening the library of CUDA kernels and calling its C interface, whose headers need no CUDA.
namespace tessera::device_kernels {

namespace {

static_assert(static_cast<int>(DType::boolean) == TESSERA_BOOLEAN && static_cast<int>(DType::uint8) == TESSERA_UINT8 &&
              static_cast<int>(DType::float16) == TESSERA_FLOAT16 &&
              static_cast<int>(DType::float64) == TESSERA_FLOAT64 &&
              static_cast<int>(DType::complex128) == TESSERA_COMPLEX128);
static_assert(sizeof(bool) == sizeof(std::uint8_t));

template <class Call>
using Function = int (*)(const Call*, const TesseraStream*, TesseraFailure*);

struct Kernels {
  Function<TesseraSort> sort = nullptr;
  Function<TesseraSort> argsort = nullptr;
  Function<TesseraScan> scan = nullptr;
  Function<TesseraSelect> select = nullptr;
  std::string file;
  std::string reason;  // why there is none
};

constexpr const char* file_name = "libtessera_cuda_kernels.so";

Kernels open() {
  device::runtime::Library library("the library of CUDA kernels", "TESSERA_CUDA_KERNELS",
                                   device::runtime::places_of_own_library(file_name));
  Kernels kernels;
  library.require(kernels.sort, "tessera_sort");
  library.require(kernels.argsort, "tessera_argsort");
  library.require(kernels.scan, "tessera_scan");
  library.require(kernels.select, "tessera_select");
  kernels.file = library.file();
  kernels.reason = library.reason();
  return kernels;
}

const Kernels& opened() {
  static const Kernels kernels = open();
  return kernels;
}

const Kernels& library(const char* operation) {
  if (opened().reason.empty()) return opened();
  throw DeviceError(
      to_string(Failure{.operation = operation,
                        .problem = opened().reason,
                        .advice = "build it with nvcc (TESSERA_CUDA=ON), or name it in TESSERA_CUDA_KERNELS"}));
}

[[noreturn]] void throw_failure(int status, const TesseraFailure& failure, const char* operation, DType dtype) {
  const std::string problem = failure.message;
  if (status == TESSERA_OUT_OF_MEMORY)
    throw OutOfMemory(to_string(Failure{.operation = operation, .problem = problem}));
  if (status == TESSERA_UNSUPPORTED) {
    throw DTypeError(to_string(
        Failure{.operation = operation, .problem = "there is no CUDA kernel for " + std::string(name(dtype))}));
  }
  throw DeviceError(to_string(Failure{.operation = operation, .problem = problem}));
}

// The library calls these, whose context is the caller's Target.
void* allocate(void* context, std::size_t bytes, CUstream_st* stream) {
  const Target& target = *static_cast<const Target*>(context);
  return target.allocate(target.context, bytes, stream);
}
void free(void* context, void* memory, std::size_t bytes, CUstream_st* stream) {
  const Target& target = *static_cast<const Target*>(context);
  target.free(target.context, memory, bytes, stream);
}

template <class Call>
void run(Function<Call> function, const char* operation, const Call& call, Target target) {
  const TesseraStream stream{
      .stream = static_cast<CUstream_st*>(target.stream), .context = &target, .allocate = allocate, .free = free};
  TesseraFailure failure{};
  const int status = function(&call, &stream, &failure);
  if (status != TESSERA_DONE) throw_failure(status, failure, operation, static_cast<DType>(call.dtype));
}

TesseraSort in_c(const Sort& call) {
  return {.dtype = static_cast<int>(call.dtype),
          .descending = call.descending ? 1 : 0,
          .rows = call.rows,
          .length = call.length,
          .from = call.from,
          .to = call.to};
}

}  // namespace

void sort(const Sort& call, const Target& target) { run(library("sort").sort, "sort", in_c(call), target); }

void argsort(const Sort& call, const Target& target) { run(library("argsort").argsort, "argsort", in_c(call), target); }

void scan(const Scan& call, const Target& target) {
  const char* operation = call.is_product ? "cumulative_prod" : "cumulative_sum";
  const TesseraScan c{.dtype = static_cast<int>(call.dtype),
                      .operation = call.is_product ? TESSERA_SCAN_PRODUCT : TESSERA_SCAN_SUM,
                      .rows = call.rows,
                      .length = call.length,
                      .from = call.from,
                      .to = call.to};
  run(library(operation).scan, operation, c, target);
}

void select(const Select& call, const Target& target) {
  const TesseraSelect c{.dtype = static_cast<int>(call.dtype),
                        .length = call.length,
                        .from = call.from,
                        .mask = reinterpret_cast<const std::uint8_t*>(call.mask),
                        .to = call.to,
                        .count = call.count};
  run(library("compress").select, "compress", c, target);
}

bool has_kernels() { return opened().reason.empty(); }

const char* kernels_library() { return library("kernels_library").file.c_str(); }

}  // namespace tessera::device_kernels
