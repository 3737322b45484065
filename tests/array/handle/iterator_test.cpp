// Tests of iteration: the elements of arrays and views are random-access ranges for the standard library.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

static_assert(std::random_access_iterator<ViewIterator<float, 2>> &&
              std::random_access_iterator<ViewIterator<bool, 0>>);
static_assert(!std::contiguous_iterator<ViewIterator<float, 2>> &&
              std::sized_sentinel_for<ViewIterator<int, 3>, ViewIterator<int, 3>>);
static_assert(std::indirectly_writable<ViewIterator<float, 1>, float> && std::sortable<ViewIterator<float, 3>>);
static_assert(std::ranges::random_access_range<Array<float, 2>> &&
              std::ranges::random_access_range<const Array<float, 2, CpuPlace>>);
static_assert(std::ranges::random_access_range<ArrayView<float, 2>> && std::ranges::sized_range<Array<float, 2>>);
static_assert(!std::ranges::range<Array<float, 2, GpuPlace>> && !std::ranges::range<ArrayView<float, 1, GpuPlace>>);
static_assert(std::ranges::borrowed_range<ArrayView<float, 2>> && !std::ranges::borrowed_range<Array<float, 2>>);

// --8<-- [start:algorithms]
TEST_CASE("standard algorithms work on every view") {
  auto a = make_array({{3, 1, 2}, {9, 7, 8}});
  std::ranges::sort(a(1));
  CHECK(to_string(a) == "[[3 1 2]\n [7 8 9]]");
  std::ranges::sort(a.T()(0), std::greater{});
  CHECK(to_string(a) == "[[7 1 2]\n [3 8 9]]");
  CHECK(std::accumulate(a.begin(), a.end(), 0) == 30);
  CHECK(std::ranges::count_if(a, [](int x) { return x > 5; }) == 3);
}
// --8<-- [end:algorithms]

TEST_CASE("iteration follows the row-major order of the view, not of memory") {
  const auto a = reshape(arange(0, 6), 2, 3);
  CHECK(joined(a.T()) == "0 3 1 4 2 5");
  CHECK(joined(a(all, range(none, none, -1))) == "2 1 0 5 4 3");
  CHECK(joined(broadcast_to(a(0), Dim{2, 3})) == "0 1 2 0 1 2");
  CHECK(joined(a(1, 2, ellipsis)) == "5");
  CHECK(joined(Array<int, 2>(Dim{3, 0})).empty());
  CHECK(joined(Array<int, 0>()).empty());
}

TEST_CASE("an iterator moves by any distance, on contiguous and strided elements") {
  const auto a = reshape(arange(0, 60), 3, 4, 5);
  for (const auto& view : {a, transpose(a, {2, 0, 1}), a(range(none, none, -1), all, range(0, 5, 2))}) {
    const auto elements = elements_of(view);
    const auto first = view.begin();
    const std::ptrdiff_t count = view.size();
    CHECK(view.end() - first == count);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const std::ptrdiff_t back = count - i;
      CHECK(first[i] == elements[static_cast<std::size_t>(i)]);
      CHECK(*(first + i) == *(view.end() - back));
      CHECK(i + first == view.end() - back);
    }
  }
}

TEST_CASE("iterators step, compare and are default-constructible") {
  const auto a = make_array({5, 6, 7});
  auto it = a.begin();
  CHECK(*it++ == 5);
  CHECK(*it-- == 6);
  CHECK(*++it == 6);
  CHECK(*--it == 5);
  it += 2;
  CHECK(*it == 7);
  it -= 1;
  CHECK(it > a.begin());
  CHECK(it < a.end());
  CHECK(it.operator->() == a.data() + 1);
  CHECK(ViewIterator<int, 1>() == ViewIterator<int, 1>());
}

TEST_CASE("std::sort sorts strided elements as it sorts a vector") {
  for_each_seed(200, [](Chance chance) {
    Array<int, 2> a(Dim{chance.between(1, 9), chance.between(1, 9)});
    for (int& element : a) element = static_cast<int>(chance.between(-20, 20));
    auto view = chance.one_in(2) ? a.T() : a(range(none, none, -2), range(none, none, 2));
    std::vector<int> expected = elements_of(view);
    std::sort(expected.begin(), expected.end());
    std::sort(view.begin(), view.end());
    CHECK(joined(view) == joined(expected));
  });
}

TEST_CASE("standard views compose over arrays") {
  auto a = reshape(arange(0, 12), 3, 4);
  auto odd = a.T() | std::views::filter([](int x) { return x % 2 == 1; }) |
             std::views::transform([](int x) { return x * 10; });
  CHECK(joined(odd) == "10 50 90 30 70 110");
  CHECK(joined(make_view(a)(1) | std::views::reverse | std::views::take(2)) == "7 6");
}

TEST_CASE("an iterator found in a view outlives the view") {
  int memory[] = {4, 8, 15};
  const auto found = std::ranges::find(make_view(memory, Dim<1>{3}), 8);
  CHECK(found.operator->() == memory + 1);
}

TEST_CASE("elements can be written through iterators") {
  Array<float, 2> a = zeros<float>(Dim{2, 3});
  std::iota(a.T().begin(), a.T().end(), 1.0f);
  CHECK(joined(a) == "1 3 5 2 4 6");
}

TEST_CASE("elements of a device cannot be iterated over from the host") {
  float memory[2] = {};
  const auto on_device = borrow(memory, Dim<1>{2}, Place(GpuPlace{0}));
  CHECK_THROWS_WITH_AS(on_device.begin(),
                       "begin: the elements are on gpu:0, which the host cannot read; copy them with to(CpuPlace{})",
                       PlaceError);
  CHECK_THROWS_AS(on_device.end(), PlaceError);
}
