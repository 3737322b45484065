// Dynamic arrays without storage, without elements and with extents beyond any memory: every function either answers or says what is wrong.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("arrays without storage are asked and read without a fault") {
  DArray none;
  CHECK(holds<Array<float, 0>>(none));
  CHECK(!get<Array<float, 0>>(none).has_storage());
  CHECK_THROWS_AS(get(none, DDim()), IndexError);
  CHECK_THROWS_AS(set(none, DDim(), 1), IndexError);
  CHECK_THROWS_AS(DArray(none + 1), ShapeError);
  CHECK_THROWS_AS(DArray(sum(none)), ShapeError);
  CHECK_THROWS_AS(none += 1, ShapeError);
  CHECK_THROWS_AS(none.item(), ShapeError);
  CHECK(none.clone().size() == 0);
  CHECK(none.size() == 0);
  CHECK(visit_dtype([](const auto& x) { return x.size(); }, std::as_const(none)) == 0);
  CHECK(to_string(none) == "(no storage)");
}

TEST_CASE("storage on first write, and references that are kept, of arrays that have none or too much") {
  Array<float, 2> none;
  DArray any;
  CHECK_THROWS_AS(make_reference(none, {0, 0}), IndexError);
  CHECK_THROWS_AS(mutable_data(none, Dim{PTRDIFF_MAX, PTRDIFF_MAX}), ShapeError);
  CHECK_THROWS_AS(mutable_data<double>(any, make_ddim({PTRDIFF_MAX / 2})), ShapeError);
  CHECK(!none.has_storage());
  CHECK(!any.has_storage());
  static_cast<void>(mutable_data(none, Dim{0, PTRDIFF_MAX}));
  CHECK(none.shape() == Dim{0, PTRDIFF_MAX});
  CHECK_THROWS_AS(make_reference(none, {0, 0}), IndexError);
}

TEST_CASE("elements that are not there are not read") {
  const Array<float, 0> none;
  CHECK_THROWS_AS(make_reference(none, {}), IndexError);
  const DArray any, mask = full(DType::boolean, make_ddim({}), true), one = zeros(DType::float32, make_ddim({1}));
  CHECK_THROWS_AS(compress_into(one, mask, any), ShapeError);
  CHECK_THROWS_AS(compress(mask, any), ShapeError);
  std::int8_t byte = 0;
  CHECK_THROWS_AS(adopt(&byte, Dim{2}, {PTRDIFF_MIN}), ShapeError);
  const std::ptrdiff_t many = std::ptrdiff_t{1} << 40;
  CHECK(to_string(zeros<float>(Dim{many, many, 0})) == "[]");
}

TEST_CASE("arrays without elements have every operation") {
  DArray empty = make_darray(make_ddim({3, 0, 2}), DType::int16);
  CHECK(DArray(empty * 2 - empty).shape() == make_ddim({3, 0, 2}));
  CHECK(DArray(where(empty > 0, empty, 1)).size() == 0);
  CHECK(empty({1, ellipsis}).shape() == make_ddim({0, 2}));
  CHECK(empty.reshape({0, 7}).shape() == make_ddim({0, 7}));
  CHECK_THROWS_AS(empty.reshape({-1, 0}), ShapeError);
  CHECK(std::int64_t(sum(empty)) == 0);
  CHECK(bool(all_of(empty)));
  CHECK_THROWS_AS(argmax(empty), ShapeError);
  CHECK(DArray(mean(empty, 0)).shape() == make_ddim({0, 2}));
  empty({all}) = 5;
  empty = 5;
  CHECK(visit_dtype([](const auto& x) { return x.size(); }, empty) == 0);
  CHECK(make_darray(DNested({})).size() == 0);
  const DArray huge = make_darray(make_ddim({0, PTRDIFF_MAX}), DType::float64);
  CHECK(huge.T().size() == 0);
  CHECK(huge({range(none, none, -1)}).size() == 0);
}

TEST_CASE("extents and numbers at the ends of their types are refused, or computed as for static arrays") {
  CHECK_THROWS_AS(make_darray({PTRDIFF_MAX, PTRDIFF_MAX}, DType::int8), ShapeError);
  CHECK_THROWS_AS(zeros(DType::float64, make_ddim({PTRDIFF_MAX / 2})), ShapeError);
  CHECK_THROWS_AS(broadcast_to(make_darray({1}, 1.f), make_ddim({PTRDIFF_MAX, 3})), ShapeError);
  DArray x = make_darray({std::numeric_limits<int>::min(), -1, 0});
  CHECK(is_same(DArray(x / -1), evaluate(get<Array<int, 1>>(x) / -1)));
  CHECK(is_same(DArray(x / x), evaluate(get<Array<int, 1>>(x) / get<Array<int, 1>>(x))));
  CHECK(is_same(DArray(abs(x)), evaluate(abs(get<Array<int, 1>>(x)))));
  CHECK(is_same(DArray(x < std::int64_t{1} << 40), evaluate(get<Array<int, 1>>(x) < std::int64_t{1} << 40)));
  CHECK(is_same(DArray(x + std::numeric_limits<std::uint64_t>::max()),
                evaluate(get<Array<int, 1>>(x) + std::numeric_limits<std::uint64_t>::max())));
  CHECK_THROWS_AS(x({PTRDIFF_MAX}), IndexError);
  CHECK_THROWS_AS(x[{PTRDIFF_MIN}] = 1, IndexError);
  CHECK(x({range(PTRDIFF_MIN, PTRDIFF_MAX)}).size() == 3);
  CHECK(int(DValue(1e300).cast(DType::int32)) == std::numeric_limits<int>::max());
}
