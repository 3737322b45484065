// Arrays on a GPU: sorting, scanning and picking gives what the CPU gives, in every layout. The fake GPU runs work as late as it may.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

import tessera;

#include "fake_cuda.hpp"

using namespace tessera;

namespace {

const Place gpu = GpuPlace{0};

Array<float, 2> numbers(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  return random::uniform<float>(random::Key{3}, Dim<2>{rows, columns});
}

template <class A, class B>
bool agree(const A& on_gpu, const B& on_cpu) {
  CHECK(on_gpu.place() == gpu);
  return array_equal(on_gpu.to(Place(CpuPlace{})), on_cpu);
}

}  // namespace

TEST_CASE("arrays on a GPU are sorted along any axis, in both directions and from any layout") {
  const Array<float, 2> x = numbers(7, 11);
  const Array<float, 2> y = x.to(gpu);
  CHECK(agree(sort(y), sort(x)));
  CHECK(agree(sort<0>(y), sort<0>(x)));
  CHECK(agree(sort<0>(y, descending), sort<0>(x, descending)));
  CHECK(agree(sort(y.T()), sort(x.T())));
  const auto every = range(none, none, -2);
  CHECK(agree(sort(y(all, every)), sort(x(all, every))));
  const Array<std::int16_t, 2> small = cast<std::int16_t>(x * 8.0f);
  CHECK(agree(argsort<0>(small.to(gpu)), argsort<0>(small)));
  CHECK(agree(argsort(small.to(gpu), descending), argsort(small, descending)));
}

TEST_CASE("sort_into and cumulative_sum_into write views and overlapping arrays on a GPU") {
  const Array<float, 2> x = numbers(6, 8);
  const Array<float, 2> y = x.to(gpu);
  sort_into<0>(y, y);
  CHECK(agree(y, sort<0>(x)));
  sort_into(y.T(), x.to(gpu).T(), descending);
  CHECK(agree(y, sort<0>(x, descending)));
  const Array<double, 1> totals = arange(6.0).to(gpu);
  cumulative_sum_into(totals(range(1, none)), totals(range(none, 5)));
  CHECK(agree(totals, make_array({0.0, 0.0, 1.0, 3.0, 6.0, 10.0})));
}

TEST_CASE("work before and after a sort is ordered by streams, and the host waits for none of it") {
  const Array<double, 2> x = reshape(arange(12.0), Dim{3, 4});
  Array<double, 2> y = x.to(gpu);
  Array<double, 2> doubled = y * 2.0;
  Array<double, 2> totals = cumulative_sum<1>(doubled);
  Array<double, 2> products = cumulative_prod<0>(doubled + 1.0);
  y(ellipsis) = 0.0;
  Array<double, 2> result = totals - products;
  CHECK(agree(result, cumulative_sum<1>(x * 2.0) - cumulative_prod<0>(x * 2.0 + 1.0)));
}

TEST_CASE("empty arrays on a GPU need no kernel") {
  const Array<float, 2> y = numbers(0, 4).to(gpu);
  CHECK(sort(y).shape() == Dim{0, 4});
  CHECK(cumulative_sum<0>(cast<double>(y)).shape() == Dim{0, 4});
}

TEST_CASE("arrays on two places, and types that the library has no kernel for, are errors that change nothing" *
          doctest::test_suite("fake")) {
  const Array<float, 2> x = numbers(2, 3);
  const Array<float, 2> y = x.to(gpu);
  CHECK_THROWS_AS(sort_into(x, y), PlaceError);
  CHECK_THROWS_AS(static_cast<void>(sort(cast<double>(y))), DTypeError);
  CHECK_THROWS_AS(static_cast<void>(compress(x > 0.5f, y)), PlaceError);
  CHECK_THROWS_AS(static_cast<void>(compress(y > 0.5f, x)), PlaceError);
  CHECK(agree(y, x));
}

