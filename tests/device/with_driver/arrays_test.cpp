// Tests of arrays on a GPU: creation, transfer, element access, views and printing.
#include <doctest/doctest.h>

#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "gpus.hpp"

using namespace tessera;

namespace {

template <class A>
std::vector<float> elements_of(const A& array) {
  const auto host = array.to(CpuPlace{}).clone();
  return std::vector<float>(host.data(), host.data() + host.size());
}

Array<float, 2, GpuPlace> counting(GpuPlace gpu) {
  std::vector<float> values(12);
  std::iota(values.begin(), values.end(), 0.0f);
  return reshape(make_array(values, gpu), Dim{3, 4});
}

}  // namespace

// --8<-- [start:gpu_array]
TEST_CASE("an array on a GPU is made, read and moved like any other") {
  auto g = zeros<float>(Dim{2, 3}, GpuPlace{0});
  static_assert(std::is_same_v<decltype(g), Array<float, 2, GpuPlace>>);
  g[{1, 2}] = 5.0f;  // copies one element to the GPU
  const float x = g[{1, 2}];
  CHECK(x == 5.0f);

  auto host = g.to(CpuPlace{});
  CHECK(host[{1, 2}] == 5.0f);
  CHECK(host[{0, 0}] == 0.0f);
}
// --8<-- [end:gpu_array]

TEST_CASE("factories fill memory of every GPU and of pinned memory") {
  for (const Place place : {Place(GpuPlace{0}), Place(other_gpu()), Place(PinnedPlace{})}) {
    CAPTURE(place);
    CHECK(elements_of(full(Dim{3}, 2.5f, place)) == std::vector<float>(3, 2.5f));
    CHECK(elements_of(ones<float>(Dim{2}, place)) == std::vector<float>(2, 1.0f));
    CHECK(elements_of(arange(0.0f, 4.0f, 1.0f, place)) == std::vector{0.0f, 1.0f, 2.0f, 3.0f});
    CHECK(elements_of(make_array(std::vector{7.0f, 8.0f}, place)) == std::vector{7.0f, 8.0f});
    CHECK(Place(make_array(std::vector{7.0f}, place).place()) == place);
  }
}

TEST_CASE("a placed pointer gets and puts elements on a GPU") {
  const auto a = counting(other_gpu());
  const PlacedPointer<float> p = a.pointer() + 5;
  CHECK(p.place() == Place(other_gpu()));
  CHECK(p.get() == 5.0f);
  p.put(-1.0f);
  CHECK(float(a[{1, 1}]) == -1.0f);
  CHECK(a.pointer().get() == 0.0f);
}

TEST_CASE("a reference to an element of a GPU reads, writes and updates it") {
  auto a = counting(GpuPlace{0});
  a[{0, 1}] += 10.0f;
  a[{0, 2}] = a[{2, 3}];
  a[{-1, -1}] *= 2.0f;
  CHECK(float(a[{0, 1}]) == 11.0f);
  CHECK(float(a[{0, 2}]) == 11.0f);
  CHECK(float(a[{2, 3}]) == 22.0f);
  std::ostringstream text;
  text << a[{0, 1}];
  CHECK(text.str() == "11");
  CHECK_THROWS_AS((a[{3, 0}] = 1.0f), IndexError);
}

TEST_CASE("a clone on a GPU has storage of its own at the same place") {
  const auto a = counting(other_gpu());
  auto b = a.clone();
  CHECK(b.place() == other_gpu());
  CHECK(b.data() != a.data());
  b[{0, 0}] = 9.0f;
  CHECK(float(a[{0, 0}]) == 0.0f);
  CHECK(elements_of(b.with_layout(b.layout())) ==
        std::vector{9.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f});
}

TEST_CASE("an array moved to its own place is the same handle" * doctest::test_suite("two GPUs")) {
  const auto a = counting(GpuPlace{0});
  CHECK(a.to(GpuPlace{0}).data() == a.data());
  CHECK(a.to(Place(GpuPlace{0})).data() == a.data());
  CHECK(a.to(GpuPlace{1}).data() != a.data());
}

