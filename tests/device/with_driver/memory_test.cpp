// Tests of GPU and pinned memory behind the pools.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "gpus.hpp"

using namespace tessera;

namespace {

std::vector<Place> places() { return {GpuPlace{0}, other_gpu(), PinnedPlace{}}; }

std::size_t blocks_of_driver(Place place) {
  return place.kind() == PlaceKind::pinned ? fake::pinned_blocks() : fake::live_blocks(place.ordinal());
}

}  // namespace

TEST_CASE("every place has a pool of its own with its own figures") {
  for (const Place place : places()) {
    CAPTURE(place);
    memory::trim(place);
    const std::ptrdiff_t used_elsewhere = memory::used(CpuPlace{});
    const std::ptrdiff_t before = memory::used(place);
    void* p = memory::alloc(place, 1000);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
    CHECK(memory::used(place) == before + 1000);
    CHECK(memory::stats(place).reserved >= 1000);
    CHECK(memory::used(CpuPlace{}) == used_elsewhere);
    if (fake::is_here()) CHECK(blocks_of_driver(place) >= 1);
    memory::free(place, p);
    CHECK(memory::used(place) == before);
  }
}

TEST_CASE("memory of one place cannot be freed at another" * doctest::test_suite("two GPUs")) {
  void* p = memory::alloc(GpuPlace{0}, 64);
  CHECK_THROWS_AS(memory::free(GpuPlace{1}, p), PlaceError);
  CHECK_THROWS_AS(memory::free(CpuPlace{}, p), PlaceError);
  memory::free(GpuPlace{0}, p);
  CHECK_THROWS_AS(memory::free(GpuPlace{0}, p), PlaceError);
}

TEST_CASE("freed blocks of a GPU stay warm until trim gives them back to the driver" * doctest::test_suite("fake")) {
  for (const Place place : places()) {
    CAPTURE(place);
    memory::trim(place);
    const std::size_t before = blocks_of_driver(place);
    void* first = memory::alloc(place, 4096);
    memory::free(place, first);
    CHECK(blocks_of_driver(place) == before + 1);
    const std::ptrdiff_t calls = memory::stats(place).system_calls;
    void* second = memory::alloc(place, 4000);
    CHECK(second == first);
    CHECK(memory::stats(place).system_calls == calls);
    memory::free(place, second);
    memory::trim(place);
    CHECK(blocks_of_driver(place) == before);
  }
}

TEST_CASE("a GPU without enough memory throws OutOfMemory with the figures of its pool" * doctest::test_suite("fake")) {
  const std::ptrdiff_t mebibyte = 1 << 20;
  memory::trim(GpuPlace{1});
  void* held = memory::alloc(GpuPlace{1}, 40 * mebibyte);
  const memory::Stats before = memory::stats(GpuPlace{1});
  std::string message;
  try {
    memory::alloc(GpuPlace{1}, 30 * mebibyte);
  } catch (const OutOfMemory& error) {
    message = error.what();
  }
  CHECK(message == "memory::alloc(gpu:1): 31457280 bytes were requested; in use " + std::to_string(before.in_use) +
                       ", reserved " + std::to_string(before.reserved) + ", peak " + std::to_string(before.peak) +
                       ", limit none, largest free block 0, fragmentation 0 %; free arrays that are no longer needed, "
                       "or use a smaller shape");
  CHECK(memory::used(GpuPlace{1}) == before.in_use);
  memory::free(GpuPlace{1}, held);
  void* later = memory::alloc(GpuPlace{1}, 50 * mebibyte);  // the warm block of 40 MiB makes way
  memory::free(GpuPlace{1}, later);
  memory::trim(GpuPlace{1});
}

TEST_CASE("another error of the driver is a DeviceError with its name, and the pool is as before" *
          doctest::test_suite("fake")) {
  memory::trim(GpuPlace{0});
  const memory::Stats before = memory::stats(GpuPlace{0});
  {
    const fake::Failing illegal(1, 801);
    CHECK_THROWS_WITH_AS(memory::alloc(GpuPlace{0}, 64), "cuMemAlloc: CUDA_ERROR_NOT_SUPPORTED (801)", DeviceError);
  }
  {
    const fake::Failing unknown(1, 12345);
    CHECK_THROWS_WITH_AS(memory::alloc(GpuPlace{0}, 64), "cuMemAlloc: CUDA error (12345)", DeviceError);
  }
  CHECK(memory::stats(GpuPlace{0}).in_use == before.in_use);
  CHECK(memory::stats(GpuPlace{0}).reserved == before.reserved);
  memory::free(GpuPlace{0}, memory::alloc(GpuPlace{0}, 64));
}

TEST_CASE("bytes travel between any two places") {
  const Place all[] = {CpuPlace{}, PinnedPlace{}, GpuPlace{0}, other_gpu()};
  std::vector<std::uint8_t> sent(10'000);
  std::iota(sent.begin(), sent.end(), std::uint8_t{0});
  const auto bytes = static_cast<std::ptrdiff_t>(sent.size());
  for (const Place from : all) {
    for (const Place to : all) {
      const memory::Allocation source(from, bytes);
      const memory::Allocation target(to, bytes);
      std::vector<std::uint8_t> received(sent.size());
      device::copy_bytes(source.data(), from, sent.data(), CpuPlace{}, bytes);
      device::copy_bytes(target.data(), to, source.data(), from, bytes);
      device::copy_bytes(received.data(), CpuPlace{}, target.data(), to, bytes);
      INFO("from ", from, " to ", to);
      CHECK(received == sent);
    }
  }
}
