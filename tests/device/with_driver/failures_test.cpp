// Tests of drivers that disappoint: each runs a program of its own, since a process finds its devices once.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "../fake/run_program.hpp"
import tessera;

namespace {

/// What fake/describe_devices.cpp prints with these environment variables.
std::string describe(const std::string& variables, const std::string& driver) {
  const ProgramEnd end =
      run_program("TESSERA_CUDA_DRIVER='" + driver + "' " + variables + " " + program("describe_devices"));
  CHECK(end.status == 0);
  return end.output;
}

/// With the fake driver.
std::string describe(const std::string& variables) { return describe(variables, std::getenv("TESSERA_CUDA_DRIVER")); }

/// The output where there is no GPU for one reason.
std::string nothing_because(const std::string& reason) {
  const std::string advice = "; devices() lists what can be used; CpuPlace{} always can\n";
  return "count 0\nreason [" + reason + "]\nDeviceError: place gpu:0: " + reason + advice +
         "DeviceError: place gpu:1: " + reason + advice + "DeviceError: place pinned: " + reason + advice;
}

}  // namespace

TEST_CASE("a driver with two GPUs serves them and pinned memory" * doctest::test_suite("fake")) {
  CHECK(describe("") == "count 2\nreason []\ngpu:0: 3 elements\ngpu:1: 3 elements\npinned: 3 elements\n");
}

TEST_CASE("a driver that is too old is named with its version and the one that is needed" *
          doctest::test_suite("fake")) {
  CHECK(describe("FAKE_CUDA_VERSION=11080") ==
        nothing_because("the CUDA driver is of version 11.8, at least 12.0 is needed"));
}

TEST_CASE("a driver that cannot start is reported with the name of its error" * doctest::test_suite("fake")) {
  CHECK(describe("FAKE_CUDA_FAIL=cuInit:100") == nothing_because("cuInit failed with CUDA_ERROR_NO_DEVICE (100)"));
  CHECK(describe("FAKE_CUDA_FAIL=cuInit:999") == nothing_because("cuInit failed with CUDA error (999)"));
}

TEST_CASE("a driver that cannot say its version or its devices is reported with the function that failed" *
          doctest::test_suite("fake")) {
  CHECK(describe("FAKE_CUDA_FAIL=cuDriverGetVersion:1") ==
        nothing_because("cuDriverGetVersion failed with CUDA_ERROR_INVALID_VALUE (1)"));
  CHECK(describe("FAKE_CUDA_FAIL=cuDeviceGetCount:3") ==
        nothing_because("cuDeviceGetCount failed with CUDA_ERROR_NOT_INITIALIZED (3)"));
}

TEST_CASE("a driver without GPUs is told apart from no driver" * doctest::test_suite("fake")) {
  CHECK(describe("FAKE_CUDA_DEVICES=0") == nothing_because("the CUDA driver reports no GPU"));
}

TEST_CASE("a GPU that cannot be used hides only itself and those after it" * doctest::test_suite("fake")) {
  const std::string reason = "GPU 1 cannot be used: CUDA_ERROR_OUT_OF_MEMORY (2)";
  CHECK(describe("FAKE_CUDA_BROKEN_DEVICE=1") ==
        "count 1\nreason [" + reason +
            "]\ngpu:0: 3 elements\nDeviceError: place gpu:1: there is 1 GPU, numbered from 0; " + reason +
            "; devices() lists what can be used; CpuPlace{} always can\npinned: 3 elements\n");
  CHECK(describe("FAKE_CUDA_BROKEN_DEVICE=0") == nothing_because("GPU 0 cannot be used: CUDA_ERROR_OUT_OF_MEMORY (2)"));
}

TEST_CASE("a library that is no CUDA driver is told by the function that it lacks") {
  CHECK(describe("", "libm.so.6") == nothing_because("the CUDA driver library has no function cuInit"));
}

TEST_CASE("a driver library that is not there is told by its name") {
  const std::string output = describe("", "libtessera_no_such_driver.so");
  CAPTURE(output);
  CHECK(output.starts_with(
      "count 0\nreason [the CUDA driver library was not found; looked for libtessera_no_such_driver.so ("
      "cannot open shared object file: No such file or directory)]\n"));
}
