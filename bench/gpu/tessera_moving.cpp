// Copies that change the layout, sorting and running sums in Tessera.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

template <class T>
struct Matrices {
  OnGpu<T, 2> x, y;
};

/// Copies a view of a matrix, of the given shape, into a matrix of its own.
template <class T, class View>
Work copied(const Request& request, const Dim<2>& result, View view) {
  return rotate(
      request, 2 * request.count() * static_cast<std::int64_t>(sizeof(T)),
      [&] { return Matrices<T>{numbers<T>(Dim{request.rows, request.columns}, 1), poisoned<T>(result)}; },
      [view](Matrices<T>& s) { s.y = copy(view(s.x)); }, [](const Matrices<T>& s) { return samples(s.y); });
}

/// All but the outermost rows and columns.
Work window_copy(const Request& request) {
  const auto inner_rows = range(1, request.rows - 1), inner_columns = range(1, request.columns - 1);
  return copied<float>(request, Dim{request.rows - 2, request.columns - 2},
                       [=](const OnGpu<float, 2>& x) { return x(inner_rows, inner_columns); });
}

/// Every second column.
Work step_copy(const Request& request) {
  const auto even = range(0, request.columns, 2);
  return copied<float>(request, Dim{request.rows, (request.columns + 1) / 2},
                       [=](const OnGpu<float, 2>& x) { return x(all, even); });
}

template <class T>
Work transposed_copy(const Request& request) {
  return copied<T>(request, Dim{request.columns, request.rows}, [](const OnGpu<T, 2>& x) { return x.T(); });
}

/// From a vector of floats into one of Results.
template <class Result, class Run>
Work of_vector(const Request& request, const Run& run) {
  struct Set {
    OnGpu<float, 1> x;
    OnGpu<Result, 1> y;
  };
  const Dim shape{request.count()};
  return rotate(
      request, request.count() * static_cast<std::int64_t>(sizeof(float) + sizeof(Result)),
      [&] { return Set{numbers<float>(shape, 1), poisoned<Result>(shape)}; }, [run](const Set& s) { run(s.y, s.x); },
      [](const Set& s) { return samples(s.y); });
}

Work sorting(const Request& request) {
  return of_vector<float>(request, [](const auto& y, const auto& x) { sort_into(y, x); });
}
Work arg_sorting(const Request& request) {
  return of_vector<std::int64_t>(request, [](const auto& y, const auto& x) { argsort_into(y, x); });
}
Work scanning(const Request& request) {
  return of_vector<float>(request, [](const auto& y, const auto& x) { cumulative_sum_into(y, x); });
}

}  // namespace

std::vector<Kernel> moving_kernels() {
  return {{"window_copy", "f32", window_copy},
          {"step_copy", "f32", step_copy},
          {"transposed_copy", "f32", transposed_copy<float>},
          {"transposed_copy", "bf16", transposed_copy<bfloat16>},
          {"sort", "f32", sorting},
          {"argsort", "f32", arg_sorting},
          {"scan", "f32", scanning}};
}

}  // namespace bench
