// Determinism: for one build and one instruction set, results are the same bits for any number of threads.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// Evaluates make() with 1, 2 and 4 threads, several times with the latter: the same bits each time.
template <class Make>
void check_same(const std::string& what, const Make& make) {
  INFO(what);
  for_each_isa([&](device::Isa isa) {
    INFO(device::name(isa));
    const auto with = [&](int threads) {
      const Threads restore(threads);
      return elements(evaluate(make()));
    };
    const auto reference = with(1);
    for (const int threads : {2, 4, 4, 3}) {
      CAPTURE(threads);
      CHECK(difference(with(threads), reference) == "");
    }
  });
}

Array<float, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns, std::uint64_t salt) {
  Random random(salt);
  return random_array<float>(Dim<2>{rows, columns}, Arrangement::contiguous, random);
}

}  // namespace

TEST_CASE("elementwise results do not depend on the number of threads") {
  const Array<float, 2> a = matrix(401, 501, 800);  // above the parallel threshold
  const Array<float, 2> b = matrix(501, 401, 801);
  check_same("contiguous", [&] { return exp(a) * 2 - tanh(a); });
  check_same("transposed", [&] { return a + b.T(); });
  check_same("broadcast", [&] { return a / (1 + square(a(0, all))); });
}

TEST_CASE("reductions do not depend on the number of threads: all elements, rows, columns") {
  const Array<float, 2> flat = matrix(1, 700'001, 802);
  const Array<float, 2> tall = matrix(70'001, 9, 803);
  const Array<float, 2> wide = matrix(9, 70'001, 804);
  const Array<float, 2> square_one = matrix(600, 500, 805);
  for (const Array<float, 2>& a : {flat, tall, wide, square_one}) {
    INFO("shape " << a.shape());
    check_same("sum", [&] { return sum(a); });
    check_same("sum<0>", [&] { return sum<0>(a); });
    check_same("sum<1>", [&] { return sum<1>(a); });
    check_same("sum<1> fused", [&] { return sum<1>(a * a + 1); });
    check_same("prod<0>", [&] { return prod<0>(1 + a * 1e-3); });
    check_same("max", [&] { return max(a); });
    check_same("argmin<1>", [&] { return argmin<1>(a); });
    check_same("argmax<0>", [&] { return argmax<0>(a); });
  }
}

TEST_CASE("what is built on reductions does not depend on the number of threads") {
  const Array<float, 2> a = matrix(600, 500, 806);
  check_same("mean", [&] { return mean(a); });
  check_same("var<0>", [&] { return var<0>(a); });
  check_same("softmax<1>", [&] { return softmax<1>(a); });
  check_same("logsumexp<0>", [&] { return logsumexp<0>(a, keepdims); });
}

TEST_CASE("products do not depend on the number of threads, with and without an epilogue") {
  const Array<float, 2> a = matrix(301, 203, 807);
  const Array<float, 2> b = matrix(203, 405, 808);
  check_same("matrix by matrix", [&] { return dot(a, b); });
  check_same("transposed", [&] { return dot(b.T(), a.T()); });
  check_same("epilogue", [&] { return relu(dot(a, b) + b(0, all)); });
  check_same("matrix by vector", [&] { return dot(b, b(0, all)); });
  check_same("vector by vector", [&] { return dot(flatten(b), flatten(b)); });
  const Array<double, 2> c = cast<double>(a);
  check_same("double", [&] { return dot(c, c.T()); });
  const Array<float16, 2> h = cast<float16>(a);
  check_same("float16", [&] { return dot(h, h.T()) * 2; });
}
