// The kernels in Tessera, and what is known of the GPU that runs them.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

/// The CUDA libraries that this process finds; what is missing is said in its place.
std::string found(bool is_there, const char* (*describe)()) {
  if (!is_there) return "none";
  return describe();
}

/// One line about this program, the GPU and the libraries, or why there is no GPU.
void print_about() {
  std::cout << R"({"compiler": )" << quoted("clang " __clang_version__);
  if (device_count() == 0) {
    std::cout << R"(, "problem": )" << quoted(no_device_reason()) << "}" << std::endl;
    return;
  }
  const DeviceInfo& info = devices().front();
  std::cout << R"(, "device": )" << quoted(info.name) << R"(, "bytes": )" << info.total_bytes << R"(, "l2_bytes": )"
            << info.l2_bytes << R"(, "multiprocessors": )" << info.multiprocessors << R"(, "compute": )"
            << quoted(std::to_string(info.compute_major) + "." + std::to_string(info.compute_minor))
            << R"(, "driver": )" << info.driver_version << R"(, "no_compiler": )"
            << quoted(device::no_compiler_reason()) << R"(, "cublas": )"
            << quoted(found(cublas::is_there(), cublas::description)) << R"(, "kernels": )"
            << quoted(found(device_kernels::has_kernels(), device_kernels::kernels_library)) << "}" << std::endl;
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const auto& kernels :
       {elementwise_kernels(), row_kernels(), moving_kernels(), pattern_kernels(), product_kernels()})
    all.insert(all.end(), kernels.begin(), kernels.end());
  return all;
}

}  // namespace

}  // namespace bench

/// `about` and `compile` print one line each; otherwise as bench::serve.
int main(int count, char** arguments) {
  const std::string command = count > 1 ? arguments[1] : "";
  if (command == "about") {
    bench::print_about();
    return 0;
  }
  if (command == "compile") {
    bench::time_compiling();
    return 0;
  }
  return bench::serve({.name = "Tessera",
                       .kernels = bench::all_kernels(),
                       .synchronize = [] { synchronize(); },
                       .trim = [] { memory::trim(bench::gpu); }},
                      count, arguments);
}
