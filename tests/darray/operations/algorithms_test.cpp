// Tests of sorting, running sums and picking of dynamic arrays, against the static functions.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support.hpp"

using namespace tessera;
using namespace darrays;

namespace {

template <class T>
void check_ordered(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{6, 5, 7}, random);
  const DArray x = a, turned = transpose(x, {2, 0, 1});
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(sort(x), sort(a)));
  CHECK(is_same(sort(x, 0), sort<0>(a)));
  CHECK(is_same(sort(x, 1, descending), sort<1>(a, descending)));
  CHECK(is_same(sort(turned, -2), sort<-2>(transpose(a, {2, 0, 1}))));
  CHECK(is_same(argsort(x, 0), argsort<0>(a)));
  CHECK(is_same(argsort(x, descending), argsort(a, descending)));
  CHECK(sort(x, 0).is_contiguous());
}

template <class T>
void check_scanned(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{6, 5, 7}, random);
  const DArray x = a;
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(cumulative_sum(x, 0), cumulative_sum<0>(a)));
  CHECK(is_same(cumulative_sum(x, -1), cumulative_sum<-1>(a)));
  CHECK(is_same(cumulative_prod(x, 1), cumulative_prod<1>(a)));
  CHECK(is_same(cumulative_sum(x({0, 0})), cumulative_sum(a(0, 0))));
}

template <class T>
void check_picked(std::mt19937& random) {
  const Array<T, 3> a = random_array<T>(Dim{6, 5, 7}, random);
  const DArray x = a;
  const Array<std::int64_t, 1> rows{5, 0, -1, 3, 3};
  CAPTURE(name(dtype_of<T>));
  CHECK(is_same(take(x, DArray(rows)), take(a, rows)));
  CHECK(is_same(take(x, cast<std::int8_t>(rows)), take(a, rows)));
  CHECK(is_same(take(a, DArray(rows), 2), evaluate(moveaxis(take(moveaxis(a, 2, 0), rows), 0, 2))));
  CHECK(is_same(take(x.as_read_only(), rows, -3), take(a, rows)));
  const Array<bool, 3> mask = random_array<bool>(Dim{6, 5, 7}, random);
  CHECK(is_same(compress(DArray(mask), x), compress(mask, a)));
  CHECK(is_same(compress(mask, x.as_read_only()), compress(mask, a)));
  CHECK(is_same(compress(DArray(mask).T(), x.T()), compress(mask.T(), a.T())));
}

template <class T>
void check_all(std::mt19937& random) {
  if constexpr (!Complex<T>) check_ordered<T>(random);
  check_scanned<T>(random);
  check_picked<T>(random);
}

}  // namespace

TEST_CASE("algorithms along axes give what those of static arrays give") {
  std::mt19937 random(35);
  check_all<bool>(random);
  check_all<std::int32_t>(random);
  check_all<std::uint64_t>(random);
  check_all<bfloat16>(random);
  check_all<float>(random);
  check_all<std::complex<double>>(random);
}

TEST_CASE("algorithms write to an array that is there, also to their operand") {
  DArray x = make_darray({{3.0, 1.0, 2.0}, {6.0, 5.0, 4.0}}), to = zeros(DType::float64, make_ddim({2, 3}));
  sort_into(to, x);
  CHECK(to_string(to) == to_string(sort(x)));
  sort_into(to.T(), -x.T(), 0, descending);
  CHECK(to_string(to) == to_string(sort(-x, -1, descending)));
  cumulative_sum_into(to, x, 0);
  CHECK(to_string(to) == to_string(cumulative_sum(x, 0)));
  cumulative_prod_into(to, to, 1);
  CHECK(to_string(to) == to_string(cumulative_prod(cumulative_sum(x, 0), 1)));
  const DArray positions = zeros(DType::int64, make_ddim({2, 3}));
  argsort_into(positions, x, descending);
  CHECK(to_string(positions) == to_string(argsort(x, -1, descending)));
  take_into(to({all, range(0, 2)}), x, make_darray({2, 0}), 1);
  CHECK(to_string(to({all, range(0, 2)})) == to_string(take(x, make_darray({2, 0}), 1)));
  const DArray three = zeros(DType::float64, make_ddim({3}));
  compress_into(three, x > 3, x);
  CHECK(to_string(three) == "[6. 5. 4.]");
  sort_into(x, x);
  CHECK(to_string(x({0})) == "[1. 2. 3.]");
}

