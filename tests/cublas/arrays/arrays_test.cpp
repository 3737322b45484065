// Products of arrays on a GPU by cuBLAS: the library here computes on the host, as late and in as odd an order as the fake driver likes. All
// results are compared with those of the CPU, and what the library was given with what the layouts should come to.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

template <class Function>
Function* of_cublas(const char* name) {
  static void* const library = dlopen(std::getenv("TESSERA_CUBLAS"), RTLD_NOW);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

int products() { return of_cublas<int()>("fake_all_products")(); }

/// The last call, column-major, so that our right factor is its first.
struct Call {
  bool right_transposed, left_transposed;
  int columns, rows, inner, right_leading, left_leading, result_leading, batches;
};

Call last_call() {
  std::array<int, 9> n{};
  of_cublas<void(int*)>("fake_last_product")(n.data());
  return {n[0] != 0, n[1] != 0, n[2], n[3], n[4], n[5], n[6], n[7], n[8]};
}

const Place cpu = CpuPlace{};
const Place gpu = GpuPlace{0};

/// Both places give the same, and the GPU's by so many calls of cuBLAS.
template <class Program>
void check(const std::string& name, double tolerance, int calls, const Program& program) {
  INFO(name);
  const Values wanted = values_of(program(cpu));
  const int before = products();
  const auto result = program(gpu);
  CHECK(products() - before == calls);
  CHECK(difference(values_of(result), wanted, tolerance) == "");
}

/// Sums of up to a hundred products in another order, in float or in double; rounded to 16 bits once more.
template <class T>
constexpr double rounding = sizeof(T) == 2                                                   ? 1e-2
                            : std::same_as<T, float> || std::same_as<T, std::complex<float>> ? 1e-5
                                                                                             : 1e-13;

}  // namespace

TEST_CASE_TEMPLATE("every pair of transposed and plain factors, with leading dimensions, into every matrix", T, float,
                   double, std::complex<float>, std::complex<double>, float16, bfloat16) {
  constexpr std::ptrdiff_t rows = 13, columns = 9, inner = 21;
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      const auto a = [=](Place p) {  // a slice, so that rows lie further apart than they are long
        const auto whole = numbers<T>(left ? Dim{inner, rows + 3} : Dim{rows, inner + 3}, 1).to(p);
        return left ? whole(all, range(2, 2 + rows)).T() : whole(all, range(1, 1 + inner));
      };
      const auto b = [=](Place p) {
        const auto whole = numbers<T>(right ? Dim{columns, inner} : Dim{inner, columns + 5}, 2).to(p);
        return right ? whole.T() : whole(all, range(5, 5 + columns));
      };
      CAPTURE(left);
      CAPTURE(right);
      check("fresh", rounding<T>, 1, [&](Place p) { return evaluate(dot(a(p), b(p))); });
      const Call call = last_call();
      CHECK(call.left_transposed == left);
      CHECK(call.right_transposed == right);
      CHECK(call.rows == rows);
      CHECK(call.columns == columns);
      CHECK(call.inner == inner);
      CHECK(call.left_leading == (left ? rows + 3 : inner + 3));
      CHECK(call.right_leading == (right ? inner : columns + 5));
      check("part of a matrix", rounding<T>, 1, [&](Place p) {
        auto c = full(Dim{rows + 2, columns + 4}, T(7.0f), p);
        c(range(1, 1 + rows), range(3, 3 + columns)) = dot(a(p), b(p));
        return c;
      });
      check("transposed", rounding<T>, 1, [&](Place p) {
        auto c = full(Dim{columns, rows}, T(7.0f), p);
        c.T() = dot(a(p), b(p));
        return c;
      });
      check("around it", 2 * rounding<T>, 1,
            [&](Place p) { return evaluate(dot(a(p), b(p)) * 2 + numbers<T>(Dim{columns}, 3).to(p)); });
    }
  }
}

