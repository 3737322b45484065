// Writes one C++ file with the CUDA text of every case, for the host's compiler: write_kernels FILE.
#include <complex>
#include <cstdio>
#include <fstream>
#include <string>

#include "host_text.hpp"

import tessera;

#include "cases.hpp"

namespace {

void write_case(std::ostream& out, std::string& table, const std::string& name, const tessera::DeviceLaunch& launch) {
  const std::string kernel = "kernel_" + name;
  out << "#define tessera_kernel " << kernel << "\nnamespace case_" << name << " {\n"
      << shim::host_text(launch.kernel()) << "\nvoid run(const void* arguments, unsigned blocks, unsigned threads) {\n"
      << "  run_kernel(" << kernel << ", *static_cast<const tessera_arguments*>(arguments), blocks, threads);\n}\n"
      << "}\n#undef tessera_kernel\n\n";
  table += "    {\"" + name + "\", R\"cuda(" + launch.kernel() + ")cuda\", sizeof(case_" + name +
           "::tessera_arguments), case_" + name + "::run},\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ofstream out(arguments[1]);
  const tessera::Array<std::complex<float>, 1> z = tessera::full(tessera::Dim{1}, std::complex<float>(1));
  const tessera::DeviceLaunch with_complex(z, z + z);
  out << "#include \"cuda_language.hpp\"\n#include \"host_kernels.hpp\"\n#include \"run_kernel.hpp\"\n\n"
      << shim::host_text(with_complex.support()) << '\n';
  std::string table;
  cases::for_each([&](const char* name, double, const auto& destination, const auto& expression, auto indices) {
    write_case(out, table, name, tessera::DeviceLaunch(destination, expression, indices));
  });
  out << "HostKernel host_kernel(std::string_view name) {\n  static const HostKernel kernels[] = {\n"
      << table
      << "  };\n  for (const HostKernel& kernel : kernels) {\n    if (kernel.name == name) return kernel;\n  }\n"
      << "  return {};\n}\n";
  return out.good() ? 0 : 1;
}