TEST_CASE("views of a GPU array arrive on the host in their own order") {
  const auto a = counting(GpuPlace{0});
  CHECK(elements_of(a.T()) == std::vector{0.0f, 4.0f, 8.0f, 1.0f, 5.0f, 9.0f, 2.0f, 6.0f, 10.0f, 3.0f, 7.0f, 11.0f});
  CHECK(elements_of(a(all, range(3, 0, -2))) == std::vector{3.0f, 1.0f, 7.0f, 5.0f, 11.0f, 9.0f});
  CHECK(elements_of(a(1, ellipsis)) == std::vector{4.0f, 5.0f, 6.0f, 7.0f});
  CHECK(elements_of(a(all, 2).to(other_gpu())) == std::vector{2.0f, 6.0f, 10.0f});
  CHECK(elements_of(a(range(0, 0), all)).empty());
}

TEST_CASE("a GPU array prints like a host array") {
  std::ostringstream text;
  text << counting(GpuPlace{0});
  CHECK(text.str() == "[[ 0.  1.  2.  3.]\n [ 4.  5.  6.  7.]\n [ 8.  9. 10. 11.]]");
  CHECK(to_string(counting(other_gpu())(0, ellipsis)) == "[0. 1. 2. 3.]");
}

TEST_CASE("a handle without a static place holds a GPU array, and gets its static place back") {
  const Array<float, 2> dynamic = counting(other_gpu());
  CHECK(dynamic.place() == Place(other_gpu()));
  CHECK(float(dynamic[{2, 0}]) == 8.0f);
  const Array<float, 2, GpuPlace> again(dynamic);
  CHECK(again.place() == other_gpu());
  CHECK_THROWS_AS((Array<float, 2, CpuPlace>(dynamic)), PlaceError);
}

TEST_CASE("the host cannot iterate over elements on a GPU") {
  const Array<float, 2> dynamic = counting(GpuPlace{0});
  CHECK_THROWS_WITH_AS(dynamic.begin(),
                       "begin: the elements are on gpu:0, which the host cannot read; copy them with to(CpuPlace{})",
                       PlaceError);
}

TEST_CASE("an expression on a GPU is computed there") {
  auto g = counting(other_gpu());
  g = g + 1.0f;
  CHECK(float(g[{0, 1}]) == 2.0f);
  g(all, 0) = 3.0f;
  CHECK(elements_of(g) == std::vector<float>{3, 2, 3, 4, 3, 6, 7, 8, 3, 10, 11, 12});
  const auto rows = evaluate(sum<1>(g));
  CHECK(Place(rows.place()) == Place(other_gpu()));
  CHECK(elements_of(rows) == std::vector<float>{12, 24, 36});
}

TEST_CASE("operands whose places differ at run time throw a PlaceError") {
  const Array<float, 1> host = ones<float>(Dim{3});
  const Array<float, 1> gpu = ones<float>(Dim{3}, Place(GpuPlace{0}));
  Array<float, 1> result = zeros<float>(Dim{3});
  CHECK_THROWS_AS(result = host + gpu, PlaceError);
  CHECK_THROWS_AS(result = gpu + host, PlaceError);
  CHECK_THROWS_AS(result += gpu, PlaceError);
  CHECK(float(result[{0}]) == 0.0f);
}

TEST_CASE("a copy that the driver refuses is a DeviceError, and no memory is lost" * doctest::test_suite("fake")) {
  const auto a = counting(GpuPlace{0});
  const std::ptrdiff_t used = memory::used(GpuPlace{1});
  const fake::Failing illegal(1, 801);
  CHECK_THROWS_WITH_AS(a.to(CpuPlace{}), "cuMemcpyAsync: CUDA_ERROR_NOT_SUPPORTED (801)", DeviceError);
  CHECK(memory::used(GpuPlace{1}) == used);
  CHECK(elements_of(a)[3] == 3.0f);
}

TEST_CASE("an array that does not fit on the GPU throws OutOfMemory before anything is copied") {
  const std::ptrdiff_t too_many = devices()[0].total_bytes / static_cast<std::ptrdiff_t>(sizeof(float)) + 1;
  CHECK_THROWS_AS(zeros<float>(Dim{too_many}, GpuPlace{0}), OutOfMemory);
  CHECK_THROWS_AS(zeros<float>(Dim{1}, no_gpu()), DeviceError);
}

TEST_CASE("dropping the last handle gives GPU memory back to its pool") {
  const std::ptrdiff_t before = memory::used(GpuPlace{0});
  {
    const auto a = counting(GpuPlace{0});
    const auto view = a.T();
    CHECK(memory::used(GpuPlace{0}) == before + 48);
  }
  CHECK(memory::used(GpuPlace{0}) == before);
}
