// What reductions mean: axes and keepdims, types of results, empty axes, NaN, first of equals.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Array<float, 3> cube() { return reshape(there(arange(24.0f)), Dim{2, 3, 4}); }

}  // namespace

TEST_CASE("reductions along one axis, several, all; negative axes count from the end") {
  // --8<-- [start:axes]
  const Array<float, 2> a = make_array<float>({{1, 2, 3}, {4, 5, 6}});
  CHECK(array_equal(sum<0>(a), make_array<float>({5, 7, 9})));
  CHECK(array_equal(max<1>(a), make_array<float>({3, 6})));
  CHECK(array_equal(mean<-1>(a, keepdims), make_array<float>({{2}, {5}})));
  CHECK(item(sum(a)) == 21.0f);                    // a reduction of all axes has rank 0; item gives its value
  CHECK(item(argmax(a)) == 5);                     // positions are int64, in row-major order
  const Array<float, 2> centred = a - mean<0>(a);  // results broadcast like any operand
  CHECK(array_equal(centred, make_array<float>({{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}})));
  // --8<-- [end:axes]
  CHECK(array_equal(sum<0, 2>(cube()), make_array<float>({60, 92, 124})));
  CHECK(array_equal(sum<-1, 0>(cube()), make_array<float>({60, 92, 124})));
  CHECK(array_equal(sum<1>(cube()), make_array<float>({{12, 15, 18, 21}, {48, 51, 54, 57}})));
  CHECK(array_equal(prod<0, 1, 2>(cube() * 0 + 1), full(Dim<0>{}, 1.0f)));
}

TEST_CASE("keepdims leaves extent 1 where axes were reduced" * doctest::test_suite("any place")) {
  CHECK(sum<1>(cube(), keepdims).shape() == Dim{2, 1, 4});
  CHECK(min<0, 2>(cube(), keepdims).shape() == Dim{1, 3, 1});
  CHECK(max(cube(), keepdims).shape() == Dim{1, 1, 1});
  CHECK(argmin<-1>(cube(), keepdims).shape() == Dim{2, 3, 1});
  CHECK(evaluate(mean(cube(), keepdims))[{0, 0, 0}] == 11.5f);
  CHECK(evaluate(argmax(cube(), keepdims))[{0, 0, 0}] == 23);
}

TEST_CASE("bool and integers are summed in 64 bits") {
  static_assert(std::same_as<decltype(sum(std::declval<Array<bool, 1>>()))::value_type, std::int64_t>);
  static_assert(std::same_as<decltype(sum(std::declval<Array<std::int8_t, 1>>()))::value_type, std::int64_t>);
  static_assert(std::same_as<decltype(prod(std::declval<Array<std::uint16_t, 1>>()))::value_type, std::uint64_t>);
  static_assert(std::same_as<decltype(max(std::declval<Array<std::int8_t, 1>>()))::value_type, std::int8_t>);
  static_assert(std::same_as<decltype(sum(std::declval<Array<float16, 1>>()))::value_type, float16>);
  CHECK(item(sum(full(Dim{1000}, std::int8_t{-128}))) == -128000);
  CHECK(item(sum(full(Dim{100000}, std::uint8_t{255}))) == 25500000u);
  CHECK(item(sum(full(Dim{100000}, true))) == 100000);
  CHECK(item(sum(full(Dim{3}, std::numeric_limits<std::int32_t>::max()))) == 3 * std::int64_t{2147483647});
  CHECK(item(prod(full(Dim{40}, std::int8_t{2}))) == std::int64_t{1} << 40);
  CHECK(item(sum(full(Dim{2}, std::numeric_limits<std::int64_t>::max()))) == -2);  // wraps
}

TEST_CASE("16-bit floats are accumulated in float" * doctest::test_suite("any place")) {
  CHECK(float(item(sum(there(full(Dim{4096}, float16(1.0f)))))) == 4096.0f);  // in float16 the sum stops at 2048
  CHECK(float(item(sum(there(full(Dim{1024}, bfloat16(1.0f)))))) == 1024.0f);
  CHECK(item(mean(there(full(Dim{100000}, float16(3.0f))))) ==
        float16(3.0f));  // the sum itself is above the largest float16
}

