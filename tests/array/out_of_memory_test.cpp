// Tests of sizes that cannot exist and of memory that runs out: everything is then as it was before.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support.hpp"
import tessera;

using namespace tessera;

namespace {

/// While it lives, the CPU's pool has `spare` bytes beyond what is in use.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::ptrdiff_t spare) {
    memory::trim(CpuPlace{});
    memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated + spare);
  }
  ~MemoryLimit() { memory::set_limit(CpuPlace{}, PTRDIFF_MAX); }
};

}  // namespace

TEST_CASE("an element count beyond 63 bits throws before anything is allocated") {
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  const auto make = [](auto shape) { return Array<float, decltype(shape)::rank>(shape); };
  CHECK_THROWS_WITH_AS(
      make(Dim{INT64_MAX, 2}),
      "size arithmetic: 9223372036854775807 x 2 does not fit in 64 bits; the array would be larger than any memory",
      ShapeError);
  CHECK_THROWS_AS(make(Dim{std::int64_t{1} << 32, std::int64_t{1} << 32}), ShapeError);
  CHECK_THROWS_AS(make(Dim{3, INT64_MAX / 2, 2}), ShapeError);
  CHECK_THROWS_AS(make(Dim<1>{-1}), ShapeError);
  CHECK(memory::used(CpuPlace{}) == used);
}

TEST_CASE("a count that fits may still be too many bytes") {
  const auto make = [] { return Array<double, 1>(Dim<1>{INT64_MAX / 4}); };
  CHECK_THROWS_WITH_AS(make(), doctest::Contains("2305843009213693951 x 8 does not fit"), ShapeError);
}

TEST_CASE("bytes that can be counted but not had throw OutOfMemory") {
  const auto make = [] { return Array<double, 1>(Dim<1>{INT64_MAX / 8}); };
  CHECK_THROWS_WITH_AS(make(), doctest::Contains("9223372036854775800 bytes were requested"), OutOfMemory);
}

TEST_CASE("a zero extent makes an empty array, whatever its neighbours are") {
  CHECK(Array<float, 3>(Dim{0, INT64_MAX / 4, 1}).size() == 0);
  const Array<float, 3> empty(Dim{0, INT64_MAX, 3});
  CHECK(empty.size() == 0);
  CHECK(empty.is_contiguous());
  CHECK(empty.T().shape() == Dim{3, INT64_MAX, 0});
  Array<float, 3> sum_of = empty + 1.0f;
  CHECK(sum_of.shape() == empty.shape());
  sum_of = exp(empty.clone());
  CHECK(item(sum(empty)) == 0.0f);
  CHECK(flatten(empty).size() == 0);
}

TEST_CASE("borrowed memory cannot be larger than memory") {
  int mine = 0;
  CHECK_THROWS_AS(borrow(&mine, Dim{INT64_MAX, 2}), ShapeError);
  CHECK_THROWS_AS(borrow(&mine, Dim<1>{INT64_MAX / 2}), ShapeError);
}

TEST_CASE("a broadcast has no more elements than can be counted") {
  const auto one = zeros<float>(Dim{1, 1});
  CHECK(broadcast_to(one, Dim{INT64_MAX, 1}).size() == INT64_MAX);
  CHECK_THROWS_AS(broadcast_to(one, Dim{INT64_MAX, 2}), ShapeError);
  const auto huge = broadcast_to(one, Dim{1 << 30, 1 << 30});
  CHECK_THROWS_WITH_AS(huge.clone(), doctest::Contains("bytes were requested"), OutOfMemory);
}

TEST_CASE("when memory runs out, every array is as it was") {
  Array<int, 1> a = arange(0, 1000), empty;
  Array<int, 1> target = full(Dim<1>{1000}, 7);
  const int* const storage = target.data();
  const std::ptrdiff_t used = memory::used(CpuPlace{});
  {
    const MemoryLimit limit(0);
    CHECK_THROWS_WITH_AS((Array<int, 1>(Dim<1>{1000})), doctest::Contains("4000 bytes were requested"), OutOfMemory);
    CHECK_THROWS_AS(target = a.clone(), OutOfMemory);
    CHECK_THROWS_AS(empty = a + 1, OutOfMemory);
    CHECK_THROWS_AS(zeros<int>(Dim<1>{1000}), OutOfMemory);
    CHECK_THROWS_AS(arange(0, 1000), OutOfMemory);
    CHECK_THROWS_AS(make_array(std::vector<int>(1000)), OutOfMemory);
    CHECK_THROWS_AS(reshape(reshape(a, 10, 100).T(), 1000), OutOfMemory);
    CHECK_THROWS_AS(a = a(range(none, none, -1)) + 0, OutOfMemory);  // overlaps itself: needs a temporary
    CHECK(memory::used(CpuPlace{}) == used);
  }
  CHECK(target.data() == storage);
  CHECK(target[999] == 7);
  CHECK_FALSE(empty.has_storage());
  CHECK(array_equal(a, arange(0, 1000)));
  target = a.clone();
  CHECK(target[999] == 999);
}

TEST_CASE("what needs no memory works when there is none") {
  Array<int, 2> a = reshape(arange(0, 1000), 10, 100);
  const MemoryLimit limit(0);
  a = a * 2 + 1;
  CHECK(a.T()(5, range(none, none, -1))[0] == 2 * 905 + 1);
  CHECK(reshape(a, 20, 50)[{19, 49}] == 1999);
}
