// Tests of memory::alloc and its companions on the CPU's pool.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
import tessera;

using namespace tessera;

namespace {

/// Takes the limit of the CPU away again.
struct LimitOfCpu {
  explicit LimitOfCpu(std::ptrdiff_t bytes) { memory::set_limit(CpuPlace{}, bytes); }
  ~LimitOfCpu() { memory::set_limit(CpuPlace{}, std::numeric_limits<std::ptrdiff_t>::max()); }
};

}  // namespace

// --8<-- [start:alloc]
TEST_CASE("memory of a place is allocated, counted and freed by name") {
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  void* p = memory::alloc(CpuPlace{}, 4096);  // 64-byte aligned, from the place's pool
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
  CHECK(memory::used(CpuPlace{}) == before + 4096);
  memory::free(CpuPlace{}, p);
  CHECK(memory::used(CpuPlace{}) == before);
  CHECK(memory::stats(CpuPlace{}).peak >= before + 4096);
}
// --8<-- [end:alloc]

// --8<-- [start:limit]
TEST_CASE("a place has a limit, and the error beyond it says every figure") {
  memory::trim(CpuPlace{});
  const memory::Stats now = memory::stats(CpuPlace{});
  const LimitOfCpu limit(now.reserved + 1'000'000);
  std::string message;
  try {
    memory::alloc(CpuPlace{}, 8'000'000);
  } catch (const OutOfMemory& error) {  // a std::bad_alloc too
    message = error.what();
  }
  CHECK(message == "memory::alloc(cpu): 8000000 bytes were requested; in use " + std::to_string(now.in_use) +
                       ", reserved " + std::to_string(now.reserved) + ", peak " + std::to_string(now.peak) +
                       ", limit " + std::to_string(now.reserved + 1'000'000) + ", largest free block " +
                       std::to_string(now.largest_free) + ", fragmentation " +
                       std::to_string(std::lround(100 * now.external_fragmentation())) +
                       " %; raise the limit with memory::set_limit, or free arrays");
  CHECK(memory::used(CpuPlace{}) == now.in_use);
}
// --8<-- [end:limit]

TEST_CASE("a place always has the same pool") {
  CHECK(&memory::pool(CpuPlace{}) == &memory::pool(Place()));
  CHECK(memory::pool(CpuPlace{}).place() == Place(CpuPlace{}));
}

TEST_CASE("alignment is 64 bytes for every size") {
  for (std::ptrdiff_t bytes = 0; bytes < 5000; bytes += 37) {
    void* p = memory::alloc(CpuPlace{}, bytes);
    if (reinterpret_cast<std::uintptr_t>(p) % 64 != 0) FAIL_CHECK(bytes, " bytes lie at ", p);
    memory::free(CpuPlace{}, p);
  }
}

TEST_CASE("foreign, interior and freed pointers are refused") {
  double foreign = 0;
  CHECK_THROWS_AS(memory::free(CpuPlace{}, &foreign), PlaceError);
  auto* p = static_cast<char*>(memory::alloc(CpuPlace{}, 100));
  CHECK_THROWS_AS(memory::free(CpuPlace{}, p + 64), PlaceError);
  memory::free(CpuPlace{}, p);
  CHECK_THROWS_AS(memory::free(CpuPlace{}, p), PlaceError);
  CHECK_NOTHROW(memory::free(CpuPlace{}, nullptr));
}

TEST_CASE("impossible sizes are refused before the system is asked") {
  const std::ptrdiff_t calls = memory::stats(CpuPlace{}).system_calls;
  CHECK_THROWS_AS(memory::alloc(CpuPlace{}, -1), ShapeError);
  CHECK_THROWS_AS(memory::alloc(CpuPlace{}, std::numeric_limits<std::ptrdiff_t>::max()), OutOfMemory);
  CHECK(memory::stats(CpuPlace{}).system_calls == calls);
}

TEST_CASE("a size that the system refuses is out of memory, and the figures are as before") {
  const memory::Stats before = memory::stats(CpuPlace{});
  CHECK_THROWS_AS(memory::alloc(CpuPlace{}, std::ptrdiff_t{1} << 60), OutOfMemory);
  CHECK(memory::stats(CpuPlace{}).in_use == before.in_use);
  CHECK(memory::stats(CpuPlace{}).live == before.live);
}

TEST_CASE("trim gives back what is warm and keeps what is live") {
  void* live = memory::alloc(CpuPlace{}, 1000);
  memory::trim(CpuPlace{});
  const std::ptrdiff_t before = memory::stats(CpuPlace{}).reserved;
  memory::free(CpuPlace{}, memory::alloc(CpuPlace{}, 100'000'000));
  CHECK(memory::stats(CpuPlace{}).reserved >= before + 100'000'000);
  memory::trim(CpuPlace{});
  CHECK(memory::stats(CpuPlace{}).reserved == before);
  memory::free(CpuPlace{}, live);
}
