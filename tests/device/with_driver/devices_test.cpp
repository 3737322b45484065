// Tests of the device table with a driver that has GPUs.
#include <doctest/doctest.h>

#include <string>
import tessera;

using namespace tessera;

TEST_CASE("the table lists every GPU with its name, memory and compute capability" * doctest::test_suite("fake")) {
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

TEST_CASE("the places of a machine with two GPUs exist, and no others" * doctest::test_suite("fake")) {
  CHECK_NOTHROW(require_device(GpuPlace{0}));
  CHECK_NOTHROW(require_device(GpuPlace{1}));
  CHECK_NOTHROW(require_device(PinnedPlace{}));
  CHECK_THROWS_WITH_AS(
      require_device(GpuPlace{2}),
      "place gpu:2: there are 2 GPUs, numbered from 0; devices() lists what can be used; CpuPlace{} always can",
      DeviceError);
  CHECK_THROWS_AS(require_device(GpuPlace{-1}), DeviceError);
  CHECK_THROWS_AS(memory::alloc(GpuPlace{2}, 64), DeviceError);
  CHECK_THROWS_AS(device::gpu_identity(GpuPlace{2}), DeviceError);
}

TEST_CASE("each GPU has a number, a name and figures that kernels can count on") {
  REQUIRE(device_count() > 0);
  CHECK(devices().size() == static_cast<std::size_t>(device_count()));
  for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
    const DeviceInfo& gpu = devices()[static_cast<std::size_t>(ordinal)];
    CAPTURE(gpu.name);
    CHECK(gpu.place == GpuPlace{ordinal});
    CHECK_FALSE(gpu.name.empty());
    CHECK(gpu.total_bytes >= 64 << 20);
    CHECK(gpu.compute_major >= 5);
    CHECK(gpu.compute_minor >= 0);
    CHECK(gpu.compute_minor <= 9);
    CHECK(gpu.multiprocessors >= 1);
    CHECK(gpu.threads_per_block >= 1024);
    CHECK(gpu.threads_per_multiprocessor >= gpu.threads_per_block);
    CHECK(gpu.shared_bytes >= 48 << 10);
    CHECK(gpu.l2_bytes > 0);
    CHECK(gpu.copy_engines >= 1);
    CHECK(gpu.unified_addresses);
    CHECK(gpu.driver_version >= 12000);
    CHECK_NOTHROW(require_device(gpu.place));
  }
}

TEST_CASE("each GPU has an identity of its own, the same at every call") {
  for (int ordinal = 0; ordinal < device_count(); ++ordinal) {
    const device::GpuIdentity own = device::gpu_identity(GpuPlace{ordinal});
    CHECK(own != device::GpuIdentity{});
    CHECK(own == device::gpu_identity(GpuPlace{ordinal}));
    for (int other = 0; other < ordinal; ++other) CHECK(own != device::gpu_identity(GpuPlace{other}));
  }
}

TEST_CASE("a GPU beyond the last is refused, pinned memory is not") {
  const GpuPlace beyond{device_count()};
  CHECK_NOTHROW(require_device(PinnedPlace{}));
  CHECK_THROWS_AS(require_device(beyond), DeviceError);
  CHECK_THROWS_AS(require_device(GpuPlace{-1}), DeviceError);
  CHECK_THROWS_AS(memory::alloc(beyond, 64), DeviceError);
}
