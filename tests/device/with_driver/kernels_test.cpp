// Tests of kernels: from text to launch, their errors, and what threads of a block do together.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <source_location>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

#include "gpus.hpp"
#include "work.hpp"

using namespace tessera;
using work::Ints;

namespace {

const GpuPlace gpu{0};

template <class Call>
std::string device_error_of(const Call& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "(no DeviceError)";
}

/// A text of its own, so that no earlier test has compiled it.
std::string text_with(const std::string& body, const std::string& name) {
  return "// " + name + "\nstruct tessera_arguments { int* y; int count; };\n" +
         "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n" + body +
         "\n}\n";
}

struct Arguments {
  int* y;
  int count;
  int padding = 0;
};

/// What one block of a kernel writes to y.
std::vector<int> run(const std::string& body, unsigned threads, int count, std::ptrdiff_t shared_bytes = 0) {
  const Ints y(gpu, count);
  device::Stream& stream = device::Stream::current(gpu);
  const Arguments arguments{.y = y.data(), .count = count};
  device::find_kernel(gpu, text_with(body, "run"), "a test")
      .launch(stream, 1, threads, shared_bytes, std::as_bytes(std::span(&arguments, 1)), "run", {});
  return y.read(stream);
}

std::size_t lines_of(const std::string& path) {
  std::ifstream file(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

}  // namespace

TEST_CASE("a kernel runs on its stream with its arguments") {
  const Ints x(gpu, 1000), y(gpu, 1000);
  device::Stream& stream = device::Stream::create(gpu);
  x.fill(5, stream);
  fake::start_log();
  work::add(y, x, 7, stream);
  if (fake::is_here()) CHECK(work::count_lines(fake::log(), "launch 2 x 32") == 1);
  CHECK(work::count_lines(fake::log(), "copy") == 0);
  CHECK(y.read(stream) == std::vector<int>(1000, 12));
}

TEST_CASE("a kernel is loaded once on each GPU, and knows its needs") {
  const device::Kernel& kernel = device::find_kernel(gpu, work::add_text, "a test");
  CHECK(&kernel == &device::find_kernel(gpu, work::add_text, "another"));
  const device::Kernel& other = device::find_kernel(other_gpu(), work::add_text, "a test");
  CHECK((&kernel != &other) == (device_count() > 1));
  CHECK(other.place() == other_gpu());
  CHECK(kernel.registers() > 0);
  CHECK(kernel.registers() <= 255);
  CHECK(kernel.local_bytes() == 0);
  CHECK(kernel.most_threads() == 1024);
  CHECK_THROWS_AS(device::find_kernel(no_gpu(), work::add_text, "a test"), DeviceError);
}

TEST_CASE("as many blocks run on a multiprocessor as its threads and shared memory allow") {
  const DeviceInfo& info = devices()[0];
  const device::Kernel& kernel = device::find_kernel(gpu, work::add_text, "a test");
  CHECK(kernel.blocks_per_multiprocessor(256, 0) == info.threads_per_multiprocessor / 256);
  CHECK(kernel.blocks_per_multiprocessor(1024, 0) == info.threads_per_multiprocessor / 1024);
  CHECK(kernel.blocks_per_multiprocessor(32, info.shared_bytes) == 1);
  CHECK(kernel.blocks_per_multiprocessor(32, info.shared_bytes / 2 - 2048) == 2);
}

TEST_CASE("threads that want the same kernel compile it once" * doctest::test_suite("fake")) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("once_" + std::to_string(std::rand()));
  const std::string calls = folder.string() + ".calls";
  setenv("FAKE_NVRTC_CALLS", calls.c_str(), 1);
  setenv("FAKE_NVRTC_DELAY", "30", 1);
  const std::string kept = std::getenv("TESSERA_CACHE_DIR");
  setenv("TESSERA_CACHE_DIR", folder.c_str(), 1);
  const std::string text = text_with("*a.y = 1;", "once");
  std::vector<const device::Kernel*> found(8);
  std::vector<std::thread> threads;
  for (const device::Kernel*& kernel : found)
    threads.emplace_back([&kernel, &text] { kernel = &device::find_kernel(gpu, text, "a thread"); });
  for (std::thread& thread : threads) thread.join();
  setenv("TESSERA_CACHE_DIR", kept.c_str(), 1);
  unsetenv("FAKE_NVRTC_CALLS");
  unsetenv("FAKE_NVRTC_DELAY");
  for (const device::Kernel* kernel : found) CHECK(kernel == found[0]);
  CHECK(lines_of(calls) == 1);
  std::filesystem::remove(calls);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a text that does not compile is an error with the compiler's words and the cause, each time") {
  const std::string text = text_with("*a.y = no_such_name;", "wrong");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string message = device_error_of([&] { device::find_kernel(gpu, text, "w = wrong(x)"); });
    CAPTURE(message);
    CHECK(message.starts_with("compile a kernel: NVRTC " + device::compiler_version() +
                              " says: NVRTC_ERROR_COMPILATION"));
    CHECK(message.find("no_such_name") != message.npos);
    CHECK(message.find("w = wrong(x)") != message.npos);
  }
}

TEST_CASE("an architecture that the compiler does not know is named") {
  CHECK(device_error_of([] { device::compile_kernel(work::add_text, 35, "a test"); }) ==
        "compile a kernel: NVRTC " + device::compiler_version() + " does not know sm_35; a test");
  const std::vector<int> known = device::compiler_architectures();
  for (const int architecture : {80, 90}) CHECK(std::ranges::find(known, architecture) != known.end());
  CHECK(device::no_compiler_reason().empty());
}

