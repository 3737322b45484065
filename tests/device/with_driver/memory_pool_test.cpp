// Tests of GPU memory from the driver's memory pools, on the fake driver: it frees as late as the order of streams allows, and ends the process when
// work runs before the allocation of its memory or after the free.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "../fake/run_program.hpp"
#include "fake_cuda.hpp"
import tessera;

using namespace tessera;
using memory::DriverMemory;
using memory::DriverSystemAllocator;

namespace {

const GpuPlace gpu{0};
constexpr std::ptrdiff_t mebibyte = std::ptrdiff_t{1} << 20;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What fake/describe_devices.cpp prints with these environment variables.
std::string described(const std::string& variables) {
  return run_program(variables + " " + program("describe_devices")).output;
}

}  // namespace

TEST_CASE("a pool takes chunks from the driver's pool and gives them back to it" * doctest::test_suite("fake")) {
  synchronize(gpu);
  const std::size_t before = fake::live_blocks(0);
  memory::Pool pool(DriverSystemAllocator(gpu, DriverMemory::pool));
  fake::start_log();
  void* const small = pool.allocate(1000);
  void* const large = pool.allocate(20 * mebibyte);
  CHECK(contains(fake::log(), "bytes of the pool"));
  CHECK(!contains(fake::log(), "bytes of gpu0"));
  CHECK(fake::live_blocks(0) == before + 2);
  const memory::Stats stats = pool.stats();
  CHECK(stats.in_use == 1000 + 20 * mebibyte);
  CHECK(stats.reserved >= stats.in_use);
  CHECK(stats.system_calls == 2);
  pool.deallocate(small);
  pool.deallocate(large);
  pool.trim();
  CHECK(contains(fake::log(), "free memory of the pool"));
  CHECK(pool.stats().reserved == 0);
  CHECK(pool.stats().in_use == 0);
  CHECK(fake::live_blocks(0) == before + 2);  // the driver's stream has not come to the frees
  synchronize(gpu);
  CHECK(fake::live_blocks(0) == before);
}

TEST_CASE("a pool of one's own over the driver's pool") {
  // --8<-- [start:pool]
  memory::Pool pool(memory::DriverSystemAllocator(GpuPlace{0}, memory::DriverMemory::pool));
  void* const block = pool.allocate(4096);
  pool.deallocate(block);
  // --8<-- [end:pool]
  CHECK(pool.stats().in_use == 0);
  CHECK(pool.stats().reserved > 0);
}

TEST_CASE("memory from the driver's pool is there for every stream at once") {
  memory::Pool pool(DriverSystemAllocator(gpu, DriverMemory::pool));
  for (int round = 0; round < 20; ++round) {
    auto* const words = static_cast<std::uint32_t*>(pool.allocate(9 * mebibyte));
    device::Stream& stream = device::Stream::create(gpu);
    device::fill_async(words, 1000, 4, 7u + static_cast<unsigned>(round), stream);
    stream.synchronize();
    std::uint32_t last = 0;
    device::copy_bytes(&last, CpuPlace{}, words + 999, gpu, 4);
    CHECK(last == 7u + static_cast<unsigned>(round));
    pool.deallocate(words);
    pool.trim();
  }
}

TEST_CASE(
    "when the driver's pool is empty, memory that was given back late is waited for, and then the error says the "
    "figures" *
    doctest::test_suite("fake")) {
  DriverSystemAllocator system(gpu, DriverMemory::pool);
  std::ptrdiff_t most = mebibyte;  // the largest block that there is
  while (void* const block = system.allocate(2 * most)) {
    system.deallocate(block, 2 * most);
    most *= 2;
  }
  for (int round = 0; round < 5; ++round) {
    void* const block = system.allocate(most);
    REQUIRE(block != nullptr);
    system.deallocate(block, most);  // pending until its stream is waited for
  }
  CHECK(system.allocate(std::ptrdiff_t{1} << 40) == nullptr);
  memory::Pool pool(DriverSystemAllocator(gpu, DriverMemory::pool));
  CHECK_THROWS_AS(pool.allocate(std::ptrdiff_t{1} << 40), OutOfMemory);
  CHECK(pool.stats().in_use == 0);
  void* const fits = pool.allocate(most);
  pool.deallocate(fits);
}

TEST_CASE("large alignments, several threads, and failures of the driver's pool" * doctest::test_suite("fake")) {
  DriverSystemAllocator system(gpu, DriverMemory::pool);
  for (const std::ptrdiff_t alignment : {64, 4096, 1 << 20}) {
    void* const block = system.allocate(100, alignment);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % static_cast<std::uintptr_t>(alignment) == 0);
    system.deallocate(block, 100);
  }
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 25; ++k) system.deallocate(system.allocate(5000), 5000);
    });
  }
  threads.clear();
  {
    const fake::Failing failing(1, 201);
    CHECK_THROWS_WITH_AS(static_cast<void>(system.allocate(100)), doctest::Contains("cuMemAllocAsync"), DeviceError);
  }
  {
    const fake::Failing failing(2, 2);
    CHECK(system.allocate(100) == nullptr);
  }
  {
    const fake::Failing failing(1, 2);
    void* const second_attempt = system.allocate(100);
    CHECK(second_attempt != nullptr);
    system.deallocate(second_attempt, 100);
  }
  synchronize(gpu);
}

TEST_CASE("TESSERA_GPU_MEMORY=pool serves all GPUs from the driver's pools, and pinned memory as before" *
          doctest::test_suite("two GPUs")) {
  const std::string text = described("TESSERA_GPU_MEMORY=pool");
  CHECK(contains(text, "gpu:0: 3 elements"));
  CHECK(contains(text, "gpu:1: 3 elements"));
  CHECK(contains(text, "pinned: 3 elements"));
}

TEST_CASE("a GPU without memory pools is an error that says what to do" * doctest::test_suite("fake")) {
  const std::string text = described("FAKE_CUDA_POOLS=0 TESSERA_GPU_MEMORY=pool");
  CHECK(contains(text, "DeviceError: cuMemAllocAsync: gpu:0: the GPU has no memory pools"));
  CHECK(contains(text, "leave TESSERA_GPU_MEMORY unset"));
  CHECK(contains(text, "pinned: 3 elements"));
  CHECK(contains(described("FAKE_CUDA_POOLS=0"), "gpu:0: 3 elements"));
}
