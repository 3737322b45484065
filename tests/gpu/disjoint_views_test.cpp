// Threads that write disjoint views of one GPU array, each on its own stream, with nothing between them on the host.
#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "fake_cuda.hpp"
import tessera;

using namespace tessera;
namespace fs = std::filesystem;

namespace {

constexpr std::ptrdiff_t half = 1000;

/// Lets the fake NVRTC take its time, and say when it has begun.
class SlowCompiler {
 public:
  SlowCompiler() : notes_(fs::temp_directory_path() / ("tessera_slow_compiler_" + std::to_string(getpid()))) {
    setenv("FAKE_NVRTC_CALLS", notes_.c_str(), 1);
    setenv("FAKE_NVRTC_DELAY", "300", 1);
  }
  SlowCompiler(const SlowCompiler&) = delete;
  SlowCompiler& operator=(const SlowCompiler&) = delete;
  ~SlowCompiler() {
    unsetenv("FAKE_NVRTC_CALLS");
    unsetenv("FAKE_NVRTC_DELAY");
    fs::remove(notes_);
  }
  void wait_until_called() const {
    while (!fs::exists(notes_)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  fs::path notes_;
};

std::ptrdiff_t count_wrong(const Array<float, 1>& array, float first, float second) {
  const auto values = array.to(CpuPlace{});
  std::ptrdiff_t wrong = 0;
  for (std::ptrdiff_t i = 0; i < values.size(); ++i) wrong += values(i) != (i < half ? first : second);
  return wrong;
}

}  // namespace

TEST_CASE("a thread whose kernel is compiled for long loses no other thread's write of another view" *
          doctest::test_suite("fake")) {
  const Place gpu = GpuPlace{0};
  Array<float, 1> array = zeros<float>(Dim{2 * half}, gpu);
  const Array<float, 1> ones_there = ones<float>(Dim{half}, gpu);
  array(range(half, 2 * half)) = ones_there * 2.0f - 5.0f;  // this kernel is there
  array = zeros<float>(Dim{2 * half}, gpu);
  synchronize();
  const fake::Holding held;
  const SlowCompiler compiler;
  std::thread slow([&] { array(range(0, half)) = ones_there * 3.0f * 3.0f + 1.25f; });
  compiler.wait_until_called();  // it is ordered, and not noted
  std::thread quick([&] {        // so often that some of it is left when the GPU has done the other thread's
    for (int k = -94; k <= 5; ++k) array(range(half, 2 * half)) = ones_there * 2.0f - static_cast<float>(k);
  });
  quick.join();
  slow.join();
  CHECK(count_wrong(array, 10.25f, -3.0f) == 0);
}

TEST_CASE("ops that write disjoint views on several workers lose nothing, however they overlap") {
  const Place gpu = GpuPlace{0};
  Scheduler scheduler({.workers = 3});
  for (int round = 0; round < 20; ++round) {
    Array<float, 1> array = zeros<float>(Dim{2 * half}, gpu);
    const Array<float, 1> one = full(Dim{half}, static_cast<float>(round), gpu);
    {
      Async on(scheduler, {.disjoint_views = true});
      array(range(0, half)) = one + 1.0f;
      array(range(half, 2 * half)) = one * one + 2.0f;
      array(range(0, half)) += one;
    }
    const auto number = static_cast<float>(round);
    CHECK(count_wrong(array, 2 * number + 1, number * number + 2) == 0);
  }
}