TEST_CASE("a launch that the driver refuses names the error, the expression and the place in the user's code" *
          doctest::test_suite("fake")) {
  const Ints x(gpu, 4), y(gpu, 4);
  device::Stream& stream = device::Stream::create(gpu);
  work::add(y, x, 1, stream);
  const device::StreamMark before = stream.mark();
  const fake::Failing failing(1, 701);
  const auto where = std::source_location::current();
  const std::string message = device_error_of([&] { work::add(y, x, 1, stream, "y = x + 1", where); });
  CHECK(message == "launch: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701); y = x + 1; called at kernels_test.cpp:" +
                       std::to_string(where.line()));
  CHECK(stream.mark() == before);
  stream.synchronize();
}

TEST_CASE("a kernel is launched on streams of its own GPU only" * doctest::test_suite("two GPUs")) {
  const Arguments arguments{.y = nullptr, .count = 0};
  const device::Kernel& kernel = device::find_kernel(gpu, text_with("", "place"), "a test");
  CHECK_THROWS_WITH_AS(kernel.launch(device::Stream::current(GpuPlace{1}), 1, 1, 0,
                                     std::as_bytes(std::span(&arguments, 1)), "y = 0", {}),
                       "launch: the stream is on gpu:1, the kernel on gpu:0; y = 0", PlaceError);
}

TEST_CASE("threads of a block meet at barriers and share memory") {
  const std::vector<int> got =
      run("  __shared__ int values[100];\n"
          "  values[threadIdx.x] = threadIdx.x * threadIdx.x;\n"
          "  __syncthreads();\n"
          "  const int from = blockDim.x - 1 - threadIdx.x;\n"
          "  a.y[threadIdx.x] = values[from];\n",
          100, 100);
  for (int k = 0; k < 100; ++k) CHECK(got[static_cast<std::size_t>(k)] == (99 - k) * (99 - k));
}

TEST_CASE("a launch gives a block as much shared memory as it asks for") {
  constexpr std::ptrdiff_t bytes = 96 << 10;
  const std::vector<int> got =
      run("  extern __shared__ __align__(16) int values[];\n"
          "  for (int k = threadIdx.x; k < 24576; k += blockDim.x) values[k] = k;\n"
          "  __syncthreads();\n"
          "  a.y[threadIdx.x] = values[24575 - threadIdx.x];\n",
          64, 64, bytes);
  for (int k = 0; k < 64; ++k) CHECK(got[static_cast<std::size_t>(k)] == 24575 - k);
}

TEST_CASE("lanes of a warp exchange values, vote and add up") {
  const std::vector<int> got =
      run("  const int t = threadIdx.x, lane = t % 32;\n"
          "  int sum = t;\n"
          "  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);\n"
          "  int all = t;\n"
          "  for (int k = 16; k > 0; k /= 2) all += __shfl_xor_sync(0xffffffffu, all, k);\n"
          "  const int first = __shfl_sync(0xffffffffu, t, 0);\n"
          "  const int before = __shfl_up_sync(0xffffffffu, t, 1);\n"
          "  const unsigned odd = __ballot_sync(0xffffffffu, lane % 2);\n"
          "  const int big = __syncthreads_count(t >= 10);\n"
          "  int* y = a.y + t * 6;\n"
          "  y[0] = lane == 0 ? sum : 0; y[1] = all; y[2] = first; y[3] = before; y[4] = (int)odd; y[5] = big;\n",
          64, 64 * 6);
  for (int t = 0; t < 64; ++t) {
    CAPTURE(t);
    const int warp_sum = t < 32 ? 496 : 1520;
    const int* y = got.data() + t * 6;
    CHECK(y[0] == (t % 32 == 0 ? warp_sum : 0));
    CHECK(y[1] == warp_sum);
    CHECK(y[2] == t / 32 * 32);
    CHECK(y[3] == (t % 32 == 0 ? t : t - 1));
    CHECK(static_cast<unsigned>(y[4]) == 0xaaaaaaaau);
    CHECK(y[5] == 54);
  }
}

TEST_CASE("a block whose threads are no whole number of warps ends") {
  const std::vector<int> got =
      run("  a.y[0] = 0;\n"
          "  if (threadIdx.x >= 40) return;\n"
          "  __syncthreads();\n"
          "  atomicAdd(a.y, 1);\n"
          "  __syncthreads();\n"
          "  if (threadIdx.x == 0) a.y[1] = a.y[0];\n",
          45, 2);
  CHECK(got[1] == 40);
}

TEST_CASE("a launch that no GPU can do is an error that names it, and the stream goes on") {
  const Ints y(gpu, 4);
  device::Stream& stream = device::Stream::create(gpu);
  const Arguments arguments{.y = y.data(), .count = 4};
  const auto bytes = std::as_bytes(std::span(&arguments, 1));
  const device::Kernel& kernel = device::find_kernel(gpu, text_with("a.y[threadIdx.x] = 3;", "impossible"), "a test");
  const device::StreamMark before = stream.mark();
  const auto where = std::source_location::current();
  const std::string too_wide = device_error_of([&] { kernel.launch(stream, 1, 1 << 20, 0, bytes, "y = 3", where); });
  CHECK(too_wide ==
        "launch: CUDA_ERROR_INVALID_VALUE (1); y = 3; called at kernels_test.cpp:" + std::to_string(where.line()));
  const std::string too_much =
      device_error_of([&] { kernel.launch(stream, 1, 4, std::ptrdiff_t{1} << 30, bytes, "y = 3", where); });
  CHECK(too_much == "cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE (1)");
  CHECK(stream.mark() == before);
  kernel.launch(stream, 1, 4, 0, bytes, "y = 3", where);
  CHECK(y.read(stream) == std::vector<int>(4, 3));
}
