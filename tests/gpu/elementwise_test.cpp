// Elementwise expressions on a GPU compute what the CPU computes.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

TEST_CASE("expressions on a GPU compute what the CPU computes") {
  std::map<std::string, Values> wanted;
  cases::for_each([&](const char* name, double, const auto& destination, const auto& expression, auto) {
    assign(destination, expression);
    wanted[name] = values_of(destination);
  });
  int compared = 0;
  cases::for_each(
      [&](const char* name, double tolerance, const auto& destination, const auto& expression, auto) {
        INFO("case " << name);
        assign(destination, expression);
        CHECK(difference(values_of(destination), wanted.at(name), tolerance) == "");
        ++compared;
      },
      GpuPlace{0});
  CHECK(compared == static_cast<int>(wanted.size()));
}

TEST_CASE("random numbers on a GPU are those of the CPU") {
  const random::Key key{20};
  const auto check = [&](double tolerance, const auto& program) {
    CHECK(difference(values_of(program(Place(GpuPlace{0}))), values_of(program(Place(CpuPlace{}))), tolerance) == "");
  };
  const auto into = [](const auto& fresh, const auto& expression) {
    assign(fresh, expression);
    return fresh;
  };
  check(0, [&](Place p) { return into(zeros<float>(Dim{13, 9}, p), random::uniform<float>(key, Dim{13, 9})); });
  check(0, [&](Place p) { return into(zeros<double>(Dim{13, 9}, p), random::uniform<double>(key, Dim{13, 9})); });
  check(0, [&](Place p) { return into(zeros<float16>(Dim{50}, p), random::uniform<float16>(key, Dim{50})); });
  check(0, [&](Place p) { return into(zeros<bfloat16>(Dim{50}, p), random::uniform<bfloat16>(key, Dim{50})); });
  check(1e-6, [&](Place p) { return into(zeros<float>(Dim{13, 9}, p), random::normal<float>(key, Dim{13, 9})); });
  check(1e-14, [&](Place p) { return into(zeros<double>(Dim{13, 9}, p), random::normal<double>(key, Dim{13, 9})); });
  const Dim line{50};
  check(1e-5, [&](Place p) { return into(zeros<float>(line, p), random::exponential<float>(key, line)); });
  check(1e-13, [&](Place p) { return into(zeros<double>(line, p), random::laplace<double>(key, line)); });
  check(1e-5, [&](Place p) { return into(zeros<float>(line, p), random::gumbel<float>(key, line)); });
  check(1e-5, [&](Place p) { return into(zeros<float>(line, p), random::logistic<float>(key, line)); });
  check(0, [&](Place p) { return into(zeros<bool>(line, p), random::bernoulli(key, line, 0.3f)); });
  check(0, [&](Place p) { return into(zeros<int>(line, p), random::integers<int>(key, line, -5, 1000)); });
  check(0, [&](Place p) {
    return into(zeros<std::int64_t>(line, p), random::integers<std::int64_t>(key, line, -5, std::int64_t{1} << 60));
  });
  check(0, [&](Place p) { return into(zeros<std::uint32_t>(line, p), random::bits<std::uint32_t>(key, line)); });
  check(0, [&](Place p) { return into(zeros<std::uint64_t>(line, p), random::bits<std::uint64_t>(key, line)); });
  // Numbers by rejection: small parameters and large ones, for all and for each.
  const Dim many{3000};
  check(1e-5, [&](Place p) { return into(zeros<float>(many, p), random::gamma<float>(key, many, 2.5)); });
  check(1e-12, [&](Place p) {
    return into(zeros<double>(many, p), random::gamma<double>(key, many, 0.01 + random::uniform<double>(key, many)));
  });
  check(1e-12, [&](Place p) { return into(zeros<double>(many, p), random::beta<double>(key, many, 0.5, 7)); });
  for (const double low : {-3.0, 0.5, 6.0}) {
    check(1e-12, [&](Place p) {
      return into(zeros<double>(many, p), random::truncated_normal<double>(key, many, low, low + 4));
    });
    check(1e-12, [&](Place p) {
      return into(zeros<double>(many, p), random::truncated_normal<double>(key, many, low, low + 0.125));
    });
  }
  for (const double rate : {0.5, 40.0, 1e6})
    check(0, [&](Place p) { return into(zeros<std::int64_t>(many, p), random::poisson(key, many, rate)); });
  for (const double chance : {0.001, 0.3, 0.98})
    check(0, [&](Place p) { return into(zeros<std::int64_t>(many, p), random::binomial(key, many, 200, chance)); });
  check(1e-12, [&](Place p) {
    const Array<double, 1> mean = make_array({1.0, 2.0}).to(p);
    return evaluate(random::multivariate_normal(key, 9, mean, make_array({{2.0, 0.5}, {0.5, 1.0}})));
  });
  check(0, [&](Place p) {
    return into(zeros<float>(Dim{7, 13, 9}, p),
                random::uniform<float>(key, Dim{13, 1}) * 2 - random::uniform<float>(key.fold(1), Dim{7, 1, 9}));
  });
  check(1e-6, [&](Place p) {
    return into(zeros<float>(Dim{13}, p), sum<1>(random::uniform<float>(key, Dim{13, 90}) + zeros<float>(Dim{90}, p)));
  });
}

