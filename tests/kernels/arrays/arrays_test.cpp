// Arrays on a GPU: sorting and scanning them gives what the CPU gives, in every layout. The fake GPU runs work as late as it may.
#include <doctest/doctest.h>

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
  const Array<double, 2> y = x.to(gpu);
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
  CHECK_THROWS_AS(static_cast<void>(compress(y > 0.5f, y)), DeviceError);
  CHECK(agree(y, x));
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
  synchronize(gpu);
  CHECK(blocks() == before);
}