TEST_CASE("the sum of nothing is 0, the product 1; other reductions of nothing are an error" *
          doctest::test_suite("any place")) {
  const Array<float, 2> empty = there(zeros<float>(Dim{3, 0}));
  CHECK(array_equal(sum<1>(empty), there(zeros<float>(Dim{3}))));
  CHECK(array_equal(prod<1>(empty), there(ones<float>(Dim{3}))));
  CHECK(item(sum(empty)) == 0.0f);
  CHECK(item(sum(there(zeros<std::int32_t>(Dim{0})))) == 0);
  CHECK(evaluate(max<0>(empty)).shape() == Dim<1>{0});  // no results, so nothing is missing
  CHECK(message_of<ShapeError>([&] { max<1>(empty); }) ==
        "max: axis 1 of the shape (3, 0) has no elements; there is no result over nothing");
  CHECK(contains(message_of<ShapeError>([&] { min(empty); }), "min: axis 1 of the shape (3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { argmax<1>(empty); }), "argmax: axis 1 of the shape (3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { argmin(empty); }), "argmin: axis 1 of the shape (3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { mean<1>(empty); }), "mean: axis 1 of the shape (3, 0) has no elements"));
  CHECK(contains(message_of<ShapeError>([&] { var<1>(empty); }), "(3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { softmax<1>(empty); }), "(3, 0)"));
  CHECK(contains(message_of<ShapeError>([&] { logsumexp<1>(empty, keepdims); }), "(3, 0)"));
}

TEST_CASE("NaN goes through min, max and their positions; the first one wins" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {5, 100, 3000, 300000}) {
    CAPTURE(n);
    Array<float, 1> a = there(arange(static_cast<float>(n)));
    const std::ptrdiff_t first = n / 2;
    a[{first}] = not_a_number;
    a[{n - 1}] = not_a_number;
    CHECK(std::isnan(item(max(a))));
    CHECK(std::isnan(item(min(a))));
    CHECK(std::isnan(item(sum(a))));
    CHECK(item(argmax(a)) == first);
    CHECK(item(argmin(a)) == first);
    const Array<float, 2> columns = broadcast_to(reshape(a, Dim{n, 1}), Dim{n, 3});
    CHECK(array_equal(argmax<0>(columns), there(full(Dim{3}, std::int64_t{first}))));
    CHECK(item(sum(isnan(max<0>(columns)))) == 3);
  }
}

TEST_CASE("infinities and extreme values are found" * doctest::test_suite("any place")) {
  CHECK(item(max(there(full(Dim{100}, -infinity)))) == -infinity);
  CHECK(item(argmax(there(full(Dim{100}, -infinity)))) == 0);
  CHECK(item(min(there(full(Dim{100}, infinity)))) == infinity);
  CHECK(item(argmin(there(full(Dim{2000}, infinity)))) == 0);
  CHECK(item(max(there(full(Dim{100}, std::numeric_limits<std::int8_t>::min())))) == -128);
  CHECK(item(min(there(full(Dim{100}, std::numeric_limits<std::uint64_t>::max())))) ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(item(max(there(make_array<bool>({false, true})))) == true);
  CHECK(item(min(there(make_array<bool>({true, true})))) == true);
}

TEST_CASE("of equal elements argmin and argmax give the first" * doctest::test_suite("any place")) {
  for (const std::ptrdiff_t n : {2, 130, 5000, 300000}) {
    CAPTURE(n);
    Array<std::int32_t, 1> a = there(full(Dim<1>{n}, 7));
    CHECK(item(argmax(a)) == 0);
    a[{n / 3}] = 9;
    a[{n - 1}] = 9;
    CHECK(item(argmax(a)) == (n == 2 ? 0 : n / 3));
    CHECK(array_equal(argmin<0>(broadcast_to(reshape(evaluate(-a), Dim{n, 1}), Dim{n, 2})),
                      there(full(Dim{2}, std::int64_t{n == 2 ? 0 : n / 3}))));
  }
}
