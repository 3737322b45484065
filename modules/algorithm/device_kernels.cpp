module;
#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Opening the library of CUDA kernels and calling its C interface (kernels/*.h), whose structs are declared here: the headers are the
// library's, and this builds without them. A test compares the two.
namespace tessera::device_kernels {

namespace {

struct CStream {
  void* stream;
  void* context;
  void* (*allocate)(void*, std::size_t, void*);
  void (*free)(void*, void*, std::size_t, void*);
};
struct CFailure {
  int cuda_error;
  char message[248];
};
enum Status { done = 0, cuda_error = 1, out_of_memory = 2, unsupported = 3 };

struct CSort {
  int dtype, descending;
  std::int64_t rows, length;
  const void* from;
  void* to;
};
struct CScan {
  int dtype, operation;
  std::int64_t rows, length;
  const void* from;
  void* to;
};
struct CReduce {
  int dtype, operation;
  std::int64_t length;
  const void* from;
  void* to;
};
struct CSelect {
  int dtype;
  std::int64_t length;
  const void* from;
  const bool* mask;
  void* to;
  std::int64_t* count;
};

template <class Call>
using Function = int (*)(const Call*, const CStream*, CFailure*);

struct Library {
  Function<CSort> sort = nullptr;
  Function<CSort> argsort = nullptr;
  Function<CScan> scan = nullptr;
  Function<CReduce> reduce = nullptr;
  Function<CSelect> select = nullptr;
  std::string file;
  std::string reason;  // why there is none
};

constexpr const char* file_name = "libtessera_cuda_kernels.so";

std::string folder_of_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return program.substr(0, program.rfind('/') + 1);
}

std::vector<std::string> places_to_look() {
  const char* chosen = std::getenv("TESSERA_CUDA_KERNELS");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  const std::string folder = folder_of_program();
  return {folder + file_name, folder + "../lib/" + file_name, file_name};
}

template <class Call>
bool find(void* handle, const char* name, Function<Call>& function) {
  function = reinterpret_cast<Function<Call>>(dlsym(handle, name));
  return function != nullptr;
}

Library open() {
  Library library;
  void* handle = nullptr;
  std::string tried;
  for (const std::string& file : places_to_look()) {
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    library.file = file;
    if (handle != nullptr) break;
    tried += (tried.empty() ? "" : ", ") + file;
  }
  if (handle == nullptr) {
    library.reason = "the library of CUDA kernels was not found; looked for " + tried;
    return library;
  }
  const bool is_complete =
      find(handle, "tessera_sort", library.sort) && find(handle, "tessera_argsort", library.argsort) &&
      find(handle, "tessera_scan", library.scan) && find(handle, "tessera_reduce", library.reduce) &&
      find(handle, "tessera_select", library.select);
  if (!is_complete) library.reason = library.file + " is no library of Tessera's CUDA kernels";
  return library;
}

const Library& opened() {
  static const Library library = open();
  return library;
}

const Library& library(const char* operation) {
  if (opened().reason.empty()) return opened();
  throw DeviceError(
      to_string(Failure{.operation = operation,
                        .problem = opened().reason,
                        .advice = "build it with nvcc (TESSERA_CUDA=ON), or name it in TESSERA_CUDA_KERNELS"}));
}

[[noreturn]] void throw_failure(int status, const CFailure& failure, const char* operation, DType dtype) {
  const std::string problem = failure.message;
  if (status == out_of_memory) throw OutOfMemory(to_string(Failure{.operation = operation, .problem = problem}));
  if (status == unsupported) {
    throw DTypeError(to_string(
        Failure{.operation = operation, .problem = "there is no CUDA kernel for " + std::string(name(dtype))}));
  }
  throw DeviceError(to_string(Failure{.operation = operation, .problem = problem}));
}

template <class Call>
void run(Function<Call> function, const char* operation, const Call& call, const Target& target) {
  const CStream stream{target.stream, target.context, target.allocate, target.free};
  CFailure failure{};
  const int status = function(&call, &stream, &failure);
  if (status != done) throw_failure(status, failure, operation, static_cast<DType>(call.dtype));
}

CSort in_c(const Sort& call) {
  return {static_cast<int>(call.dtype), call.descending ? 1 : 0, call.rows, call.length, call.from, call.to};
}

}  // namespace

void sort(const Sort& call, const Target& target) { run(library("sort").sort, "sort", in_c(call), target); }

void argsort(const Sort& call, const Target& target) { run(library("argsort").argsort, "argsort", in_c(call), target); }

void scan(const Scan& call, const Target& target) {
  const char* operation = call.is_product ? "cumulative_prod" : "cumulative_sum";
  const CScan c{static_cast<int>(call.dtype), call.is_product ? 1 : 0, call.rows, call.length, call.from, call.to};
  run(library(operation).scan, operation, c, target);
}

void reduce(const Reduce& call, const Target& target) {
  const CReduce c{static_cast<int>(call.dtype), static_cast<int>(call.reduction), call.length, call.from, call.to};
  run(library("reduce").reduce, "reduce", c, target);
}

void select(const Select& call, const Target& target) {
  const CSelect c{static_cast<int>(call.dtype), call.length, call.from, call.mask, call.to, call.count};
  run(library("compress").select, "compress", c, target);
}

bool has_kernels() { return opened().reason.empty(); }

const char* kernels_library() { return library("kernels_library").file.c_str(); }

}  // namespace tessera::device_kernels
