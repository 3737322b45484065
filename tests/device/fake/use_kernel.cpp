// Compiles one kernel for sm_90 and says where it came from: "compiled" or "from the cache", or the error. With
// "small-files" as its argument, files of this process have at most 1000 bytes, as on a disk that is full.
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
import tessera;

using namespace tessera;

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "small-files") == 0) {
    const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
    std::signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  }
  const std::string text =
      "struct tessera_arguments { int* y; };\n"
      "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) { *a.y = 42; }\n";
  try {
    const device::KernelReport report = device::compile_kernel(text, 90, "the program");
    std::cout << (report.from_cache ? "from the cache\n" : "compiled\n");
  } catch (const DeviceError& error) {
    std::cout << "DeviceError: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cout << "another error: " << error.what() << '\n';
  }
}
