// Tests of the device table where there is no CUDA driver.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "no_driver.hpp"
import tessera;

using namespace tessera;

namespace {

// Before the table is first used, which is when a test first asks for it.
[[maybe_unused]] const int hidden = setenv("TESSERA_CUDA_DRIVER", missing_driver, 1);

template <class Call>
std::string device_error_of(const Call& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "(no DeviceError)";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("without a driver there are no GPUs, and the reason names the library that is missing") {
  CHECK(device_count() == 0);
  CHECK(devices().empty());
  CAPTURE(no_device_reason());
  CHECK(contains(no_device_reason(), "the CUDA driver library was not found"));
  CHECK(contains(no_device_reason(), missing_driver));
}

// --8<-- [start:require_device]
TEST_CASE("a place is asked for before anything is allocated there") {
  CHECK_NOTHROW(require_device(CpuPlace{}));
  CHECK_THROWS_AS(require_device(GpuPlace{0}), DeviceError);  // there is none
}
// --8<-- [end:require_device]

// --8<-- [start:no_gpu]
TEST_CASE("asking for a GPU where there is none says what is missing and what to do") {
  std::string message;
  try {
    auto g = zeros<float>(Dim{784, 10}, GpuPlace{0});
  } catch (const DeviceError& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(contains(message, "place gpu:0"));
  CHECK(contains(message, no_device_reason()));
  CHECK(contains(message, "devices() lists what can be used; CpuPlace{} always can"));
}
// --8<-- [end:no_gpu]

TEST_CASE("pinned memory and impossible ordinals are refused by name") {
  CHECK(contains(device_error_of([] { require_device(PinnedPlace{}); }), "place pinned: " + no_device_reason()));
  CHECK(contains(device_error_of([] { require_device(GpuPlace{7}); }), "place gpu:7: "));
  CHECK(contains(device_error_of([] { require_device(GpuPlace{-1}); }), "place gpu:-1: "));
}