TEST_CASE_TEMPLATE("batches are one call where one step leads from each matrix to the next", T, float, double,
                   std::complex<float>, float16) {
  const auto a = [](Place p) { return numbers<T>(Dim{6, 5, 8}, 1).to(p); };
  const auto b = [](Place p) { return numbers<T>(Dim{6, 8, 4}, 2).to(p); };
  check("both", rounding<T>, 1, [&](Place p) { return evaluate(matmul(a(p), b(p))); });
  CHECK(last_call().batches == 6);
  check("transposed", rounding<T>, 1,
        [&](Place p) { return evaluate(matmul(matrix_transpose(b(p)), matrix_transpose(a(p)))); });
  CHECK(last_call().left_transposed);
  CHECK(last_call().right_transposed);
  check("one left factor", rounding<T>, 1,
        [&](Place p) { return evaluate(matmul(numbers<T>(Dim{3, 8}, 3).to(p), b(p))); });
  CHECK(last_call().batches == 6);
  check("every second", rounding<T>, 1,
        [&](Place p) { return evaluate(matmul(a(p)(range(0, 6, 2), ellipsis), b(p)(range(0, 6, 2), ellipsis))); });
  CHECK(last_call().batches == 3);
  check("two axes", rounding<T>, 2, [&](Place p) {
    return evaluate(matmul(numbers<T>(Dim{2, 1, 5, 8}, 1).to(p), numbers<T>(Dim{3, 8, 4}, 2).to(p)));
  });
  // cuBLAS does not say that it takes steps that are negative or shorter than a result; sums of 16-bit floats go through memory of their own.
  const int one_by_one = sizeof(T) == 2 ? 1 : 6;
  check("results backwards", rounding<T>, one_by_one, [&](Place p) {
    const auto c = full(Dim{6, 4}, T(7.0f), p);
    assign(c(range(none, none, -1), all), matmul(numbers<T>(Dim{8}, 3).to(p), b(p)));
    return c;
  });
  check("results between each other", rounding<T>, one_by_one, [&](Place p) {
    const auto c = full(Dim{5, 6, 4}, T(7.0f), p);
    assign(transpose(c, {1, 0, 2}), matmul(a(p), b(p)));
    return c;
  });
  check("into part of an array", rounding<T>, 1, [&](Place p) {
    auto c = full(Dim{6, 7, 9}, T(7.0f), p);
    c(all, range(1, 6), range(2, 6)) = matmul(a(p), b(p));
    return c;
  });
}

TEST_CASE("vectors, single elements and empty sums") {
  const auto a = [](Place p) { return numbers<float>(Dim{17, 20}, 1).to(p); };
  const auto v = [](Place p) { return numbers<float>(Dim{40}, 2).to(p); };
  check("column", rounding<float>, 1, [&](Place p) { return evaluate(dot(a(p), v(p)(range(0, 20)))); });
  check("strided column", rounding<float>, 1, [&](Place p) { return evaluate(dot(a(p), v(p)(range(0, 40, 2)))); });
  check("row", rounding<float>, 1, [&](Place p) { return evaluate(dot(v(p)(range(3, 20)), a(p))); });
  check("inner, which is a sum", rounding<float>, 0, [&](Place p) { return evaluate(dot(v(p), v(p))); });
  check("nothing", 0, 0, [](Place p) { return evaluate(dot(zeros<float>(Dim{3, 0}, p), zeros<float>(Dim{0, 4}, p))); });
}

TEST_CASE("factors with strides that no BLAS takes are packed first; integers are computed by a kernel of ours") {
  const auto a = [](Place p) { return numbers<float>(Dim{12, 20}, 1).to(p); };
  check("both strides", rounding<float>, 1,
        [&](Place p) { return evaluate(dot(a(p)(all, range(0, 20, 2)), a(p)(all, range(0, 20, 2)).T())); });
  check("backwards", rounding<float>, 1, [&](Place p) { return evaluate(dot(flip<0>(a(p)), a(p).T())); });
  check("integers", 0, 0, [](Place p) {
    return evaluate(dot(numbers<std::int32_t>(Dim{9, 17}, 1).to(p), numbers<std::int32_t>(Dim{17, 5}, 2).to(p)));
  });
}

namespace {

/// Steps of which each product needs the elementwise work before it and the other way round, over memory that is given back and used again.
Array<float, 2> alternate(Place place) {
  Array<float, 2> x = numbers<float>(Dim{12, 12}, 1).to(place).clone();
  Array<float, 2> w = numbers<float>(Dim{12, 12}, 2).to(place).clone();
  for (int step = 0; step < 12; ++step) {
    w = w * 0.125f + 0.01f;
    x = dot(w, x.T());
    x = x * 0.25f - mean<1>(x, keepdims);
    w += dot(x.T(), dot(x, w)) * 0.001f;
  }
  return evaluate(x + w);
}

}  // namespace

