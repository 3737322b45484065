// Tests of the device table with a driver that has two GPUs.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
import tessera;

using namespace tessera;

namespace {

// Before the table is first used, which is when a test first asks for it.
[[maybe_unused]] const int chosen = setenv("TESSERA_CUDA_DRIVER", FAKE_DRIVER, 1);

}  // namespace

TEST_CASE("the table lists every GPU with its name, memory and compute capability") {
  CAPTURE(no_device_reason());
  REQUIRE(device_count() == 2);
  CHECK(no_device_reason().empty());
  for (int ordinal = 0; ordinal < 2; ++ordinal) {
    const DeviceInfo& gpu = devices()[static_cast<std::size_t>(ordinal)];
    CHECK(gpu.place.ordinal == ordinal);
    CHECK(gpu.name == "Fake GPU " + std::to_string(ordinal));
    CHECK(gpu.total_bytes == 64 << 20);
    CHECK(gpu.compute_major == 9);
    CHECK(gpu.compute_minor == ordinal);
  }
}

TEST_CASE("the places of a machine with two GPUs exist, and no others") {
  CHECK_NOTHROW(require_device(GpuPlace{0}));
  CHECK_NOTHROW(require_device(GpuPlace{1}));
  CHECK_NOTHROW(require_device(PinnedPlace{}));
  CHECK_THROWS_WITH_AS(
      require_device(GpuPlace{2}),
      "place gpu:2: there are 2 GPUs, numbered from 0; devices() lists what can be used; CpuPlace{} always can",
      DeviceError);
  CHECK_THROWS_AS(require_device(GpuPlace{-1}), DeviceError);
  CHECK_THROWS_AS(memory::alloc(GpuPlace{2}, 64), DeviceError);
}
