// Prints a line for each GPU, in CUDA's order: "sm_90 143771 NVIDIA H200", with MiB of memory. Without any: why, on standard error; status 2.
#include <cstdio>
#include <string>
#include <vector>

import tessera;

int main() {
  for (const tessera::DeviceInfo& gpu : tessera::devices()) {
    std::printf("sm_%d%d %td %s\n", gpu.compute_major, gpu.compute_minor, gpu.total_bytes >> 20, gpu.name.c_str());
  }
  if (tessera::device_count() > 0) return 0;
  std::fprintf(stderr, "%s\n", tessera::no_device_reason().c_str());
  return 2;
}
