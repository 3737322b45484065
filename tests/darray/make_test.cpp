// Tests of new dynamic arrays: filled, from lists, ranges and memory that is there already.
#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("a value fills in its own type, a dtype alone does not fill") {
  CHECK(is_same(make_darray(make_ddim({2, 2}), 1.5f), full(Dim{2, 2}, 1.5f)));
  CHECK(is_same(make_darray({3}, true), full(Dim{3}, true)));
  const DArray none = make_darray({4, 5}, DType::complex64);
  CHECK(none.dtype() == DType::complex64);
  CHECK(none.size() == 20);
  CHECK_THROWS_AS(make_darray({-1}, DType::int8), ShapeError);
  CHECK_THROWS_AS(make_darray({PTRDIFF_MAX, 2}, DType::int8), ShapeError);
  CHECK_THROWS_AS(make_darray({PTRDIFF_MAX / 4}, DType::float64), ShapeError);
}

TEST_CASE("factories take the dtype as an argument") {
  CHECK(is_same(zeros(DType::int16, make_ddim({2})), zeros<std::int16_t>(Dim{2})));
  CHECK(is_same(ones(DType::float16, make_ddim({2})), ones<float16>(Dim{2})));
  CHECK(is_same(full(DType::int32, make_ddim({2}), 2.75), full(Dim{2}, 2)));
  CHECK(is_same(arange(DType::int64, 2, 11, 3), Array<std::int64_t, 1>{2, 5, 8}));
  CHECK(is_same(arange(DType::float32, 1, 0, -0.5), Array<float, 1>{1.f, 0.5f}));
  CHECK(arange(DType::int8, 3, 3).size() == 0);
  CHECK(is_same(linspace(DType::float64, 0, 1, 5), Array<double, 1>(linspace(0., 1., 5))));
  CHECK(is_same(eye(DType::uint8, 3), eye<std::uint8_t>(3)));
  CHECK(is_same(full_like(eye(DType::float32, 2), 3), full(Dim{2, 2}, 3.f)));
  CHECK_THROWS_AS(arange(DType::boolean, 0, 1), DTypeError);
  CHECK_THROWS_AS(arange(DType::int8, 0, 1, 0), ShapeError);
  CHECK_THROWS_AS(arange(DType::int8, 0, 1e300), ShapeError);
  CHECK_THROWS_AS(linspace(DType::int32, 0, 1, 3), DTypeError);
}

TEST_CASE("nested lists have the common type of their values") {
  CHECK(is_same(make_darray({{1, 2}, {3, 4}}), Array<int, 2>{{1, 2}, {3, 4}}));
  CHECK(is_same(make_darray({{1, 2.5}, {3, 4}}), Array<double, 2>{{1, 2.5}, {3, 4}}));
  CHECK(is_same(make_darray({{{1.f}, {2.f}}}), Array<float, 3>{{{1.f}, {2.f}}}));
  CHECK(make_darray({std::complex<float>(1, 2), 2.f}).dtype() == DType::complex64);
  CHECK_THROWS_AS(make_darray({{1, 2}, {3}}), ShapeError);
  CHECK_THROWS_AS(make_darray({{1, 2}, 3}), ShapeError);
  CHECK_THROWS_AS(make_darray({1, true}), DTypeError);
}

TEST_CASE("ranges and allocations become arrays") {
  CHECK(is_same(make_darray(std::vector<float>{1.f, 2.f}), Array<float, 1>{1.f, 2.f}));
  memory::Allocation memory(CpuPlace{}, 24);
  auto* values = static_cast<int*>(memory.data());
  for (int k = 0; k < 6; ++k) values[k] = k;
  const DArray columns =
      make_darray(std::move(memory), DType::int32, make_ddim({2, 3}), std::array<std::ptrdiff_t, 2>{1, 2});
  CHECK(is_same(columns, Array<int, 2>{{0, 2, 4}, {1, 3, 5}}));
  CHECK_THROWS_AS(make_darray(memory::Allocation(CpuPlace{}, 23), DType::int32, make_ddim({6})), ShapeError);
  CHECK_THROWS_AS(make_darray(memory::Allocation(CpuPlace{}, 24), DType::int32, make_ddim({2, 3}),
                              std::array<std::ptrdiff_t, 2>{-3, 1}),
                  ShapeError);
  CHECK_THROWS_AS(make_darray(memory::Allocation(CpuPlace{}, 24), DType::int32, make_ddim({2, 3}),
                              std::array<std::ptrdiff_t, 1>{1}),
                  ShapeError);
}

TEST_CASE("adopted memory is the array's, with strides of either sign, as long as its owner is kept") {
  const auto owner = std::make_shared<std::array<double, 6>>(std::array<double, 6>{0, 1, 2, 3, 4, 5});
  {
    const DArray backwards = adopt(owner->data() + 5, DType::float64, make_ddim({3, 2}),
                                   std::array<std::ptrdiff_t, 2>{-2, -1}, CpuPlace{}, owner);
    CHECK(is_same(backwards, Array<double, 2>{{5, 4}, {3, 2}, {1, 0}}));
    CHECK(owner.use_count() == 2);
    const DArray part = backwards({1, all});
    CHECK(owner.use_count() == 2);  // a share of the buffer
    DArray(part) += 10.0;
    CHECK((*owner)[3] == 13.0);
    const DArray reads = adopt(std::as_const(*owner).data(), DType::float64, make_ddim({6}),
                               std::array<std::ptrdiff_t, 1>{1}, CpuPlace{}, owner);
    CHECK(reads.is_read_only());
  }
  CHECK(owner.use_count() == 1);
  DArray whole = adopt(owner->data(), DType::float64, make_ddim({2, 3}));
  whole = whole * 2.0;  // a new value: the memory is not the name's own
  CHECK((*owner)[1] == 1.0);
  CHECK_THROWS_AS(adopt(owner->data(), DType::float64, make_ddim({2, 3}), std::array<std::ptrdiff_t, 1>{1}),
                  ShapeError);
  CHECK_THROWS_AS(
      adopt(owner->data(), DType::float64, make_ddim({2, 3}), std::array<std::ptrdiff_t, 2>{PTRDIFF_MAX, PTRDIFF_MAX}),
      ShapeError);
}

TEST_CASE("a range from 0, and the dtype of an array as text") {
  const DArray x = arange(DType::int16, 5);
  CHECK(x.dtype() == DType::int16);
  CHECK(x.shape() == make_ddim({5}));
  CHECK(int(x[{4}]) == 4);
  std::ostringstream text;
  text << x.dtype() << ' ' << DType::bfloat16;
  CHECK(text.str() == "int16 bfloat16");
  CHECK(to_string(DType::complex64) == "complex64");
}

TEST_CASE("mutable_data gives a dynamic array storage when it is first written") {
  DArray x;
  float* const to = mutable_data<float>(x, make_ddim({2, 2}));
  std::fill_n(to, 4, 2.f);
  CHECK(float(sum(x)) == 8);
  CHECK(mutable_data<float>(x, make_ddim({2, 2})) == to);
  void* const wider = mutable_data(x, DType::float64, make_ddim({3}));
  CHECK(wider == x.data());
  CHECK(x.dtype() == DType::float64);
  CHECK(x.shape() == make_ddim({3}));
  const DArray other = x;
  CHECK(mutable_data<double>(x, make_ddim({3})) != wider);
  CHECK_THROWS_AS(mutable_data<double>(x, make_ddim({std::ptrdiff_t{1} << 62})), ShapeError);
  CHECK(x.shape() == make_ddim({3}));
}
