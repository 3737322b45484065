// Tests of memory of every place where there is no CUDA driver: nothing is touched, everything is said.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>
import tessera;

using namespace tessera;

TEST_CASE("the driver allocates nothing where there is no device") {
  CHECK_THROWS_AS(device::driver_memory::driver_allocate(GpuPlace{0}, 64), DeviceError);
  CHECK_THROWS_AS(device::driver_memory::driver_allocate(PinnedPlace{}, 64), DeviceError);
}

TEST_CASE("memory of the CPU does not come from the driver") {
  CHECK_THROWS_WITH_AS(device::driver_memory::driver_allocate(CpuPlace{}, 64),
                       "driver_allocate: cpu memory does not come from the CUDA driver", PlaceError);
}

TEST_CASE("copying between host places needs no driver") {
  const std::vector<int> from = {1, 2, 3};
  std::vector<int> to(3);
  device::copy_bytes(to.data(), CpuPlace{}, from.data(), PinnedPlace{}, 3 * sizeof(int));
  CHECK(to == from);
  device::copy_bytes(nullptr, CpuPlace{}, nullptr, CpuPlace{}, 0);
}

TEST_CASE("copying to or from a GPU that does not exist throws and leaves the bytes alone") {
  int from = 1;
  int to = 2;
  CHECK_THROWS_AS(device::copy_bytes(&to, GpuPlace{0}, &from, CpuPlace{}, sizeof(int)), DeviceError);
  CHECK_THROWS_AS(device::copy_bytes(&to, CpuPlace{}, &from, GpuPlace{3}, sizeof(int)), DeviceError);
  CHECK(to == 2);
}

TEST_CASE("elements of borrowed memory on a GPU that does not exist cannot be read or written") {
  float somewhere = 0;
  const auto array = borrow(&somewhere, Dim{1}, GpuPlace{0});
  CHECK_THROWS_AS(static_cast<void>(float(array[{0}])), DeviceError);
  CHECK_THROWS_AS((array[{0}] = 1.0f), DeviceError);
  CHECK(somewhere == 0);
}
