// The examples of the page on sorting, scanning and picking.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

import tessera;

using namespace tessera;

TEST_CASE("the page's sorting is as it says") {
  // --8<-- [start:sort]
  const auto x = make_array(std::vector{3.0f, NAN, -1.0f, 2.0f, -1.0f});
  const auto ascending = sort(x);            // -1 -1 2 3 nan
  const auto largest = sort(x, descending);  // 3 2 -1 -1 nan
  const auto order = argsort(x);             // 2 4 3 0 1: equal elements keep their order
  const auto again = take(x, order);         // as `ascending`
  const Array<int, 2> m = make_array({{3, 1, 2}, {0, 5, 4}});
  const auto rows = sort(m);        // 1 2 3 / 0 4 5
  const auto columns = sort<0>(m);  // 0 1 2 / 3 5 4
  sort_into(m, m);                  // in place
  Array<std::int64_t, 1> worst = zeros<std::int64_t>(Dim{5});
  argsort_into(worst, x, descending);  // 0 3 2 4 1
  // --8<-- [end:sort]
  CHECK(array_equal(ascending(range(4)), make_array(std::vector{-1.0f, -1.0f, 2.0f, 3.0f})));
  CHECK(array_equal(largest(range(4)), make_array(std::vector{3.0f, 2.0f, -1.0f, -1.0f})));
  CHECK(std::isnan(static_cast<float>(largest[{4}])));
  CHECK(array_equal(order, make_array(std::vector<std::int64_t>{2, 4, 3, 0, 1})));
  CHECK(array_equal(again(range(4)), ascending(range(4))));
  CHECK(array_equal(rows, make_array({{1, 2, 3}, {0, 4, 5}})));
  CHECK(array_equal(columns, make_array({{0, 1, 2}, {3, 5, 4}})));
  CHECK(array_equal(m, rows));
  CHECK(array_equal(worst, make_array(std::vector<std::int64_t>{0, 3, 2, 4, 1})));
}

TEST_CASE("the page's running sums are as it says") {
  // --8<-- [start:scan]
  const Array<int, 2> m = make_array({{1, 2, 3}, {4, 5, 6}});
  const auto along_rows = cumulative_sum<1>(m);  // 1 3 6 / 4 9 15, of int64
  const auto down = cumulative_sum<0>(m);        // 1 2 3 / 5 7 9
  const auto powers = cumulative_prod(full(Dim{4}, 2.0));
  cumulative_sum_into(powers, powers);  // 2 6 14 30, in place
  Array<std::int64_t, 2> products = zeros<std::int64_t>(Dim{2, 3});
  cumulative_prod_into<1>(products, m);  // 1 2 6 / 4 20 120
  // --8<-- [end:scan]
  CHECK(array_equal(along_rows, make_array<std::int64_t>({{1, 3, 6}, {4, 9, 15}})));
  CHECK(array_equal(down, make_array<std::int64_t>({{1, 2, 3}, {5, 7, 9}})));
  CHECK(array_equal(powers, make_array(std::vector{2.0, 6.0, 14.0, 30.0})));
  CHECK(array_equal(products, make_array<std::int64_t>({{1, 2, 6}, {4, 20, 120}})));
}

TEST_CASE("the page's picking is as it says") {
  // --8<-- [start:compress]
  const auto x = make_array(std::vector{0.5f, -2.0f, 4.0f, -0.25f});
  const auto positive = compress(x > 0, x);                     // 0.5 4
  const auto where = compress(x < 0, arange<std::int64_t>(4));  // 1 3
  Array<float, 1> kept(Dim{item(count_nonzero(x < 0))});
  compress_into(kept, x < 0, x);  // -2 -0.25
  // --8<-- [end:compress]
  CHECK(array_equal(positive, make_array(std::vector{0.5f, 4.0f})));
  CHECK(array_equal(where, make_array(std::vector<std::int64_t>{1, 3})));
  CHECK(array_equal(kept, make_array(std::vector{-2.0f, -0.25f})));
}
