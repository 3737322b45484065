// Tests of the allocators that ask the system each time.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
import tessera;

using namespace tessera;

namespace {

bool aligned_to(const void* pointer, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

}  // namespace

TEST_CASE("host memory is aligned to 64 bytes, and to huge pages from 2 MiB") {
  memory::CpuSystemAllocator allocator;
  const std::ptrdiff_t huge_page = 2 << 20;
  for (const std::ptrdiff_t bytes :
       {std::ptrdiff_t{1}, std::ptrdiff_t{64}, std::ptrdiff_t{4097}, huge_page - 1, huge_page, huge_page + 1}) {
    CAPTURE(bytes);
    void* pointer = allocator.allocate(bytes);
    REQUIRE(pointer != nullptr);
    CHECK(aligned_to(pointer, bytes >= huge_page ? huge_page : 64));
    std::memset(pointer, 0xff, static_cast<std::size_t>(bytes));
    allocator.deallocate(pointer, bytes);
  }
}

TEST_CASE("a request beyond all memory gives null, and one that cannot be rounded up throws") {
  memory::CpuSystemAllocator allocator;
  CHECK(allocator.allocate(std::ptrdiff_t{1} << 61) == nullptr);
  CHECK_THROWS_AS(allocator.allocate(std::numeric_limits<std::ptrdiff_t>::max()), ShapeError);
}

TEST_CASE("the system allocators know their place") {
  CHECK(memory::CpuSystemAllocator{}.place() == Place(CpuPlace{}));
  CHECK(memory::DriverSystemAllocator(GpuPlace{1}).place() == Place(GpuPlace{1}));
}
