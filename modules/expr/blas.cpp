module;
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Opening OpenBLAS and calling its C interface, declared here by its published signatures.
namespace tessera::blas {

namespace {

constexpr int row_major = 101;
constexpr int not_transposed = 111;
constexpr int transposed = 112;

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);

struct Library {
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  std::string description;
  std::string reason;  // why there is none
};

Library open() {
  Library library;
  const char* chosen = std::getenv("TESSERA_BLAS");
  const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "libopenblas.so.0";
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.reason = "the BLAS library " + name + " was not found";
    return library;
  }
  library.sgemm = reinterpret_cast<Sgemm>(dlsym(handle, "cblas_sgemm"));
  library.dgemm = reinterpret_cast<Dgemm>(dlsym(handle, "cblas_dgemm"));
  if (library.sgemm == nullptr || library.dgemm == nullptr)
    library.reason = "the library " + name + " has no C interface to the BLAS";
  if (const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"))) {
    set_threads(1);  // tiles run on the scheduler's threads
  }
  library.description = name;
  if (const auto config = reinterpret_cast<char* (*)()>(dlsym(handle, "openblas_get_config")))
    library.description = config();
  return library;
}

const Library& library() {
  static const Library opened = open();
  if (!opened.reason.empty()) {
    throw DeviceError(
        to_string(Failure{.operation = "dot",
                          .problem = opened.reason,
                          .advice = "install libopenblas0-pthread, or name another BLAS in TESSERA_BLAS"}));
  }
  return opened;
}

template <class T, class Function>
void call_gemm(Function function, const Gemm<T>& g) {
  function(row_major, g.a_transposed ? transposed : not_transposed, g.b_transposed ? transposed : not_transposed,
           static_cast<int>(g.rows), static_cast<int>(g.columns), static_cast<int>(g.inner), T(1), g.a,
           static_cast<int>(g.a_leading), g.b, static_cast<int>(g.b_leading), T(0), g.c, static_cast<int>(g.c_leading));
}

}  // namespace

void gemm(const Gemm<float>& call) { call_gemm(library().sgemm, call); }

void gemm(const Gemm<double>& call) { call_gemm(library().dgemm, call); }

const char* description() { return library().description.c_str(); }

}  // namespace tessera::blas
