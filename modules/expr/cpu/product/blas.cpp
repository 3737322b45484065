module;
#include <strings.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Opening the BLAS and calling its C interface, declared here by its published signatures.
namespace tessera::blas {

namespace {

constexpr int row_major = 101;
constexpr int not_transposed = 111;
constexpr int transposed = 112;

/// Factors are given by value for real numbers, by address for complex ones.
template <class T>
using Factor = std::conditional_t<Complex<T>, const void*, T>;

/// The C interface knows a bfloat16 as its bits.
template <class T>
using Item = std::conditional_t<std::is_same_v<T, bfloat16>, std::uint16_t, T>;

template <class T>
const Item<T>* items(const T* elements) {
  return reinterpret_cast<const Item<T>*>(elements);
}

template <class T, class Result = T>
using GemmFunction = void (*)(int, int, int, int, int, int, Factor<Result>, const Item<T>*, int, const Item<T>*, int,
                              Factor<Result>, Result*, int);
template <class T>
using GemvFunction = void (*)(int, int, int, int, Factor<T>, const T*, int, const T*, int, Factor<T>, T*, int);

template <class T>
struct Functions {
  GemmFunction<T> gemm = nullptr;
  GemvFunction<T> gemv = nullptr;

  void find(device::runtime::Library& library, char letter) {
    const std::string prefix = std::string("cblas_") + letter;
    library.require(gemm, (prefix + "gemm").c_str());
    library.require(gemv, (prefix + "gemv").c_str());
  }
};

struct Blas {
  Functions<float> s;
  Functions<double> d;
  Functions<std::complex<float>> c;
  Functions<std::complex<double>> z;
  GemmFunction<bfloat16, float> sbgemm = nullptr;
  std::string description;
  std::string reason;  // why there is none
};

/// The processor for which OpenBLAS has chosen its kernels; empty for another library.
std::string kernels_of(const device::runtime::Library& library) {
  char* (*corename)() = nullptr;
  library.find(corename, "openblas_get_corename");
  return corename != nullptr ? corename() : "";
}

bool is_one_of(const std::string& kernels, std::initializer_list<const char*> processors) {
  return std::ranges::any_of(processors, [&](const char* name) { return strcasecmp(kernels.c_str(), name) == 0; });
}

/// An OpenBLAS that does not know a processor, as one that is newer than it, takes its kernels for a Pentium 4, of which four do the work of one.
bool lacks_vectors(const std::string& kernels) {
  if (kernels.empty() || device::isa() == device::Isa::baseline) return false;
  return !is_one_of(kernels, {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"});
}

/// Makes it choose kernels with the vectors of this CPU, or says that it does not.
void choose_kernels(device::runtime::Library& library) {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  if (!lacks_vectors(kernels_of(library))) return;
  const char* const better = device::isa() == device::Isa::avx512 ? "SkylakeX" : "Haswell";
  if (std::getenv(variable) == nullptr) library.reopen_with(variable, better);
  const std::string kernels = kernels_of(library);
  if (!lacks_vectors(kernels)) return;
  std::fprintf(stderr,
               "tessera: %s multiplies with its kernels for %s, although this CPU has %s; %s=%s before the program "
               "starts chooses better ones\n",
               library.file().c_str(), kernels.c_str(), std::string(device::name(device::isa())).c_str(), variable,
               better);
}

/// What only OpenBLAS has.
void find_more(const device::runtime::Library& library, Blas& blas) {
  if (is_one_of(kernels_of(library), {"Cooperlake", "SapphireRapids"}))  // elsewhere sbgemm is a slow loop
    library.find(blas.sbgemm, "cblas_sbgemm");
  void (*set_threads)(int) = nullptr;
  library.find(set_threads, "openblas_set_num_threads");
  if (set_threads != nullptr) set_threads(1);  // tiles run on the scheduler's threads
  char* (*config)() = nullptr;
  library.find(config, "openblas_get_config");
  if (config != nullptr) blas.description = config();
  if (const std::string kernels = kernels_of(library); !kernels.empty()) blas.description += ", kernels for " + kernels;
}

Blas open() {
  device::runtime::Library library("the BLAS library", "TESSERA_BLAS", {});
  choose_kernels(library);
  Blas blas;
  blas.s.find(library, 's');
  blas.d.find(library, 'd');
  blas.c.find(library, 'c');
  blas.z.find(library, 'z');
  blas.description = library.file();
  blas.reason = library.reason();
  find_more(library, blas);
  return blas;
}

const Blas& library() {
  static const Blas& opened = *new Blas(open());  // static objects may compute when they are destroyed
  if (!opened.reason.empty()) {
    throw DeviceError(to_string(
        Failure{.operation = "dot",
                .problem = opened.reason,
                .advice = "name one that can be opened in TESSERA_BLAS, or leave it unset: products need none"}));
  }
  return opened;
}

/// A factor in the form that the C interface takes.
template <class T>
Factor<T> factor(const T& value) {
  if constexpr (Complex<T>) {
    return &value;
  } else {
    return value;
  }
}

template <class T, class Result>
void call_gemm(GemmFunction<T, Result> function, const Gemm<T, Result>& g) {
  const Result one(1);
  const Result zero(0);
  function(row_major, g.a_transposed ? transposed : not_transposed, g.b_transposed ? transposed : not_transposed,
           static_cast<int>(g.rows), static_cast<int>(g.columns), static_cast<int>(g.inner), factor(one), items(g.a),
           static_cast<int>(g.a_leading), items(g.b), static_cast<int>(g.b_leading), factor(zero), g.c,
           static_cast<int>(g.c_leading));
}

/// The BLAS counts negative steps from the lowest address.
template <class T>
T* lowest(T* first, std::ptrdiff_t count, std::ptrdiff_t step) {
  return step < 0 ? first + (count - 1) * step : first;
}

/// y += the last row of a transposed matrix, times its element of x.
template <class T>
void add_last_row(const Gemv<T>& g) {
  const T* row = g.a + (g.rows - 1) * g.a_leading;
  const T x = g.x[(g.rows - 1) * g.x_step];
  for (std::ptrdiff_t j = 0; j < g.columns; ++j) g.y[j * g.y_step] += row[j] * x;
}

template <class T>
void call_gemv(GemvFunction<T> function, const Gemv<T>& g) {
  const T one(1);
  const T zero(0);
  const std::ptrdiff_t taken = g.a_transposed ? g.rows : g.columns;
  const std::ptrdiff_t given = g.a_transposed ? g.columns : g.rows;
  function(row_major, g.a_transposed ? transposed : not_transposed, static_cast<int>(g.rows),
           static_cast<int>(g.columns), factor(one), g.a, static_cast<int>(g.a_leading), lowest(g.x, taken, g.x_step),
           static_cast<int>(g.x_step), factor(zero), lowest(g.y, given, g.y_step), static_cast<int>(g.y_step));
}

/// As call_gemv(). The kernels of OpenBLAS 0.3.21 read one element behind x when a complex matrix is transposed (its issue 4013),
/// which ends the program where x is the last thing in mapped memory: they are not given the last element.
template <class T>
void call_complex_gemv(GemvFunction<std::complex<T>> function, const Gemv<std::complex<T>>& g) {
  if (!g.a_transposed) return call_gemv(function, g);
  auto shorter = g;
  --shorter.rows;
  if (shorter.rows == 0) {
    for (std::ptrdiff_t j = 0; j < g.columns; ++j) g.y[j * g.y_step] = 0;
  } else {
    call_gemv(function, shorter);
  }
  add_last_row(g);
}

}  // namespace

void gemm(const Gemm<float>& call) { call_gemm(library().s.gemm, call); }
void gemm(const Gemm<double>& call) { call_gemm(library().d.gemm, call); }
void gemm(const Gemm<std::complex<float>>& call) { call_gemm(library().c.gemm, call); }
void gemm(const Gemm<std::complex<double>>& call) { call_gemm(library().z.gemm, call); }
void gemm(const Gemm<bfloat16, float>& call) { call_gemm(library().sbgemm, call); }

void gemv(const Gemv<float>& call) { call_gemv(library().s.gemv, call); }
void gemv(const Gemv<double>& call) { call_gemv(library().d.gemv, call); }
void gemv(const Gemv<std::complex<float>>& call) { call_complex_gemv(library().c.gemv, call); }
void gemv(const Gemv<std::complex<double>>& call) { call_complex_gemv(library().z.gemv, call); }

bool is_chosen() noexcept {
  static const bool chosen = [] {
    const char* const name = std::getenv("TESSERA_BLAS");
    return name != nullptr && *name != 0 && std::string_view(name) != "none";
  }();
  return chosen;
}

bool has_bfloat16() { return is_chosen() && library().sbgemm != nullptr; }

const char* description() { return library().description.c_str(); }

}  // namespace tessera::blas
