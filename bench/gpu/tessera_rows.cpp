// Reductions and normalisations of rows and columns in Tessera.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

template <class T>
std::int64_t bytes_of(const Request& request) {
  return request.count() * static_cast<std::int64_t>(sizeof(T));
}

/// Sums along an axis.
template <int Axis>
Work sums(const Request& request) {
  struct Set {
    OnGpu<float, 2> x;
    OnGpu<float, 1> y;
  };
  const Dim shape{request.rows, request.columns};
  return rotate(
      request, bytes_of<float>(request),
      [&] { return Set{numbers<float>(shape, 1), poisoned<float>(Dim{shape[1 - Axis]})}; },
      [](Set& s) { s.y = sum<Axis>(s.x); }, [](const Set& s) { return samples(s.y); });
}

/// A function of matrices that gives another one.
template <class T, class Function>
Work of_rows(const Request& request, const Function& function) {
  struct Set {
    OnGpu<T, 2> x, y;
  };
  const Dim shape{request.rows, request.columns};
  return rotate(
      request, 2 * bytes_of<T>(request), [&] { return Set{numbers<T>(shape, 1), poisoned<T>(shape)}; },
      [function](Set& s) { s.y = function(s.x); }, [](const Set& s) { return samples(s.y); });
}

template <class T>
Work softmax_of_rows(const Request& request) {
  return of_rows<T>(request, [](const OnGpu<T, 2>& x) { return softmax<1>(x); });
}

template <class T>
Work layernorm_of_rows(const Request& request) {
  return of_rows<T>(request, [](const OnGpu<T, 2>& x) { return layernorm<1>(x); });
}

}  // namespace

std::vector<Kernel> row_kernels() {
  return {{"row_sums", "f32", sums<1>},
          {"column_sums", "f32", sums<0>},
          {"softmax", "f32", softmax_of_rows<float>},
          {"softmax", "bf16", softmax_of_rows<bfloat16>},
          {"layernorm", "f32", layernorm_of_rows<float>}};
}

}  // namespace bench
