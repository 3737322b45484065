// Tests of a place's pool behind the containers of the standard library and behind shared pointers.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
import tessera;

using namespace tessera;

// --8<-- [start:resource]
TEST_CASE("a place's memory serves the containers of std::pmr") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  memory::PlaceResource resource(CpuPlace{});
  {
    std::pmr::vector<double> values(1000, 1.0, &resource);
    CHECK(memory::used(CpuPlace{}) == before + 8000);
    std::pmr::unordered_map<int, std::pmr::string> names(&resource);
    for (int i = 0; i < 100; ++i) names[i] = "a name that is too long to be kept within the string itself";
  }
  CHECK(memory::used(CpuPlace{}) == before);
}
// --8<-- [end:resource]

TEST_CASE("a resource keeps any alignment, equals others of its place, and refuses what cannot be") {
  memory::PlaceResource resource, other;
  for (std::size_t alignment = 1; alignment <= 1 << 20; alignment *= 4) {
    void* pointer = resource.allocate(100, alignment);
    CHECK(reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0);
    other.deallocate(pointer, 100, alignment);
  }
  CHECK(resource == other);
  CHECK(resource != *std::pmr::new_delete_resource());
  CHECK_THROWS_AS((void)resource.allocate(SIZE_MAX), std::bad_alloc);
  for (const std::size_t alignment : {std::size_t{1} << 63, std::size_t{63}, std::size_t{0}, SIZE_MAX})
    CHECK_THROWS_AS((void)resource.allocate(8, alignment), std::bad_alloc);
  CHECK_THROWS_AS(memory::PlaceResource(GpuPlace{99}), DeviceError);
}

// --8<-- [start:bytes]
TEST_CASE("an allocator of bytes for the temporaries of algorithms takes them from the pool") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  memory::ByteAllocator allocator{CpuPlace{}};
  char* bytes = allocator.allocate(12345);
  CHECK(memory::used(CpuPlace{}) == before + 12345);
  CHECK(allocator == memory::ByteAllocator(CpuPlace{}));
  allocator.deallocate(bytes, 12345);
  CHECK(memory::used(CpuPlace{}) == before);
}
// --8<-- [end:bytes]

TEST_CASE("a shared allocation lives as long as its last owner, also one of a part of it") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  std::shared_ptr<float[]> part;
  {
    const std::shared_ptr<float[]> whole = memory::share<float>(memory::Allocation(CpuPlace{}, 100 * sizeof(float)));
    whole[50] = 4.0f;
    part = std::shared_ptr<float[]>(whole, whole.get() + 50);
  }
  CHECK(memory::used(CpuPlace{}) == before + 400);
  CHECK(part[0] == 4.0f);
  part.reset();
  CHECK(memory::used(CpuPlace{}) == before);
}
