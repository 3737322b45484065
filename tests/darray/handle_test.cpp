// Tests of DArray: a name for storage of any element type and rank, its elements, and views of it.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

static_assert(std::is_nothrow_copy_constructible_v<DArray> && std::is_nothrow_move_constructible_v<DArray>);
static_assert(std::is_convertible_v<Array<float, 2>, DArray> &&
              std::is_convertible_v<Array<const int, 3, CpuPlace>, DArray>);
static_assert(!std::is_convertible_v<Array<float, 10>, DArray>);

namespace {

/// What a refusal says.
template <class Error, class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a dynamic array shares the storage of the static one that it is made of") {
  Array<float, 2> a = zeros<float>(2, 3);
  DArray d = a;
  CHECK(d.dtype() == DType::float32);
  CHECK(d.rank() == 2);
  CHECK(d.shape() == make_ddim({2, 3}));
  CHECK(d.strides()[0] == 3);
  CHECK(d.size() == 6);
  CHECK(d.place() == Place(CpuPlace{}));
  CHECK(d.data() == a.data());
  a(1, 2) = 5.f;
  CHECK(float(d[{1, 2}]) == 5.f);
  d[{0, -1}] = 7.f;
  d[make_ddim({0, 0})] = 2.f;
  CHECK(float(a(0, 2)) == 7.f);
  CHECK(float(a(0, 0)) == 2.f);
}

TEST_CASE("= on a name gives it another array, of another type and rank too, and changes no other name") {
  DArray x = make_darray({2, 2}, 1.f);
  const DArray before = x;
  x = make_darray({3}, std::int64_t{4});
  CHECK(x.dtype() == DType::int64);
  CHECK(x.rank() == 1);
  CHECK(before.dtype() == DType::float32);
  x = before;
  CHECK(x.data() == before.data());
  x = x + 1.f;  // another name shares the storage
  CHECK(x.data() != before.data());
  CHECK(float(before[{0, 0}]) == 1.f);
  CHECK(float(x[{0, 0}]) == 2.f);
}

TEST_CASE("= takes an expression of any shape, one that would broadcast to the former shape too") {
  DArray x = make_darray({2, 3}, 1.f), y = make_darray({2, 3}, 1);
  x = make_darray({3}, 2.f) * 2.f;
  CHECK(to_string(x) == "[4. 4. 4.]");
  y = DExpression(make_darray({1, 3}, 2) * 2);
  CHECK(to_string(y) == "[[4 4 4]]");
}

TEST_CASE("an expression is computed into the storage of a name that nobody shares") {
  DArray x = make_darray({100}, 1.f);
  const void* const storage = x.data();
  x = x * 2.f + x;
  CHECK(x.data() == storage);
  CHECK(float(x[{99}]) == 3.f);
  DArray i = make_darray({100}, 1);
  const void* const integers = i.data();
  i = i + i;  // by way of a program
  CHECK(i.data() == integers);
  CHECK(int(i[{99}]) == 2);
}

TEST_CASE("a scalar fills, in the type of the array") {
  DArray x = make_darray({2, 2}, 0.f);
  x = 2;
  CHECK(x.dtype() == DType::float32);
  CHECK(float(x[{1, 1}]) == 2.f);
  const DArray other = x;
  x = 3.5;
  CHECK(float(other[{1, 1}]) == 2.f);
  CHECK(float(x[{0, 1}]) == 3.5f);
  DArray i = make_darray({2}, std::int8_t{1});
  CHECK_THROWS_AS(i = 2.5, DTypeError);
  CHECK(contains(message<DTypeError>([&] { i = 300; }), "300"));
  CHECK(int(i[{0}]) == 1);
  DArray none;
  CHECK_THROWS_AS(none = 1.f, ShapeError);
}

TEST_CASE("elements are written through a view, and everybody sees it") {
  DArray x = make_darray({{1, 2, 3}, {4, 5, 6}});
  const DArray same = x;
  x({1, all}) = 0;
  x({0, range(none, none, 2)}) = make_darray({7, 9});
  CHECK(to_string(same) == "[[7 2 9]\n [0 0 0]]");
  x += 1;
  CHECK(int(same[{1, 1}]) == 1);
  x({all, 0}) *= 2;
  CHECK(int(same[{0, 0}]) == 16);
  CHECK_THROWS_AS(x({0, all}) = make_darray({1, 2}), ShapeError);
  CHECK_THROWS_AS(x({0, all}) = make_darray({1.5, 2., 3.}), DTypeError);
}

TEST_CASE("overlapping views are assigned as if the right side had been read first") {
  DArray x = arange(DType::int32, 0, 10);
  x({range(1, 10)}) = x({range(0, 9)});
  CHECK(to_string(x) == "[0 0 1 2 3 4 5 6 7 8]");
  DArray f = arange(DType::float32, 0, 6);
  f({range(none, none, -1)}) = f * 2;
  CHECK(to_string(f) == "[10.  8.  6.  4.  2.  0.]");
}

