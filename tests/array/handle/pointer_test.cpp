// Tests of buffers and of the pointers and references that know their place.
#include <doctest/doctest.h>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <utility>
import tessera;

using namespace tessera;

TEST_CASE("a buffer owns bytes of its place") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  {
    const Buffer buffer(CpuPlace{}, 100);
    CHECK(buffer.bytes() == 100);
    CHECK(buffer.place() == Place(CpuPlace{}));
    CHECK(buffer.owns());
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    CHECK(memory::used(CpuPlace{}) == before + 100);
  }
  CHECK(memory::used(CpuPlace{}) == before);
}

TEST_CASE("a buffer takes over an allocation, borrowed ones too") {
  int memory[4] = {};
  const Buffer buffer(memory::Allocation::borrow(memory, sizeof memory, CpuPlace{}));
  CHECK(buffer.data() == memory);
  CHECK_FALSE(buffer.owns());
}

TEST_CASE("a buffer of a device that does not exist throws") {
  const auto make = [] { Buffer(GpuPlace{device_count()}, 8); };
  CHECK_THROWS_AS(make(), DeviceError);
}

// --8<-- [start:pointer]
TEST_CASE("a placed pointer gets, puts and moves by elements") {
  float values[] = {1, 2, 3};
  const PlacedPointer<float> first(values, CpuPlace{});
  CHECK(first.get() == 1.0f);
  (first + 2).put(7.0f);
  CHECK(values[2] == 7.0f);
  CHECK(first + 1 == PlacedPointer<float>(values + 1, CpuPlace{}));
  CHECK(first.address() == values);
  CHECK_FALSE(first == PlacedPointer<float>(values, PinnedPlace{}));
}

TEST_CASE("an array's pointer is its first element's, at its place") {
  const Array<int, 1> a = arange(0, 5);
  CHECK(a.pointer().get() == 0);
  CHECK(a(range(none, none, -1)).pointer().get() == 4);
  CHECK(a.pointer().place() == Place(CpuPlace{}));
}
// --8<-- [end:pointer]
