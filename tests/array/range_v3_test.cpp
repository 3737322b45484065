// Tests that range-v3's algorithms and views work on arrays. The only file that includes its headers: they are heavy.
#include <doctest/doctest.h>

#include <range/v3/algorithm/max_element.hpp>
#include <range/v3/algorithm/sort.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/view/chunk.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip.hpp>

#include "support.hpp"
import tessera;

using namespace tessera;

static_assert(ranges::random_access_iterator<ViewIterator<float, 2>>);
static_assert(ranges::random_access_range<const Array<float, 2>> && ranges::random_access_range<ArrayView<float, 2>>);

TEST_CASE("range-v3's algorithms work on strided arrays") {
  const auto a = make_array({{3, 1, 2}, {9, 7, 8}});
  auto transposed = a.T();
  CHECK(ranges::accumulate(transposed, 0) == 30);
  CHECK(*ranges::max_element(transposed) == 9);
  ranges::sort(transposed);
  CHECK(joined(a) == "1 3 8 2 7 9");
}

TEST_CASE("range-v3's views work on arrays and array views") {
  const auto a = make_array({1, 2, 3, 4, 5});
  const auto back = make_view(a)(range(none, none, -1));
  const auto products =
      ranges::views::zip(a, back) | ranges::views::transform([](auto pair) { return pair.first * pair.second; });
  CHECK(joined(products) == "5 8 9 8 5");
  CHECK(ranges::distance(a | ranges::views::chunk(2)) == 3);
}