namespace {

/// A sum of 2^Depth different views of one array.
template <int Depth, class A>
auto sum_of_views(const A& array, int first = 0) {
  if constexpr (Depth == 0) {
    return array(range(first % 3, first % 3 + 4), all, range(first % 5, first % 5 + 6)) * (first + 1);
  } else {
    return sum_of_views<Depth - 1>(array, first) + sum_of_views<Depth - 1>(array, first + (1 << (Depth - 1)));
  }
}

}  // namespace

TEST_CASE("an expression with more operands than one kernel takes is computed in parts") {
  const auto array = numbers<float>(Dim{7, 5, 11}, 1);
  const auto on_gpu = array.to(Place(GpuPlace{0}));
  const auto wanted = values_of(evaluate(sum_of_views<7>(array)));
  CHECK(difference(values_of(evaluate(sum_of_views<7>(on_gpu))), wanted, 0) == "");
  const auto target = on_gpu(range(0, 4), all, range(0, 6));
  assign(target, sum_of_views<7>(on_gpu));  // parts of the operands are overwritten: it goes through a temporary
  CHECK(difference(values_of(target), wanted, 0) == "");
}

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a kernel loads an operand that stands several times in an expression once") {
  const Place gpu = GpuPlace{0};
  const auto a = numbers<float>(Dim{60, 60}, 1).to(gpu), b = numbers<float>(Dim{60, 60}, 2).to(gpu);
  const Array<float, 2> y = zeros<float>(Dim{60, 60}, gpu);
  const DeviceLaunch together(y, a * b + sqrt(abs(a)) - b);
  CHECK(together.variant().find("x2 is x0, x3 is x1") != std::string::npos);
  CHECK(count_of(together.kernel(), "*reinterpret_cast<const tessera_pack") == 2);
  const DeviceLaunch apart(y(all, range(0, 59)), a(all, range(0, 59)) * a(all, range(1, 60)));
  CHECK(apart.variant().find(" is ") == std::string::npos);
  const DeviceLaunch turned(y, a + a.T() * a.T());
  CHECK(turned.variant().find("x2 is x1") != std::string::npos);
  CHECK(turned.variant().find("x1 is x0") == std::string::npos);
}

TEST_CASE("repeated operands of every layout have their values") {
  const auto matrix = [](Place p) { return numbers<float>(Dim{61, 61}, 1).to(p); };
  const auto each = [&](const char* name, const auto& program) {
    check_alike(name, 4e-6, [&](Place p) { return evaluate(program(matrix(p), numbers<float>(Dim{61}, 2).to(p))); });
  };
  each("contiguous", [](const auto& a, const auto&) { return a * a + sqrt(abs(a)) / (abs(a) + 1); });
  each("a long tail", [](const auto& a, const auto&) { return flatten(a)(range(0, 3)) * flatten(a)(range(0, 3)) + 1; });
  each("transposed", [](const auto& a, const auto&) { return a.T() * a + a.T() * 2 - a; });
  each("strided", [](const auto& a, const auto&) { return a(all, range(60, 0, -2)) * a(all, range(60, 0, -2)); });
  each("repeated rows", [](const auto& a, const auto& row) { return a * row + row; });
  each("sums", [](const auto& a, const auto& row) { return sum<1>(a * a + a * row); });
  each("column sums", [](const auto& a, const auto& row) { return sum<0>(a * a - row * row); });
}

TEST_CASE(
    "minus infinity through an activation, the sign of the integer 0, complex results of real values, complex numbers "
    "near -1") {
  const auto infinite = [](Place p) { return full(Dim{5}, -std::numeric_limits<float>::infinity(), p); };
  check_alike("silu is -0", 0, [&](Place p) { return evaluate(signbit(silu(infinite(p)))); });
  check_alike("gelu is -0", 0, [&](Place p) { return evaluate(signbit(gelu(infinite(p)))); });
  check_alike("signbit", 0, [](Place p) { return evaluate(signbit(full(Dim{5}, std::int32_t{0}, p))); });
  check_alike("real into complex", 0, [](Place p) {
    const auto z = zeros<std::complex<float>>(Dim{40}, p);
    assign(z, numbers<double>(Dim{40}, 3).to(p) * 2);
    return z;
  });
  check_alike("real sums into complex", 1e-6, [](Place p) {
    const auto z = zeros<std::complex<double>>(Dim{7}, p);
    assign(z, sum<1>(numbers<float>(Dim{7, 40}, 3).to(p)));
    return z;
  });
  check_alike("counts", 0,
              [](Place p) { return evaluate(count_nonzero<1>(numbers<std::complex<float>>(Dim{7, 40}, 3).to(p))); });
  check_alike("atanh", 1e-14,
              [](Place p) { return evaluate(atanh(full(Dim{3}, std::complex<double>(-0.99999, 1e-6), p))); });
}
