// Tests of compiling kernels where there is no GPU: by the NVRTC of this machine, if it has one.
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>
import tessera;

using namespace tessera;

namespace {

/// Kernels go into a directory of this test's own.
class OwnCache {
 public:
  OwnCache() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera_nvrtc_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    setenv("TESSERA_CACHE_DIR", name.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    unsetenv("TESSERA_CACHE_DIR");
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
};

bool is_missing() {
  const std::string reason = device::no_compiler_reason();
  if (!reason.empty()) MESSAGE("skipped: libnvrtc is not here: " << reason);
  return !reason.empty();
}

const std::string reduction = R"cuda(
struct tessera_arguments { float* y; const float* x; int count; };
extern "C" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {
  extern __shared__ float parts[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += gridDim.x * blockDim.x) sum += a.x[i];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) a.y[blockIdx.x] = parts[0];
}
)cuda";

}  // namespace

TEST_SUITE("nvrtc") {
  TEST_CASE("NVRTC compiles a kernel for every architecture that matters, and its cubin is kept") {
    if (is_missing()) return;
    const OwnCache cache;
    const std::vector<int> known = device::compiler_architectures();
    for (const int architecture : {80, 90, 100, 120}) {
      if (std::ranges::find(known, architecture) == known.end()) {
        MESSAGE("this NVRTC does not know sm_" << architecture);
        continue;
      }
      CAPTURE(architecture);
      const device::KernelReport first = device::compile_kernel(reduction, architecture, "a reduction");
      CAPTURE(first.log);
      CHECK_FALSE(first.from_cache);
      CHECK(first.registers > 0);
      CHECK(first.registers < 256);
      CHECK(first.local_bytes == 0);
      const device::KernelReport second = device::compile_kernel(reduction, architecture, "a reduction");
      CHECK(second.from_cache);
      CHECK(second.registers == first.registers);
      CHECK(second.log == first.log);
    }
  }

  TEST_CASE("the report says how much local memory a kernel has") {
    if (is_missing()) return;
    const OwnCache cache;
    const std::string text =
        "struct tessera_arguments { int* y; int n; };\n"
        "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n"
        "  int values[64];\n"
        "  for (int k = 0; k < 64; ++k) values[k] = a.y[k];\n"
        "  for (int k = 0; k < a.n; ++k) a.y[k] = values[(a.y[k] * 7) & 63];\n"
        "}\n";
    CHECK(device::compile_kernel(text, 80, "an array").local_bytes >= 256);
  }

  TEST_CASE("a text with an error is refused with NVRTC's words") {
    if (is_missing()) return;
    const OwnCache cache;
    std::string message;
    try {
      device::compile_kernel("extern \"C\" __global__ void tessera_kernel() { no_such_name(); }", 80, "a wrong text");
    } catch (const DeviceError& error) {
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.starts_with("compile a kernel: NVRTC "));
    CHECK(message.find("identifier \"no_such_name\" is undefined") != message.npos);
    CHECK(message.find("a wrong text") != message.npos);
  }
}

TEST_CASE("kernels need a GPU to run, and streams too") {
  CHECK_THROWS_AS(device::find_kernel(GpuPlace{0}, reduction, "a reduction"), DeviceError);
  CHECK_THROWS_AS(device::Stream::current(GpuPlace{0}), DeviceError);
  CHECK_THROWS_AS(synchronize(GpuPlace{0}), DeviceError);
  CHECK_NOTHROW(synchronize());
  CHECK_NOTHROW(synchronize(CpuPlace{}));
}
