// The examples of the page on searching, sets and counts.
#include "../../expr/support.hpp"

using namespace tessera;

TEST_CASE("the page's searching is as it says") {
  // --8<-- [start:search]
  const auto sorted = make_array(std::vector{1.0f, 3.0f, 3.0f, 7.0f});
  const auto values = make_array(std::vector{0.0f, 3.0f, 9.0f});
  const auto left = searchsorted(sorted, values);                      // 0 1 4
  const auto right = searchsorted(sorted, values, SearchSide::right);  // 0 3 4
  const auto bins = digitize(values, sorted);                          // 0 3 4: of [1, 3), [3, 3), [3, 7)
  const auto known = isin(values, sorted);                             // false true false
  // --8<-- [end:search]
  CHECK(to_string(left) == "[0 1 4]");
  CHECK(to_string(right) == "[0 3 4]");
  CHECK(to_string(bins) == "[0 3 4]");
  CHECK(to_string(known) == "[False  True False]");
}

TEST_CASE("the page's sets are as it says") {
  // --8<-- [start:sets]
  const auto x = make_array(std::vector{5, 1, 3, 1, 5});
  const auto values = unique(x);  // 1 3 5
  const auto found = unique_all(x);
  // found.indices 1 2 0, found.inverse 2 0 1 0 2, found.counts 2 1 2
  const auto again = take(found.values, found.inverse);  // as x
  const Array<int, 2> m = make_array({{1, 0}, {1, 0}, {0, 9}});
  const auto rows = unique<0>(m);  // rows.values 0 9 / 1 0
  const auto y = make_array(std::vector{3, 4, 5});
  const auto both = intersect1d(x, y);      // 3 5
  const auto all_of_them = union1d(x, y);   // 1 3 4 5
  const auto only_x = setdiff1d(x, y);      // 1
  const auto one_of_them = setxor1d(x, y);  // 1 4
  // --8<-- [end:sets]
  CHECK(to_string(values) == "[1 3 5]");
  CHECK(to_string(found.indices) == "[1 2 0]");
  CHECK(to_string(found.inverse) == "[2 0 1 0 2]");
  CHECK(to_string(found.counts) == "[2 1 2]");
  CHECK(array_equal(again, x));
  CHECK(to_string(rows.values) == "[[0 9]\n [1 0]]");
  CHECK(to_string(both) == "[3 5]");
  CHECK(to_string(all_of_them) == "[1 3 4 5]");
  CHECK(to_string(only_x) == "[1]");
  CHECK(to_string(one_of_them) == "[1 4]");
}

TEST_CASE("the page's counts are as it says") {
  // --8<-- [start:counts]
  const auto labels = make_array(std::vector{0, 2, 2, 5});
  const auto weights = make_array(std::vector{0.5, 1.0, 2.0, 4.0});
  const auto counts = bincount(labels);         // 1 0 2 0 0 1
  const auto sums = bincount(labels, weights);  // 0.5 0 3 0 0 4
  const auto x = make_array(std::vector{0.0, 0.5, 1.0, 1.5, 2.0, 9.0});
  const auto in_bins = histogram(x, 2, {0, 2});                                // counts 2 3, edges 0 1 2: 9 is in none
  const auto density = in_bins.density();                                      // 0.4 0.6
  const auto between = histogram(x, make_array(std::vector{0.0, 1.0, 10.0}));  // counts 2 4
  const Array<float, 2> rows = make_array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const auto groups = segment_sum(rows, make_array(std::vector{1, 0, 1}), 3);  // 3 4 / 6 8 / 0 0
  // --8<-- [end:counts]
  CHECK(to_string(counts) == "[1 0 2 0 0 1]");
  CHECK(to_string(sums) == "[0.5 0.  3.  0.  0.  4. ]");
  CHECK(to_string(in_bins.counts) == "[2 3]");
  CHECK(to_string(density) == "[0.4 0.6]");
  CHECK(to_string(between.counts) == "[2 4]");
  CHECK(to_string(groups) == "[[3. 4.]\n [6. 8.]\n [0. 0.]]");
}

TEST_CASE("the page's partial orders are as it says") {
  // --8<-- [start:partition]
  const auto x = make_array(std::vector{7, 1, 9, 3, 5});
  const auto [largest, where] = top_k(x, 2);             // 9 7, at 2 0
  const auto smallest = top_k(x, 2, TopMode::smallest);  // 1 3, at 1 3
  const auto around = partition(x, 2);                   // 1 3 5 7 9: 5 is where sorting puts it
  const auto order = argpartition(x, 2);                 // 1 3 4 0 2
  // --8<-- [end:partition]
  CHECK(to_string(largest) == "[9 7]");
  CHECK(to_string(where) == "[2 0]");
  CHECK(to_string(smallest.indices) == "[1 3]");
  CHECK(to_string(around) == "[1 3 5 7 9]");
  CHECK(to_string(order) == "[1 3 4 0 2]");
}
