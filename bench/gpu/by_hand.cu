// The kernels as one writes them with CUDA, Thrust, CUB and cuBLASLt, without Tessera.
#include <cub/version.cuh>

#include "by_hand.cuh"

namespace {

std::string number_of(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

/// One line about this program and its libraries.
void print_about() {
  std::cout << R"({"compiler": )" << bench::quoted("nvcc " + number_of(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__))
            << R"(, "cub": )"
            << bench::quoted(number_of(CUB_VERSION / 100000, CUB_VERSION / 100 % 1000) + "." +
                             std::to_string(CUB_VERSION % 100))
            << R"(, "cublaslt": )" << bench::quoted(bench::cublaslt_version()) << "}" << std::endl;
}

}  // namespace

/// `about` prints one line; otherwise as bench::serve.
int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "about") {
    print_about();
    return 0;
  }
  bench::Library library{"by hand", bench::cuda_kernels(), [] { bench::check(cudaDeviceSynchronize()); }, [] {}};
  for (const auto& kernels : {bench::cub_kernels(), bench::cublaslt_kernels()})
    library.kernels.insert(library.kernels.end(), kernels.begin(), kernels.end());
  return bench::serve(library, count, arguments);
}
