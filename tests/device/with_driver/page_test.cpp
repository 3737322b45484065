// The code of docs/gpu.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "fake_cuda.hpp"
import tessera;

using namespace tessera;

// --8<-- [start:devices]
void print_devices() {
  for (const DeviceInfo& gpu : devices()) {
    std::cout << gpu.place.ordinal << ": " << gpu.name << ", sm_" << gpu.compute_major << gpu.compute_minor << ", "
              << gpu.multiprocessors << " multiprocessors, " << (gpu.total_bytes >> 20) << " MiB\n";
  }
  if (device_count() == 0) std::cout << no_device_reason() << '\n';
}
// --8<-- [end:devices]

TEST_CASE("the page's devices are printed") { CHECK_NOTHROW(print_devices()); }

// --8<-- [start:compile]
void compile_ahead(const std::string& text, int architecture) {
  const std::vector<int> known = device::compiler_architectures();
  if (std::ranges::find(known, architecture) == known.end()) {
    std::cout << "sm_" << architecture << " is not known here: " << device::no_compiler_reason() << '\n';
    return;
  }
  const device::KernelReport report = device::compile_kernel(text, architecture, "a ramp");
  std::cout << "by NVRTC " << device::compiler_version() << ": " << report.registers << " registers a thread, "
            << report.local_bytes << " bytes of local memory, " << (report.from_cache ? "found" : "compiled") << " in "
            << device::kernel_folder() << '\n'
            << report.log;
}
// --8<-- [end:compile]

TEST_CASE("the page's kernel is compiled ahead, or it is said that it cannot be") {
  const std::string text =
      "// ahead\nstruct tessera_arguments { float* y; };\n"
      "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) { a.y[0] = 1; }\n";
  CHECK(device::no_compiler_reason().empty());
  CHECK_FALSE(device::compiler_version().empty());
  CHECK_FALSE(device::kernel_folder().empty());
  for (const int architecture : {90, 1}) CHECK_NOTHROW(compile_ahead(text, architecture));
  CHECK(device::compile_kernel(text, 90, "a ramp").from_cache);
}

TEST_CASE("the page's marks order two streams without the host") {
  const memory::Allocation memory(GpuPlace{0}, 4096);
  void* const data = memory.data();
  std::vector<std::uint32_t> result(1024);
  fake::start_log();
  // --8<-- [start:marks]
  device::Stream& compute = device::Stream::current(GpuPlace{0});  // this thread's
  device::Stream& copies = device::Stream::create(GpuPlace{0});    // another one beside it
  device::fill_async(data, 1024, 4, 7, compute);
  const device::StreamMark filled = compute.mark();  // after the fill; nothing is asked of CUDA
  copies.wait(filled);                               // the GPU orders the two, the host goes on
  device::copy_async(result.data(), CpuPlace{}, data, GpuPlace{0}, 4096, copies);
  copies.synchronize();  // here the host waits
  // --8<-- [end:marks]
  CHECK(result == std::vector<std::uint32_t>(1024, 7));
  CHECK(filled.is_reached());
}

TEST_CASE("the page's uses order a writing after readings") {
  const memory::Allocation memory(GpuPlace{0}, 4096), target(GpuPlace{0}, 4096);
  void* const data = memory.data();
  device::Stream& writer = device::Stream::create(GpuPlace{0});
  device::Stream& reader = device::Stream::create(GpuPlace{0});
  // --8<-- [start:uses]
  device::StreamUses uses;  // of `data`
  uses.order_write(writer);
  device::fill_async(data, 1024, 4, 1, writer);
  uses.note_write(writer.mark());

  uses.order_read(reader);  // after the fill
  device::copy_async(target.data(), GpuPlace{0}, data, GpuPlace{0}, 4096, reader);
  uses.note_read(reader.mark());

  uses.order_write(writer);  // after the copy
  device::fill_async(data, 1024, 4, 2, writer);
  uses.note_write(writer.mark());
  // --8<-- [end:uses]
  synchronize();
  std::uint32_t copied = 0;
  device::copy_bytes(&copied, CpuPlace{}, target.data(), GpuPlace{0}, 4);
  CHECK(copied == 1);
  CHECK(uses.is_idle());
}

TEST_CASE("the page's repeated launches are one launch of a graph") {
  constexpr int count = 1000;
  const memory::Allocation memory(GpuPlace{0}, 2 * count * sizeof(float));
  float* const data = static_cast<float*>(memory.data());
  device::Stream& stream = device::Stream::current(GpuPlace{0});
  const std::string text =
      "struct tessera_arguments { float* y; float value; int count; };\n"
      "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < a.count) a.y[i] = a.value * i;\n"
      "}\n";
  const device::Kernel& kernel = device::find_kernel(GpuPlace{0}, text, "a ramp");
  const auto launch = [&](float* to, float value) {
    struct {
      float* y;
      float value;
      int count;
    } const arguments{to, value, count};
    kernel.launch(stream, (count + 255) / 256, 256, 0, std::as_bytes(std::span(&arguments, 1)), "a ramp",
                  std::source_location::current());
  };
  // --8<-- [start:graphs]
  device::LaunchGraphs graphs;  // of this step
  for (int step = 0; step < 5; ++step) {
    device::CollectedLaunches collected(graphs);
    launch(data, 0.5f);
    launch(data + count, static_cast<float>(step));
    collected.finish();  // from the second step on one launch, in which an argument has changed
  }
  // --8<-- [end:graphs]
  std::vector<float> result(2 * count);
  device::copy_async(result.data(), CpuPlace{}, data, GpuPlace{0}, 2 * count * sizeof(float), stream);
  stream.synchronize();
  CHECK(result[999] == 499.5f);
  CHECK(result[1999] == 3996.0f);
}

TEST_CASE("the page's kernel is compiled and launched") {
  constexpr int count = 1000;
  const memory::Allocation memory(GpuPlace{0}, count * sizeof(float));
  float* const data = static_cast<float*>(memory.data());
  // --8<-- [start:kernel]
  const std::string text = R"cuda(
    struct tessera_arguments { float* y; float value; int count; };
    extern "C" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < a.count) a.y[i] = a.value * i;
    })cuda";
  struct Arguments {
    float* y;
    float value;
    int count;
  };
  const Arguments arguments{.y = data, .value = 0.5f, .count = count};
  const device::Kernel& kernel = device::find_kernel(GpuPlace{0}, text, "a ramp");
  kernel.launch(device::Stream::current(GpuPlace{0}), (count + 255) / 256, 256, 0,
                std::as_bytes(std::span(&arguments, 1)), "a ramp", std::source_location::current());
  // --8<-- [end:kernel]
  std::vector<float> result(count);
  device::copy_bytes(result.data(), CpuPlace{}, data, GpuPlace{0}, count * sizeof(float));
  CHECK(result[999] == 499.5f);
}