TEST_CASE("an array that does not take the results is left as it was") {
  const DArray x = make_darray({3.0, 1.0, 2.0}), ones3 = make_darray({3}, 1.0), ones2 = make_darray({2}, 1.0),
               floats = make_darray({3}, 1.f);
  CHECK_THROWS_WITH_AS(sort_into(floats, x),
                       doctest::Contains("the results are float64, the array that takes them has float32"), DTypeError);
  CHECK_THROWS_WITH_AS(sort_into(ones2, x), doctest::Contains("(3,), the array that takes them has (2,)"), ShapeError);
  CHECK_THROWS_AS(argsort_into(ones3, x), DTypeError);
  CHECK_THROWS_AS(sort_into(ones3.as_read_only(), x), DTypeError);
  CHECK_THROWS_AS(cumulative_sum_into(ones2, x), ShapeError);
  CHECK_THROWS_AS(take_into(ones2, x, make_darray({0, 3})), IndexError);
  CHECK_THROWS_AS(take_into(ones3, x, make_darray({0, 2})), ShapeError);
  CHECK_THROWS_AS(compress_into(ones3, x > 1, x), ShapeError);
  CHECK_THROWS_AS(compress_into(make_darray({1, 2}, 1.0), x > 1, x), ShapeError);
  CHECK_THROWS_AS(compress_into(floats, x > 0, x), DTypeError);
  CHECK(to_string(ones3) == "[1. 1. 1.]");
  CHECK(to_string(ones2) == "[1. 1.]");
}

TEST_CASE("algorithms take expressions, and vectors need no axis") {
  const DArray x = make_darray({3.0, NAN, -1.0});
  CHECK(to_string(sort(x * 2)) == "[-2.  6. nan]");
  CHECK(to_string(cumulative_sum(make_darray({1, 2, 3}))) == "[1 3 6]");
  CHECK(cumulative_sum(make_darray({1, 2, 3})).dtype() == DType::int64);
  CHECK(to_string(compress(x > 0, x)) == "[3.]");
  CHECK(to_string(take(x, argsort(x))) == "[-1.  3. nan]");
  CHECK(sort(zeros(DType::int8, make_ddim({0, 3}))).shape() == make_ddim({0, 3}));
  CHECK(take(x, zeros(DType::int64, make_ddim({0}))).size() == 0);
}

TEST_CASE("what algorithms do not take is said") {
  const DArray x = zeros(DType::complex64, make_ddim({2, 3}));
  CHECK_THROWS_WITH_AS(partition(x, 0), doctest::Contains("complex64, it takes elements that have an order"),
                       DTypeError);
  CHECK_THROWS_AS(sort(real(x), 2), IndexError);
  CHECK_THROWS_AS(sort(zeros(DType::float32, make_ddim({}))), IndexError);
  CHECK_THROWS_WITH_AS(cumulative_sum(x),
                       doctest::Contains("cumulative_sum: the array has the shape (2, 3); name the one axis"),
                       ShapeError);
  CHECK_THROWS_AS(cumulative_prod(x, -3), IndexError);
  CHECK_THROWS_WITH_AS(take(x, make_darray({0.5})), doctest::Contains("indices that are integers"), DTypeError);
  CHECK_THROWS_WITH_AS(take(x, make_darray({{0, 1}})), doctest::Contains("(1, 2)"), ShapeError);
  CHECK_THROWS_WITH_AS(take(x, make_darray({0, 2})), doctest::Contains("index 2 at position 1"), IndexError);
  CHECK_THROWS_WITH_AS(take(x, make_darray({0, 3}), 1), doctest::Contains("extent 3"), IndexError);
  CHECK_THROWS_AS(flip(x, (std::int64_t{1} << 32) + 1), IndexError);
  CHECK_THROWS_AS(sum(x, std::size_t(-1)), IndexError);
  const DArray huge = make_darray(std::vector<std::uint64_t>{18446744073709551615U});
  CHECK_THROWS_WITH_AS(take(x, huge), doctest::Contains("18446744073709551615"), IndexError);
  CHECK_THROWS_WITH_AS(compress(real(x), x), doctest::Contains("a mask of bool"), DTypeError);
  CHECK_THROWS_WITH_AS(compress(real(x({0})) > 0, x), doctest::Contains("(3,)"), ShapeError);
}
