// Tests that dynamic arrays meet std::ranges, std::span and range-v3 through the static arrays that they hold.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/view/stride.hpp>
#include <ranges>
#include <span>

import tessera;

using namespace tessera;

TEST_CASE("docs/darray.md: ranges") {
  // --8<-- [start:ranges]
  DArray x = make_darray({{3.0, 1.0, 2.0}, {9.0, 7.0, 8.0}});
  auto& matrix = get<Array<double, 2>>(x);  // a range of its elements, row by row, strided or not
  std::ranges::sort(matrix);
  const double all_of_it = ranges::accumulate(matrix, 0.0);  // range-v3's

  const auto count = visit(  // of whatever type and rank it is
      []<class A>(const A& array) { return std::ranges::count(array, static_cast<typename A::value_type>(2)); }, x);

  if (x.is_contiguous()) std::ranges::fill(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())), 0.5);
  // --8<-- [end:ranges]
  CHECK(all_of_it == 30);
  CHECK(count == 1);
  CHECK(to_string(x) == "[[0.5 0.5 0.5]\n [0.5 0.5 0.5]]");
}

TEST_CASE("views of a dynamic array are ranges in their own order") {
  const DArray x = arange(DType::int32, 0, 12).reshape({3, 4});
  const DArray part = x.T()({range(none, none, -2), 1});
  const auto& column = get<Array<std::int32_t, 1>>(part);
  CHECK(std::ranges::equal(column, std::array{7, 5}));
  const DArray flat = x.flatten();
  CHECK(ranges::accumulate(get<Array<std::int32_t, 1>>(flat) | ranges::views::stride(5), 0) == 0 + 5 + 10);
}
