// Arrays on a GPU: searching, counting and selecting, which run on the host alone, refuse them and say so; statistics and differences that are made of
// expressions give what the CPU gives.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

import tessera;

#include "fake_cuda.hpp"

using namespace tessera;

namespace {

const Place gpu = GpuPlace{0};

template <class A, class B>
bool agree(const A& on_gpu, const B& on_cpu) {
  const auto found = evaluate(on_gpu);
  CHECK(found.place() == gpu);
  return allclose(found.to(Place(CpuPlace{})), evaluate(on_cpu));
}

}  // namespace

TEST_CASE("what runs on the host alone refuses arrays on a GPU") {
  const Array<float, 1> x = random::uniform<float>(random::Key{1}, Dim{50});
  const Array<float, 1> y = x.to(gpu);
  const Array<int, 1> labels = evaluate(cast<int>(x * 9.0f)).to(gpu);
  CHECK_THROWS_WITH_AS(
      unique(y), doctest::Contains("unique: x: the elements are on gpu:0, and it runs on the host alone"), PlaceError);
  CHECK_THROWS_AS(searchsorted(x, y), PlaceError);
  CHECK_THROWS_AS(searchsorted(y, x), PlaceError);
  CHECK_THROWS_AS(digitize(y, x), PlaceError);
  CHECK_THROWS_AS(isin(x, y), PlaceError);
  CHECK_THROWS_AS(intersect1d(x, y), PlaceError);
  CHECK_THROWS_AS(bincount(labels), PlaceError);
  CHECK_THROWS_AS(histogram(y, 3), PlaceError);
  CHECK_THROWS_AS(segment_sum(x, labels, 9), PlaceError);
  CHECK_THROWS_AS(partition(y, 1), PlaceError);
  CHECK_THROWS_AS(top_k(y, 1), PlaceError);
  CHECK_THROWS_AS(median(y), PlaceError);
  CHECK_THROWS_AS(quantile(y, 0.5), PlaceError);
  CHECK_THROWS_AS(cumulative_max(y), PlaceError);
  CHECK_THROWS_AS(convolve(y, y), PlaceError);
  CHECK_THROWS_AS(interp(y, x, x), PlaceError);
  CHECK_THROWS_AS(unique(DArray(y)), PlaceError);
  CHECK_THROWS_AS(median(DArray(y)), PlaceError);
}

TEST_CASE("statistics and differences are computed where the elements are") {
  const Array<float, 2> x = random::normal<float>(random::Key{2}, Dim{5, 8});
  const Array<float, 2> y = x.to(gpu);
  CHECK(agree(nansum<1>(y), nansum<1>(x)));
  CHECK(agree(nanmean<0>(y), nanmean<0>(x)));
  CHECK(agree(nanmax<1>(y), nanmax<1>(x)));
  CHECK(agree(nanvar<1>(y), nanvar<1>(x)));
  CHECK(agree(ptp<1>(y), ptp<1>(x)));
  CHECK(agree(diff(y), diff(x)));
  CHECK(agree(gradient<0>(y, 2), gradient<0>(x, 2)));
  CHECK(agree(trapezoid(y), trapezoid(x)));
  CHECK(agree(average<1>(y, y * y), average<1>(x, x * x)));
}

TEST_CASE("scans with options go through the kernels of scans") {
  const Array<float, 2> x = random::uniform<float>(random::Key{3}, Dim{4, 6});
  const Array<float, 2> y = x.to(gpu);
  CHECK(agree(cumulative_sum<1>(y, {.exclusive = true}), cumulative_sum<1>(x, {.exclusive = true})));
  CHECK(agree(cumulative_sum<0>(y, {.reverse = true}), cumulative_sum<0>(x, {.reverse = true})));
  CHECK(agree(cumulative_sum<1>(y, {.include_initial = true}), cumulative_sum<1>(x, {.include_initial = true})));
}
