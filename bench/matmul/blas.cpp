// The products of the table by a BLAS library. Usage: matmul_blas FILE THREADS, where FILE is OpenBLAS or MKL.
#include <dlfcn.h>

#include <complex>
#include <cstdio>
#include <cstdlib>

#include "cases.hpp"

namespace {

void* library = nullptr;

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;
template <class T>
using Factor = std::conditional_t<is_complex<T>, const void*, T>;
template <class T>
using Gemm = void (*)(int, int, int, int, int, int, Factor<T>, const T*, int, const T*, int, Factor<T>, T*, int);
template <class T>
using Gemv = void (*)(int, int, int, int, Factor<T>, const T*, int, const T*, int, Factor<T>, T*, int);

template <class T>
Factor<T> factor(const T& value) {
  if constexpr (is_complex<T>) {
    return &value;
  } else {
    return value;
  }
}

constexpr int row_major = 101, plain = 111, transposed = 112;

template <class T>
bench::Repeat prepare_type(const bench::Case& one, char letter) {
  const auto gemm = reinterpret_cast<Gemm<T>>(dlsym(library, (std::string("cblas_") + letter + "gemm").c_str()));
  const auto gemv = reinterpret_cast<Gemv<T>>(dlsym(library, (std::string("cblas_") + letter + "gemv").c_str()));
  const int m = static_cast<int>(one.m), k = static_cast<int>(one.k), n = static_cast<int>(one.n);
  const std::ptrdiff_t count = one.kind == "batch" ? bench::batch : 1;
  std::vector<T> a = bench::numbers<T>(count * m * k, 1), b = bench::numbers<T>(count * k * n, 2);
  std::vector<T> c(static_cast<std::size_t>(count * m * n));
  static const T unit(1), zero(0);
  const std::string& kind = one.kind;
  if (kind == "mv") {
    return bench::repeat([=, x = bench::numbers<T>(k, 2)]() mutable {
      gemv(row_major, plain, m, k, factor(unit), a.data(), k, x.data(), 1, factor(zero), c.data(), 1);
    });
  }
  if (kind == "vm") {
    return bench::repeat([=, x = bench::numbers<T>(k, 1)]() mutable {
      gemv(row_major, transposed, k, n, factor(unit), b.data(), n, x.data(), 1, factor(zero), c.data(), 1);
    });
  }
  const bool left = kind == "mtm", right = kind == "mmt";
  if (kind != "mm" && kind != "batch" && !left && !right) return {};
  return bench::repeat([=]() mutable {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      gemm(row_major, left ? transposed : plain, right ? transposed : plain, m, n, k, factor(unit),
           a.data() + i * m * k, left ? m : k, b.data() + i * k * n, right ? k : n, factor(zero), c.data() + i * m * n,
           n);
  });
}

bench::Repeat prepare(const bench::Case& one) {
  if (one.type == "f32") return prepare_type<float>(one, 's');
  if (one.type == "f64") return prepare_type<double>(one, 'd');
  if (one.type == "c64") return prepare_type<std::complex<float>>(one, 'c');
  if (one.type == "c128") return prepare_type<std::complex<double>>(one, 'z');
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto set = [&](const char* name) {
    if (const auto function = reinterpret_cast<void (*)(int)>(dlsym(library, name))) function(std::atoi(arguments[2]));
  };
  set("openblas_set_num_threads");
  set("MKL_Set_Num_Threads");
  return bench::serve_cases("blas", prepare);
}
