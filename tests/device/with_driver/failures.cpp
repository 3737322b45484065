// Tests of drivers that disappoint: each runs a program of its own, since a process finds its devices once.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <string>
import tessera;

namespace {

/// What fake/describe_devices.cpp prints with these environment variables.
std::string describe(const std::string& variables, const std::string& driver = FAKE_DRIVER) {
  const std::string command = "TESSERA_CUDA_DRIVER='" + driver + "' " + variables + " '" DESCRIBE_DEVICES "' 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  const int status = pclose(pipe);
  CHECK(status == 0);
  return output;
}

/// The output where there is no GPU for one reason.
std::string nothing_because(const std::string& reason) {
  const std::string advice = "; devices() lists what can be used; CpuPlace{} always can\n";
  return "count 0\nreason [" + reason + "]\nDeviceError: place gpu:0: " + reason + advice +
         "DeviceError: place gpu:1: " + reason + advice + "DeviceError: place pinned: " + reason + advice;
}

}  // namespace

TEST_CASE("a driver with two GPUs serves them and pinned memory") {
  CHECK(describe("") == "count 2\nreason []\ngpu:0: 3 elements\ngpu:1: 3 elements\npinned: 3 elements\n");
}

TEST_CASE("a driver that is too old is named with its version and the one that is needed") {
  CHECK(describe("FAKE_CUDA_VERSION=11080") ==
        nothing_because("the CUDA driver is of version 11.8, at least 12.0 is needed"));
}

TEST_CASE("a driver that cannot start is reported with the name of its error") {
  CHECK(describe("FAKE_CUDA_FAIL=cuInit:100") == nothing_because("cuInit failed with CUDA_ERROR_NO_DEVICE (100)"));
  CHECK(describe("FAKE_CUDA_FAIL=cuInit:999") == nothing_because("cuInit failed with CUDA error (999)"));
}

TEST_CASE("a driver that cannot say its version or its devices is reported with the function that failed") {
  CHECK(describe("FAKE_CUDA_FAIL=cuDriverGetVersion:1") ==
        nothing_because("cuDriverGetVersion failed with CUDA_ERROR_INVALID_VALUE (1)"));
  CHECK(describe("FAKE_CUDA_FAIL=cuDeviceGetCount:3") ==
        nothing_because("cuDeviceGetCount failed with CUDA_ERROR_NOT_INITIALIZED (3)"));
}

TEST_CASE("a driver without GPUs is told apart from no driver") {
  CHECK(describe("FAKE_CUDA_DEVICES=0") == nothing_because("the CUDA driver reports no GPU"));
}

TEST_CASE("a GPU that cannot be used hides only itself and those after it") {
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
  CHECK(
      output.starts_with("count 0\nreason [the CUDA driver library cannot be opened: libtessera_no_such_driver.so: "));
}