TEST_CASE("slices, transpositions and new shapes are those of static arrays") {
  std::mt19937 random(18);
  const Array<int, 3> a = random_array<int>(Dim{4, 5, 6}, random);
  const DArray d = a;
  CHECK(is_same(d({1, ellipsis}), Array<int, 2>(a(1, ellipsis))));
  CHECK(is_same(d({all, range(1, -1), -1}), Array<int, 2>(a(all, range(1, -1), -1))));
  CHECK(is_same(d({newaxis, range(none, none, -2), ellipsis, 0}),
                Array<int, 3>(a(newaxis, range(none, none, -2), ellipsis, 0))));
  CHECK(is_same(d(2, all, 3), Array<int, 1>(a(2, all, 3))));
  CHECK(is_same(d.T(), Array<int, 3>(a.T())));
  CHECK(is_same(transpose(d, {2, 0, 1}), Array<int, 3>(transpose(a, {2, 0, 1}))));
  CHECK(is_same(d.reshape({-1, 10}), Array<int, 2>(reshape(a, Dim{12, 10}))));
  CHECK(is_same(d.T().reshape({6, 20}), Array<int, 2>(reshape(Array<int, 3>(a.T()), Dim{6, 20}))));
  CHECK(is_same(flatten(d), flatten(a)));
  CHECK(d.reshape({20, 6}).data() == d.data());
  CHECK(is_same(broadcast_to(d, make_ddim({2, 4, 5, 6})).clone(), Array<int, 4>(broadcast_to(a, Dim{2, 4, 5, 6}))));
}

TEST_CASE("random slices of random ranks hold the elements that indices find") {
  std::mt19937 random(180);
  for (int round = 0; round < 300; ++round) {
    const int rank = 1 + static_cast<int>(random() % 5);
    std::vector<std::ptrdiff_t> shape;
    for (int axis = 0; axis < rank; ++axis) shape.push_back(1 + static_cast<std::ptrdiff_t>(random() % 5));
    const std::ptrdiff_t count = product(DDim(shape));
    const DArray whole = arange(DType::int64, 0, static_cast<double>(count)).reshape(shape);
    std::vector<DIndexer> indexers;
    struct Part {
      std::ptrdiff_t first, step, count;
      bool keeps;
    };
    std::vector<Part> parts;
    for (const std::ptrdiff_t extent : shape) {
      const auto at = static_cast<std::ptrdiff_t>(random() % static_cast<unsigned>(extent));
      switch (random() % 3) {
        case 0:
          indexers.emplace_back(at);
          parts.push_back({at, 0, 1, false});
          break;
        case 1:
          indexers.emplace_back(Range{extent - 1, at == 0 ? std::nullopt : std::optional<std::ptrdiff_t>(at - 1), -1});
          parts.push_back({extent - 1, -1, extent - at, true});
          break;
        default:
          indexers.emplace_back(Range{at, std::nullopt, 2});
          parts.push_back({at, 2, (extent - at + 1) / 2, true});
      }
    }
    const DArray part = whole(indexers);
    std::vector<std::ptrdiff_t> at(static_cast<std::size_t>(part.rank()), 0);
    for (std::ptrdiff_t n = 0; n < part.size(); ++n) {
      std::vector<std::ptrdiff_t> source;
      std::size_t kept = 0;
      for (const Part& axis : parts) source.push_back(axis.first + (axis.keeps ? axis.step * at[kept++] : 0));
      REQUIRE(std::int64_t(part.element(at)) == std::int64_t(whole.element(source)));
      for (std::size_t axis = at.size(); axis-- > 0;) {
        if (++at[axis] < part.shape()[static_cast<int>(axis)]) break;
        at[axis] = 0;
      }
    }
  }
}

TEST_CASE("an element converts as an assignment would, and a refusal has the value") {
  DArray x = make_darray({2}, 2.5);
  const DValue value = x[{0}];
  CHECK(value.dtype() == DType::float64);
  CHECK(value == DValue(2.5));
  CHECK(float(x[{0}]) == 2.5f);
  CHECK(contains(message<DTypeError>([&] { static_cast<void>(int(x[{0}])); }), "2.5"));
  CHECK(int(get(x, make_ddim({1})).cast(DType::int32)) == 2);
  set(x, make_ddim({1}), 4);
  CHECK(double(x[{1}]) == 4.0);
  DArray bytes = make_darray({2}, std::uint8_t{1});
  CHECK_THROWS_AS(bytes[{0}] = 256, DTypeError);
  CHECK_THROWS_AS(bytes[{0}] = 0.5, DTypeError);
  bytes[{0}] = 255;
  CHECK(int(bytes[{0}]) == 255);
  const auto element = bytes[{0}];
  bytes = DArray();
  CHECK(int(element) == 255);  // it keeps the storage
}

