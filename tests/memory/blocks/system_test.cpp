// Tests of the allocators that ask the system each time.
#include <doctest/doctest.h>

#include <algorithm>
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
  for (const std::ptrdiff_t bytes : {std::ptrdiff_t{1}, std::ptrdiff_t{64}, std::ptrdiff_t{4097},
                                     std::ptrdiff_t{128 << 10}, huge_page - 1, huge_page, huge_page + 1}) {
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

TEST_CASE("host memory is aligned as asked for, whatever the size") {
  memory::CpuSystemAllocator allocator;
  for (const std::ptrdiff_t bytes :
       {std::ptrdiff_t{0}, std::ptrdiff_t{100}, std::ptrdiff_t{200'000}, std::ptrdiff_t{5} << 20}) {
    for (std::ptrdiff_t alignment = 64; alignment <= 8 << 20; alignment *= 2) {
      void* pointer = allocator.allocate(bytes, alignment);
      REQUIRE(pointer != nullptr);
      if (!aligned_to(pointer, static_cast<std::uintptr_t>(alignment)))
        FAIL_CHECK(bytes, " bytes aligned to ", alignment, " are at ", pointer);
      allocator.deallocate(pointer, bytes);
    }
  }
}

TEST_CASE("zeroed host memory holds zeros, also where freed memory is used again") {
  memory::CpuSystemAllocator allocator(memory::Contents::zeros);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{300'000}}) {
    for (int again = 0; again < 3; ++again) {
      auto* pointer = static_cast<unsigned char*>(allocator.allocate(static_cast<std::ptrdiff_t>(bytes)));
      REQUIRE(pointer != nullptr);
      CHECK(std::all_of(pointer, pointer + bytes, [](unsigned char byte) { return byte == 0; }));
      std::memset(pointer, 0xff, bytes);
      allocator.deallocate(pointer, static_cast<std::ptrdiff_t>(bytes));
    }
  }
}

TEST_CASE("without a device the driver's allocator says what is missing") {
  if (device_count() > 0) return;
  memory::DriverSystemAllocator allocator{PinnedPlace{}};
  CHECK_THROWS_AS(allocator.allocate(64), DeviceError);
}

TEST_CASE("the system allocators know their place") {
  CHECK(memory::CpuSystemAllocator{}.place() == Place(CpuPlace{}));
  CHECK(memory::DriverSystemAllocator(GpuPlace{1}).place() == Place(GpuPlace{1}));
}

TEST_CASE("a system allocator and its copies count the bytes that they have been asked for") {
  memory::CpuSystemAllocator allocator;
  memory::CpuSystemAllocator copy = allocator, other;
  CHECK(memory::used(allocator) == 0);
  void* const small = allocator.allocate(100);
  void* const large = copy.allocate(1 << 20);
  CHECK(memory::used(allocator) == 100 + (1 << 20));
  CHECK(memory::used(copy) == memory::used(allocator));
  CHECK(memory::used(other) == 0);
  CHECK(allocator.allocate(std::ptrdiff_t{1} << 61) == nullptr);
  allocator.deallocate(large, 1 << 20);
  copy.deallocate(small, 100);
  copy.deallocate(nullptr, 50);
  CHECK(memory::used(allocator) == 0);
}
