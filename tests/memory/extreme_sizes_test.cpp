// Sizes, alignments, limits and patience at the ends of their ranges: what no memory has is refused with the number in the message, and
// nothing is in use then.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t least = PTRDIFF_MIN, most = PTRDIFF_MAX;
constexpr std::ptrdiff_t no_sizes[] = {least, least + 1, least / 2, -4096, -1};
constexpr std::ptrdiff_t too_large[] = {most,     most - 1,     most - 63, most - 4096, most / 2 + 1,
                                        most / 2, most / 4 + 1, most / 4,  most / 8};

/// Throws an Error that names the number.
template <class Error, class Call>
void check_refusal(const std::string& name, std::ptrdiff_t number, const Call& call) {
  CAPTURE(name);
  CAPTURE(number);
  try {
    call();
    FAIL_CHECK("nothing was thrown");
  } catch (const Error& error) {
    CHECK_MESSAGE(std::string(error.what()).find(std::to_string(number)) != std::string::npos, error.what());
  }
}

/// `allocate(bytes)` refuses what is no size and what is too large.
template <class Allocate>
void check_sizes(const std::string& name, const Allocate& allocate) {
  for (const std::ptrdiff_t bytes : no_sizes) check_refusal<ShapeError>(name, bytes, [&] { allocate(bytes); });
  for (const std::ptrdiff_t bytes : too_large) check_refusal<OutOfMemory>(name, bytes, [&] { allocate(bytes); });
}

}  // namespace

TEST_CASE("sizes that are none, and larger than any memory") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  check_sizes("memory::alloc", [](std::ptrdiff_t bytes) { static_cast<void>(memory::alloc(CpuPlace{}, bytes)); });
  check_sizes("Allocation", [](std::ptrdiff_t bytes) { const memory::Allocation made(CpuPlace{}, bytes); });
  for (const auto strategy : {memory::StrategyKind::segregated_fit, memory::StrategyKind::buddy}) {
    memory::Pool pool(memory::CpuSystemAllocator{}, {.strategy = strategy});
    for (const std::ptrdiff_t alignment : {64, 4096, 1 << 20})
      check_sizes("Pool::allocate", [&](std::ptrdiff_t bytes) { static_cast<void>(pool.allocate(bytes, alignment)); });
    pool.set_debug(true);  // guards are requested with it: messages say so much
    for (const std::ptrdiff_t bytes : too_large) CHECK_THROWS_AS(static_cast<void>(pool.allocate(bytes)), OutOfMemory);
    CHECK(pool.stats().live == 0);
  }
  memory::ByteAllocator bytes_of_cpu{CpuPlace{}};
  check_sizes("ByteAllocator", [&](std::ptrdiff_t bytes) { static_cast<void>(bytes_of_cpu.allocate(bytes)); });
  for (const std::ptrdiff_t bytes : no_sizes) {
    check_refusal<ShapeError>("Allocation::borrow", bytes,
                              [&] { static_cast<void>(memory::Allocation::borrow(nullptr, bytes, CpuPlace{})); });
  }
  CHECK(memory::used(CpuPlace{}) == before);
}

TEST_CASE("alignments that are none, and larger than any memory") {
  memory::Pool pool{memory::CpuSystemAllocator{}};
  for (const std::ptrdiff_t alignment :
       {least, least + 1, std::ptrdiff_t(-1), std::ptrdiff_t(0), std::ptrdiff_t(3), most, most - 1})
    check_refusal<ShapeError>("alignment", alignment, [&] { static_cast<void>(pool.allocate(100, alignment)); });
  for (const int shift : {62, 61, 50}) {
    CAPTURE(shift);
    CHECK_THROWS_AS(static_cast<void>(pool.allocate(100, std::ptrdiff_t(1) << shift)), OutOfMemory);
  }
  memory::PlaceResource resource;
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 4})
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(bytes)), std::bad_alloc);
  for (const std::size_t alignment : {std::size_t(0), std::size_t(3), SIZE_MAX, SIZE_MAX / 2 + 1})
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(100, alignment)), std::bad_alloc);
  CHECK(pool.stats().live == 0);
}

TEST_CASE("pointers that no pool has given") {
  int mine = 0;
  for (void* const pointer : {static_cast<void*>(&mine), reinterpret_cast<void*>(1),
                              reinterpret_cast<void*>(UINTPTR_MAX), reinterpret_cast<void*>(UINTPTR_MAX / 2 + 1)})
    CHECK_THROWS_AS(memory::free(CpuPlace{}, pointer), PlaceError);
  CHECK_NOTHROW(memory::free(CpuPlace{}, nullptr));
}

TEST_CASE("limits and patience of any length") {
  memory::Pool pool{memory::CpuSystemAllocator{}};
  for (const std::ptrdiff_t limit : no_sizes)
    check_refusal<ShapeError>("set_limit", limit, [&] { pool.set_limit(limit); });
  for (const std::ptrdiff_t limit : too_large) {
    pool.set_limit(limit);
    pool.deallocate(pool.allocate(100));
  }
  pool.set_limit(0);
  for (const auto patience :
       {std::chrono::milliseconds::min(), std::chrono::milliseconds(-1), std::chrono::milliseconds::max()}) {
    pool.set_patience(patience);  // nobody is about to free anything: it is not waited for
    CHECK_THROWS_AS(static_cast<void>(pool.allocate(100)), OutOfMemory);
  }
}

TEST_CASE("places that there are not") {
  for (const int ordinal : {std::numeric_limits<int>::min(), -1, 1000, std::numeric_limits<int>::max()}) {
    CAPTURE(ordinal);
    const Place place = GpuPlace{ordinal};
    int mine = 0;
    void* const block = &mine;
    CHECK_THROWS_AS(static_cast<void>(memory::alloc(place, 100)), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(memory::used(place)), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(memory::pool(place)), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(memory::stats(place)), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(memory::leaks(place)), DeviceError);
    CHECK(memory::pending(place) == 0);
    CHECK_THROWS_AS(memory::free(place, block), DeviceError);
    CHECK_THROWS_AS(memory::trim(place), DeviceError);
    CHECK_THROWS_AS(memory::set_limit(place, 100), DeviceError);
    CHECK_THROWS_AS(memory::set_debug(place, true), DeviceError);
    CHECK_THROWS_AS(memory::set_patience(place, std::chrono::milliseconds(1)), DeviceError);
    CHECK_THROWS_AS(memory::start_trace(place, "/dev/null"), DeviceError);
    CHECK_THROWS_AS(zeros<float>(Dim{2}, place), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(ones<float>(2).to(place)), DeviceError);
  }
}
