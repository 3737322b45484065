// Tests of Allocation, which owns or borrows a piece of memory.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
import tessera;

using namespace tessera;
using memory::Allocation;

static_assert(std::is_nothrow_default_constructible_v<Allocation> && std::is_nothrow_move_constructible_v<Allocation>);
static_assert(std::is_nothrow_move_assignable_v<Allocation> && !std::is_copy_constructible_v<Allocation> &&
              !std::is_copy_assignable_v<Allocation>);

// --8<-- [start:allocation]
TEST_CASE("an allocation owns memory of a place, or borrows the user's and never frees it") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  {
    const memory::Allocation owned(CpuPlace{}, 100);
    CHECK(owned.owns());
    CHECK(owned.bytes() == 100);
    CHECK(memory::used(CpuPlace{}) == before + 100);

    float mine[4] = {};
    const auto borrowed = memory::Allocation::borrow(mine, sizeof mine, CpuPlace{});
    CHECK(borrowed.data() == mine);
    CHECK(!borrowed.owns());
  }
  CHECK(memory::used(CpuPlace{}) == before);
}
// --8<-- [end:allocation]

TEST_CASE("an allocation without memory is on the CPU and owns nothing") {
  const Allocation none;
  CHECK(none.data() == nullptr);
  CHECK(none.bytes() == 0);
  CHECK(!none.owns());
  CHECK(none.place() == Place(CpuPlace{}));
}

TEST_CASE("moving hands the memory over and leaves nothing behind") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  Allocation first(CpuPlace{}, 100);
  void* data = first.data();
  Allocation second(std::move(first));
  CHECK(second.data() == data);
  CHECK(second.bytes() == 100);
  CHECK(first.data() == nullptr);
  CHECK(first.bytes() == 0);
  CHECK(!first.owns());
  CHECK(memory::used(CpuPlace{}) == before + 100);
}

TEST_CASE("assigning an allocation frees what was held before") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  Allocation held(CpuPlace{}, 1000);
  held = Allocation(CpuPlace{}, 64);
  CHECK(memory::used(CpuPlace{}) == before + 64);
  held = Allocation();
  CHECK(memory::used(CpuPlace{}) == before);
  CHECK(!held.owns());
}

TEST_CASE("assigning an allocation to itself keeps its memory") {
  Allocation held(CpuPlace{}, 64);
  void* data = held.data();
  Allocation& same = held;
  held = std::move(same);
  CHECK(held.data() == data);
  CHECK(held.owns());
}

TEST_CASE("an allocation of zero bytes is an allocation") {
  const Allocation empty(CpuPlace{}, 0);
  CHECK(empty.owns());
  CHECK(empty.bytes() == 0);
}

TEST_CASE("an adopted allocation keeps the owner of its memory until it ends") {
  const auto owner = std::make_shared<std::array<float, 4>>();
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  {
    Allocation adopted = Allocation::adopt(owner->data(), 16, CpuPlace{}, owner);
    CHECK(adopted.data() == owner->data());
    CHECK(!adopted.owns());
    CHECK(owner.use_count() == 2);
    const Allocation moved = std::move(adopted);
    CHECK(owner.use_count() == 2);
    CHECK(moved.bytes() == 16);
  }
  CHECK(owner.use_count() == 1);
  CHECK(memory::used(CpuPlace{}) == before);
  CHECK_THROWS_AS(Allocation::adopt(owner->data(), -1, CpuPlace{}, owner), ShapeError);
  CHECK(owner.use_count() == 1);
}

TEST_CASE("sizes that cannot be are refused, owned or borrowed") {
  CHECK_THROWS_AS(Allocation(CpuPlace{}, -1), ShapeError);
  CHECK_THROWS_AS(Allocation(CpuPlace{}, PTRDIFF_MAX), OutOfMemory);
  CHECK_THROWS_AS(Allocation::borrow(nullptr, -1, CpuPlace{}), ShapeError);
  CHECK(Allocation::borrow(nullptr, 0, GpuPlace{3}).place() == Place(GpuPlace{3}));
}