TEST_CASE_TEMPLATE("compress picks on a GPU what it picks on the CPU, for every type of elements and any layout", T,
                   bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float16, bfloat16, float, double, std::complex<float>,
                   std::complex<double>) {
  const Array<float, 2> x = numbers(37, 41);
  const Array<float, 2> y = x.to(gpu);
  const auto as_elements = [](const auto& values) {
    if constexpr (Floating<T> || Complex<T>) {
      return evaluate(cast<T>(values - 0.5f));
    } else {
      return evaluate(cast<T>(values * 100.0f));
    }
  };
  const Array<T, 2> a = as_elements(x), b = as_elements(y);
  CHECK(agree(compress(y > 0.3f, b), compress(x > 0.3f, a)));
  CHECK(agree(compress(y.T() > 0.3f, b.T()), compress(x.T() > 0.3f, a.T())));
  const auto every = range(none, none, -2);
  const Array<bool, 2> mask = x < 0.6f;
  const Array<bool, 2> mask_on_gpu = mask.to(gpu);
  CHECK(agree(compress(mask_on_gpu(all, every), b(all, every)), compress(mask(all, every), a(all, every))));
  CHECK(compress(y > 2.0f, b).shape() == Dim{0});
  CHECK(agree(compress(y >= 0.0f, b), flatten(a)));
}

TEST_CASE("compress on a GPU takes expressions, scalars, empty arrays and places known when compiled") {
  const Array<float, 2> x = numbers(20, 30);
  const Array<float, 2> y = x.to(gpu);
  CHECK(agree(compress(y > 0.5f, y * 2.0f - 1.0f), compress(x > 0.5f, x * 2.0f - 1.0f)));
  CHECK(compress(y(range(0, 0), all) > 0.5f, y(range(0, 0), all)).shape() == Dim{0});
  const Array<float, 2, GpuPlace> there = x.to(GpuPlace{0});
  const Array<float, 1, GpuPlace> picked = compress(there > 0.5f, there);
  CHECK(array_equal(picked.to(CpuPlace{}), compress(x > 0.5f, x).to(CpuPlace{})));
  const Array<float, 1> one = make_array({3.0f}).to(gpu);
  CHECK(agree(compress(one > 1.0f, one), make_array({3.0f})));
}

TEST_CASE(
    "compress_into writes views and arrays that overlap its operands on a GPU, and nothing when the length is wrong") {
  const Array<float, 1> x = arange(8.0f);
  const Array<float, 1> y = x.to(gpu);
  const Array<float, 1> wide = zeros<float>(Dim{8}, gpu);
  compress_into(wide(range(none, none, -2)), y > 3.5f, y);
  CHECK(agree(wide, make_array({0.0f, 7.0f, 0.0f, 6.0f, 0.0f, 5.0f, 0.0f, 4.0f})));
  compress_into(y(range(1, 5)), y < 3.5f, y);
  CHECK(agree(y, make_array({0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 5.0f, 6.0f, 7.0f})));
  const Array<float, 1> before = y.to(Place(CpuPlace{})).clone();
  CHECK_THROWS_AS(compress_into(y(range(0, 3)), y > 2.5f, y), ShapeError);
  CHECK_THROWS_AS(compress_into(y, y(range(0, 4)) > 2.5f, y), ShapeError);
  CHECK_THROWS_AS(compress_into(x, y > 2.5f, y), PlaceError);
  CHECK(agree(y, before));
}

TEST_CASE("work before and after compress is ordered by streams, and inside Async by ops") {
  const Array<double, 2> x = reshape(arange(60.0), Dim{6, 10});
  const Array<double, 2> y = x.to(gpu);
  Array<bool, 2> mask = y < 25.0;
  Array<double, 2> doubled = y * 2.0;
  Array<double, 1> picked = compress(mask, doubled);
  doubled(ellipsis) = 0.0;
  mask(ellipsis) = cast<bool>(y * 0.0);
  CHECK(agree(picked, arange(25.0) * 2.0));
  Scheduler scheduler({.workers = 2});
  Array<double, 1> sum;
  {
    const Async on{scheduler};
    Array<double, 2> later = y + 1.0;
    const Array<double, 1> odd = compress(cast<std::int32_t>(later) % 2 == 1, later);
    later(ellipsis) = 0.0;
    sum = odd + 0.5;
  }
  CHECK(agree(sum, arange(30.0) * 2.0 + 1.5));
}

TEST_CASE("temporaries of many sorts come from the pool and go back to it") {
  const Array<float, 2> y = numbers(5, 9).to(gpu);
  const Array<float, 2> result = sort(y);
  synchronize(gpu);
  const auto blocks = [] {
    return fake::is_here() ? static_cast<std::ptrdiff_t>(fake::live_blocks(0)) : memory::stats(gpu).system_calls;
  };
  const std::ptrdiff_t before = blocks();
  for (int i = 0; i < 50; ++i) sort_into(result, y);
  for (int i = 0; i < 20; ++i) static_cast<void>(compress(y > 0.5f, y));
  synchronize(gpu);
  CHECK(blocks() == before);
}
