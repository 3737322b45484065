// Expressions on arrays that are on a GPU by their type, of which nothing is compiled for the CPU.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"
#include "gpus.hpp"

using namespace tessera;
using cases::numbers;

namespace {

/// The program computes the same from two matrices of a GPU's type as from the same matrices on the CPU.
template <class Program>
void check_static(const std::string& name, const Program& program) {
  INFO(name);
  const auto a = numbers<float>(Dim{6, 8}, 1);
  const auto b = numbers<float>(Dim{6, 8}, 2);
  const auto wanted = program(Array<float, 2, CpuPlace>(a.clone()), Array<float, 2, CpuPlace>(b.clone()), CpuPlace{});
  const auto on_gpu = [](const auto& x) { return Array<float, 2, GpuPlace>(x.to(Place(GpuPlace{0}))); };
  const auto got = program(on_gpu(a), on_gpu(b), GpuPlace{0});
  CHECK(Place(got.place()) == Place(GpuPlace{0}));
  CHECK(difference(values_of(got), values_of(wanted), 4e-6) == "");
}

}  // namespace

TEST_CASE("arrays whose type says that they are on a GPU") {
  check_static("elementwise", [](auto a, auto b, auto) { return evaluate(2 * a + exp(b)); });
  check_static("a name in its own storage", [](auto a, auto b, auto) {
    a = a * b + 1;
    return a;
  });
  check_static("elements", [](auto a, auto b, auto) {
    a(ellipsis) = 3.0f;
    a += b;
    return a;
  });
  check_static("an operand that overlaps", [](auto a, auto, auto) {
    slice(a, {0, 0}, {5, 8}, {1, 1}) = slice(a, {1, 0}, {6, 8}, {1, 1}) + 1.0f;
    return a;
  });
  check_static("a reduction", [](auto a, auto b, auto) { return evaluate(sum<0>(a * b)); });
  check_static("statistics", [](auto a, auto b, auto) { return evaluate(mean<1>(a) + max<1>(b) - var<1>(a)); });
  check_static("normalised", [](auto a, auto b, auto) { return evaluate(softmax<1>(a + b) * 2 + standardise<1>(a)); });
  check_static("a product with an epilogue", [](auto a, auto b, auto) { return evaluate(relu(dot(a, b.T())) + 1.0f); });
  check_static("an expression in a product", [](auto a, auto b, auto) { return evaluate(dot((a + b).T(), b)); });
  check_static("joined and moved", [](auto a, auto b, auto) { return evaluate(roll<0>(concat<0>(a, b), 3) * 2); });
  check_static("another type", [](auto a, auto b, auto) { return evaluate(cast<double>(a) > cast<double>(b)); });
  check_static("in a scope", [](auto a, auto b, auto place) {
    Scheduler scheduler;
    decltype(a) c(Dim{6, 8}, place);
    {
      Async on{scheduler};
      c = a + b;
      c *= 2.0f;
    }
    scheduler.wait_all();
    return c;
  });
}
