// Footprints of views: what overlaps, what covers what, against sets of bytes.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

import tessera.core;
import tessera.array;

using namespace tessera;

namespace {

/// A view in some memory, with its bytes one by one.
struct Sample {
  std::vector<std::ptrdiff_t> shape, strides;
  std::ptrdiff_t offset = 0, item = 1;
  std::set<std::ptrdiff_t> bytes;

  storage::Footprint footprint(const std::byte* memory) const {
    return storage::Footprint({.data = memory + offset, .shape = shape, .strides = strides, .item = item});
  }
};

constexpr std::ptrdiff_t memory_size = 400;

Sample random_sample(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  Sample sample;
  sample.item = 1 << pick(0, 2);
  constexpr std::array<int, 8> usual{1, 2, 3, 4, 6, 12, 24, 48};
  std::ptrdiff_t low = 0, high = 0;
  for (int axis = pick(0, 4); axis > 0; --axis) {
    const std::ptrdiff_t extent = pick(0, 20) == 0 ? 0 : pick(1, 6);
    const std::ptrdiff_t stride = (pick(0, 3) == 0 ? -1 : 1) * usual[static_cast<std::size_t>(pick(0, 7))];
    const std::ptrdiff_t reach = stride * sample.item * (extent - 1);
    if (extent > 0 && high - low + (reach < 0 ? -reach : reach) + sample.item > memory_size) continue;
    if (extent > 0) (reach < 0 ? low : high) += reach;
    sample.shape.push_back(extent);
    sample.strides.push_back(stride);
  }
  sample.offset = -low + pick(0, static_cast<int>(memory_size - sample.item - (high - low)));
  std::vector<std::ptrdiff_t> starts{sample.offset};
  for (std::size_t axis = 0; axis < sample.shape.size(); ++axis) {
    std::vector<std::ptrdiff_t> next;
    for (const std::ptrdiff_t start : starts) {
      for (std::ptrdiff_t i = 0; i < sample.shape[axis]; ++i)
        next.push_back(start + i * sample.strides[axis] * sample.item);
    }
    starts = next;
  }
  for (const std::ptrdiff_t start : starts) {
    for (std::ptrdiff_t byte = 0; byte < sample.item; ++byte) sample.bytes.insert(start + byte);
  }
  return sample;
}

bool includes(const std::set<std::ptrdiff_t>& all, const std::set<std::ptrdiff_t>& part) {
  for (const std::ptrdiff_t byte : part) {
    if (!all.contains(byte)) return false;
  }
  return true;
}

bool meet(const std::set<std::ptrdiff_t>& a, const std::set<std::ptrdiff_t>& b) {
  for (const std::ptrdiff_t byte : a) {
    if (b.contains(byte)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("footprints overlap where views share bytes, and prove it where they do not") {
  const std::vector<std::byte> memory(memory_size);
  std::mt19937 random(7);
  int disjoint = 0, unproven = 0, covered = 0, uncovered = 0;
  for (int i = 0; i < 20000; ++i) {
    const Sample a = random_sample(random), b = random_sample(random);
    CAPTURE(i);
    const storage::Footprint of_a = a.footprint(memory.data()), of_b = b.footprint(memory.data());
    const bool share = meet(a.bytes, b.bytes);
    if (share) REQUIRE(of_a.overlaps(of_b));
    REQUIRE(of_a.overlaps(of_b) == of_b.overlaps(of_a));
    disjoint += share ? 0 : 1;
    unproven += !share && of_a.overlaps(of_b) ? 1 : 0;
    if (of_a == of_b) REQUIRE(a.bytes == b.bytes);
    const bool is_within = includes(a.bytes, b.bytes);
    if (of_a.covers(of_b)) REQUIRE(is_within);
    covered += is_within && of_a.covers(of_b) ? 1 : 0;
    uncovered += is_within && !of_a.covers(of_b) ? 1 : 0;
    REQUIRE(of_a.covers(of_a));
    REQUIRE(of_a.is_empty() == a.bytes.empty());
  }
  CHECK(disjoint > 3000);
  CHECK(unproven == 0);
  CHECK(covered > 1000);
  CHECK(uncovered < covered / 10);  // covers() is a sufficient test
}

TEST_CASE("the footprint of a view does not depend on the order of its axes or their directions") {
  const Array<float, 2> a(Dim{6, 8});
  const auto of = [](const auto& view) {
    return storage::Footprint(
        {.data = view.data(), .shape = view.shape().extents(), .strides = view.strides(), .item = 4});
  };
  CHECK(of(a) == of(a.T()));
  CHECK(of(a) == of(a(range(none, none, -1), range(none, none, -1))));
  CHECK(of(a(range(0, 3), range(2, 4))) == of(a(range(2, none, -1), range(2, 4)).T()));
  CHECK(of(a(range(0, 3), all)) == of(reshape(a, Dim{48})(range(0, 24))));
  CHECK(!(of(a(range(0, 3), range(2, 4))) == of(a(range(0, 3), range(2, 5)))));
}

TEST_CASE("a view of more axes than can be looked at counts as all bytes between its ends") {
  std::vector<std::ptrdiff_t> shape(20, 2), strides(20);
  for (std::size_t axis = 0; axis < strides.size(); ++axis) strides[axis] = std::ptrdiff_t{1} << (2 * axis);
  const std::vector<std::byte> memory(16);
  const storage::Footprint many({.data = memory.data(), .shape = shape, .strides = strides, .item = 1});
  CHECK(!many.is_exact());
  const std::ptrdiff_t one = 1;
  const storage::Footprint between({.data = memory.data() + 2, .shape = {&one, 1}, .strides = {&one, 1}, .item = 1});
  CHECK(many.overlaps(between));
  CHECK(!many.covers(between));
}