TEST_CASE("indices that are wrong are IndexErrors with their values") {
  const DArray x = make_darray({{1, 2, 3}, {4, 5, 6}});
  CHECK(contains(message<IndexError>([&] { static_cast<void>(DValue(x[{2, 0}])); }), "index 2 is outside axis 0"));
  CHECK(contains(message<IndexError>([&] { static_cast<void>(DValue(x[{0}])); }), "1 indices for 2 axes"));
  CHECK_THROWS_AS(x({0, 0, 0}), IndexError);
  CHECK_THROWS_AS(x({ellipsis, ellipsis}), IndexError);
  CHECK_THROWS_AS(x({range(0, 2, 0)}), IndexError);
  CHECK_THROWS_AS(x.reshape({4, -1}), ShapeError);
  CHECK_THROWS_AS(x.reshape({-1, -1}), ShapeError);
  CHECK_THROWS_AS(transpose(x, {0, 0}), IndexError);
  CHECK_THROWS_AS(transpose(x, {0}), IndexError);
  CHECK_THROWS_AS(static_cast<void>(double(x)), ShapeError);
  CHECK_THROWS_AS(x.item(), ShapeError);
  CHECK_THROWS_AS(DArray()[{0}], IndexError);
  DArray nine(make_ddim({1, 1, 1, 1, 1, 1, 1, 1, 1}), DType::int8);
  CHECK_THROWS_AS(nine({newaxis}), ShapeError);
}

TEST_CASE("an array that only reads is seen as one, and cannot be written") {
  Array<float, 1> a = ones<float>(3);
  const Array<const float, 1> reads = a;
  DArray d = reads;
  CHECK(d.is_read_only());
  CHECK_THROWS_AS(d({all}) = 1.f, DTypeError);
  CHECK_THROWS_AS(d[{0}] = 1.f, DTypeError);
  CHECK_THROWS_AS(d += 1.f, DTypeError);
  CHECK(float(DArray(d + 1)[{0}]) == 2.f);
  CHECK(to_string(d) == "[1. 1. 1.]");
  d = a;
  CHECK(!d.is_read_only());
  CHECK(DArray(a).as_read_only().is_read_only());
}

TEST_CASE("a dynamic array prints as the static one, and converts as cast does") {
  std::mt19937 random(4);
  const Array<float, 3> a = random_array<float>(Dim{2, 3, 4}, random);
  std::ostringstream expected, found;
  expected << a;
  found << DArray(a);
  CHECK(found.str() == expected.str());
  CHECK(to_string(DArray(Array<int, 2>())) == "(no storage)");
  CHECK(is_same(DArray(a).cast(DType::int16), Array<std::int16_t, 3>(cast<std::int16_t>(a))));
  CHECK(is_same(DArray(a).cast(DType::boolean), Array<bool, 3>(cast<bool>(a))));
  CHECK(is_same(DArray(a).cast(DType::float16), Array<float16, 3>(cast<float16>(a))));
}

TEST_CASE("arrays without elements are arrays") {
  DArray empty(make_ddim({0, 3}), DType::float32);
  CHECK(empty.size() == 0);
  empty = empty + 1;
  CHECK(empty.shape() == make_ddim({0, 3}));
  CHECK(double(DArray(sum(empty))) == 0.0);
  CHECK_THROWS_AS(max(empty, 0), ShapeError);
  CHECK(DArray(max(empty, 1)).shape() == make_ddim({0}));
  CHECK(to_string(empty) == "[]");
}

TEST_CASE("memory comes back when the last name is gone, also where an assignment failed") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  {
    DArray x = make_darray({1000}, 1.0);
    DArray y = x({range(0, 10)});
    x = y;
    CHECK_THROWS_AS(x = x + make_darray({3}, 1.0), ShapeError);
    CHECK_THROWS_AS((x = x + make_darray({10}, 1)), DTypeError);
    CHECK(x.size() == 10);
    DArray a = x + 1, b = std::move(a);
    CHECK(b.size() == 10);
  }
  CHECK(memory::used(CpuPlace{}) == before);
}

TEST_CASE("unsigned elements take numbers that they have, and no others") {
  DArray u = zeros(DType::uint64, make_ddim({2}));
  u = 6;
  u({0}) = 7U;
  u[{1}] = std::numeric_limits<std::uint64_t>::max();
  CHECK(to_string(u) == "[                   7 18446744073709551615]");
  CHECK_THROWS_AS(u = -1, DTypeError);
  CHECK_THROWS_AS((u[{0}] = std::int8_t{-1}), DTypeError);
  DArray i = zeros(DType::int64, make_ddim({1}));
  CHECK_THROWS_AS(i = std::numeric_limits<std::uint64_t>::max(), DTypeError);
  i = std::uint64_t{5};
  CHECK(i[{0}] == DValue(std::int64_t{5}));
  DArray b = zeros(DType::uint8, make_ddim({1}));
  CHECK_THROWS_AS(b = 256, DTypeError);
}