TEST_CASE("a product is ordered after the work that gives its factors, and before the work that overwrites them") {
  check("alternating", 1e-4, 36, [](Place p) { return alternate(p); });
}

TEST_CASE("a product on another stream waits for its factors, and its result is waited for") {
  const auto on_both = [](Place p) {
    Array<float, 2> a = numbers<float>(Dim{15, 15}, 1).to(p).clone();
    Array<float, 2> c = zeros<float>(Dim{15, 15}, p);
    for (int step = 0; step < 8; ++step) {
      std::thread([&] { assign(a, a * 0.5f + 0.25f); }).join();  // each thread has a stream of its own
      assign(c, dot(a, a.T()) + c * 0.5f);
      std::thread([&] { assign(a, dot(c, a) * 0.01f); }).join();
      assign(c, c + 1);
    }
    return evaluate(a + c);
  };
  check("threads", 1e-4, 16, on_both);
}

TEST_CASE("a product is work of its stream by itself: who waits for it does not take an event from before it") {
  check("alone", 1e-4, 8, [](Place p) {
    Array<float, 2> a = numbers<float>(Dim{15, 15}, 1).to(p).clone();
    Array<float, 2> c = zeros<float>(Dim{15, 15}, p), y = zeros<float>(Dim{15, 15}, p);
    for (int step = 0; step < 8; ++step) {
      assign(a, a * 0.5f + 0.25f);
      std::thread([&] { assign(y, y + a); }).join();  // waits for this stream as far as it is
      assign(c, dot(a, a.T()));
      std::thread([&] { assign(y, y + c); }).join();
    }
    return y;
  });
}

TEST_CASE("products are ops of a scheduler like any other work") {
  const auto train = [](Place p) {
    Scheduler scheduler({.workers = 3});
    Array<float, 2> x = numbers<float>(Dim{10, 14}, 1).to(p).clone();
    Array<float, 2> w = numbers<float>(Dim{14, 6}, 2).to(p).clone();
    Array<float, 2> h = zeros<float>(Dim{10, 6}, p), g = zeros<float>(Dim{14, 6}, p), k = zeros<float>(Dim{6, 6}, p);
    for (int step = 0; step < 10; ++step) {
      const Async on{scheduler};
      h = dot(x, w) * 0.125f;
      g = dot(x.T(), h);
      k = dot(h.T(), h);
      w = w - 0.01f * g + dot(w, k) * 0.001f;
      x = x * 0.9f + dot(h, w.T()) * 0.01f;
    }
    scheduler.wait_all();
    return evaluate(dot(x, w) + sum<0>(g) + sum(k));
  };
  check("training", 1e-3, 51, train);
}

TEST_CASE("explain says how many calls of cuBLAS products are") {
  const auto said = [](const std::string& text) {
    const std::string mark = "by cuBLAS, in ";
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + mark.size());
  };
  const auto same = [&](const auto& result, const auto& expression) {
    const std::string text = explain(result, expression);
    INFO(text);
    const int before = products();
    assign(result, expression);
    CHECK(products() - before == said(text));
    return said(text);
  };
  const auto a = ones<float>(Dim{4, 13, 21}, gpu);
  const auto b = ones<float>(Dim{4, 21, 9}, gpu);
  CHECK(same(ones<float>(Dim{13, 9}, gpu), dot(a(0, ellipsis), b(0, ellipsis))) == 1);
  CHECK(same(ones<float>(Dim{13, 9}, gpu), relu(dot(a(0, ellipsis), b(0, ellipsis)) + 1)) == 1);
  CHECK(same(ones<float>(Dim{4, 13, 9}, gpu), matmul(a, b)) == 1);
  CHECK(same(ones<float>(Dim{4, 13, 9}, gpu), matmul(a, b(range(none, none, -1), ellipsis))) == 4);
  CHECK(same(ones<float16>(Dim{13, 13}, gpu), dot(ones<float16>(Dim{13, 13}, gpu), ones<float16>(Dim{13, 13}, gpu))) ==
        1);
  CHECK(same(ones<int>(Dim{13, 13}, gpu), dot(ones<int>(Dim{13, 13}, gpu), ones<int>(Dim{13, 13}, gpu))) == 0);
}
