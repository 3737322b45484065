// Matrix products in Tessera, and the first use of expressions: what compiling costs, or reading from the disk.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

/// c = a b, square.
template <class T>
Work product_of(const Request& request) {
  struct Set {
    OnGpu<T, 2> a, b, c;
  };
  const Dim shape{request.rows, request.columns};
  return rotate(
      request, 3 * request.count() * static_cast<std::int64_t>(sizeof(T)),
      [&] { return Set{numbers<T>(shape, 1), numbers<T>(shape, 2), poisoned<T>(shape)}; },
      [](Set& s) { s.c = dot(s.a, s.b); }, [](const Set& s) { return samples(s.c); });
}

/// Nanoseconds until the assignment has returned and, after the clock has stopped, the GPU is done with it.
template <class Assign>
double first_use(const Assign& assign) {
  const auto begin = std::chrono::steady_clock::now();
  assign();
  const double elapsed = nanoseconds_since(begin);
  synchronize();
  return elapsed;
}

}  // namespace

std::vector<Kernel> product_kernels() {
  return {{"matmul", "f32", product_of<float>},
          {"matmul", "f16", product_of<float16>},
          {"matmul", "bf16", product_of<bfloat16>}};
}

void time_compiling() {
  const Dim shape{64, 96};
  const OnGpu<float, 2> a = numbers<float>(shape, 1), b = numbers<float>(shape, 2);
  const OnGpu<bfloat16, 2> narrow = numbers<bfloat16>(shape, 3);
  OnGpu<float, 2> y = poisoned<float>(shape);
  OnGpu<float, 1> rows = poisoned<float>(Dim{64}), columns = poisoned<float>(Dim{96});
  synchronize();
  std::vector<double> times;
  times.push_back(first_use([&] { y = a * b + 1.0f; }));
  times.push_back(first_use([&] { y = relu(a - 0.5f * b); }));
  times.push_back(first_use([&] { y = exp(-a) * sigmoid(b); }));
  times.push_back(first_use([&] { y = a + b * narrow; }));
  times.push_back(first_use([&] { rows = sum<1>(a * b); }));
  times.push_back(first_use([&] { columns = max<0>(a - b); }));
  times.push_back(first_use([&] { y = softmax<1>(a + b); }));
  times.push_back(first_use([&] { y = where(a > b, a, 0.25f * b); }));
  std::cout << R"({"first": )" << times.front() << R"(, "later": )"
            << listed(std::vector<double>(times.begin() + 1, times.end())) << "}" << std::endl;
}

}  // namespace bench
