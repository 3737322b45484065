// Tests of vectors whose first values lie within the object.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;
using Few = core::SmallVector<int, 4>;

namespace {

bool lies_within(const Few& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(&values);
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return first >= begin && first < begin + sizeof values;
}

std::vector<int> values_of(const Few& values) { return {values.begin(), values.end()}; }

Few counted(int count) {
  Few values;
  for (int k = 0; k < count; ++k) values.push_back(k);
  return values;
}

std::vector<int> numbers(int count) {
  std::vector<int> values;
  for (int k = 0; k < count; ++k) values.push_back(k);
  return values;
}

}  // namespace

TEST_CASE("a few values lie within the vector, and more of them elsewhere") {
  for (const int count : {0, 1, 3, 4, 5, 8, 9, 100}) {
    const Few values = counted(count);
    CHECK(values_of(values) == numbers(count));
    CHECK(lies_within(values) == (count <= 4));
    CHECK(values.size() == static_cast<std::size_t>(count));
    CHECK(values.empty() == (count == 0));
    if (count == 0) continue;
    CHECK(values.front() == 0);
    CHECK(values.back() == count - 1);
  }
}

TEST_CASE("copies have values of their own, and what was moved from is empty") {
  for (const int count : {0, 2, 4, 5, 50}) {
    Few values = counted(count);
    Few copied = values;
    CHECK(copied == values);
    if (count > 0) copied[0] = 7;
    CHECK(values_of(values) == numbers(count));
    Few moved = std::move(values);
    CHECK(values_of(moved) == numbers(count));
    CHECK(values.empty());  // NOLINT(bugprone-use-after-move): that is what is said
    values = counted(3);
    CHECK(values_of(values) == numbers(3));
    for (const int before : {0, 3, 20}) {
      Few target = counted(before);
      target = moved;
      CHECK(values_of(target) == numbers(count));
      Few other = counted(before);
      other = std::move(target);
      CHECK(values_of(other) == numbers(count));
    }
    Few& same = moved;
    moved = same;
    CHECK(values_of(moved) == numbers(count));
  }
}

TEST_CASE("a vector is resized, filled and extended") {
  Few values(3, 9);
  CHECK(values_of(values) == std::vector<int>{9, 9, 9});
  values.resize(6);
  CHECK(values_of(values) == std::vector<int>{9, 9, 9, 0, 0, 0});
  values.resize(2);
  CHECK(values_of(values) == std::vector<int>{9, 9});
  const std::vector<int> more = numbers(10);
  values.append(more.data(), more.size());
  CHECK(values.size() == 12);
  CHECK(values[2] == 0);
  CHECK(values.back() == 9);
  values.clear();
  CHECK(values.empty());
  CHECK(Few{1, 2, 3} == std::as_const(values = Few{1, 2, 3}));
  CHECK_FALSE(Few{1, 2} == Few{1, 2, 3});
  CHECK_FALSE(Few{1, 2} == Few{1, 3});
}

TEST_CASE("a value of the vector itself can be added when there is no room") {
  Few values{1, 2, 3, 4};
  values.push_back(values.front());
  CHECK(values_of(values) == std::vector<int>{1, 2, 3, 4, 1});
}

TEST_CASE("a vector is seen as a span") {
  const Few values = counted(6);
  const std::span<const int> seen = values;
  CHECK(seen.size() == 6);
  CHECK(seen[5] == 5);
}
