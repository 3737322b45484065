// The text of a CUDA kernel as the host's compiler reads it after cuda_language.hpp.
#pragma once

#include <regex>
#include <string>

namespace shim {

/// Memory that a launch gives a block, `extern __shared__ T name[];`, becomes a pointer to where the shim keeps it.
inline std::string host_text(const std::string& cuda) {
  static const std::regex dynamic(
      R"(extern\s+__shared__\s+((__align__|alignas)\s*\([^)]*\)\s*)?([A-Za-z_][\w:<> ]*?)\s+(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(cuda, dynamic, "static $3* const $4 = reinterpret_cast<$3*>(shim::dynamic_shared);");
}

/// A kernel's text in a namespace, so that many can share a program. Functions of CUDA that some texts overload for complex numbers are
/// brought along: overloads in the namespace would hide them.
inline std::string in_namespace(const std::string& name, const std::string& cuda) {
  std::string text = "namespace " + name + " {\n";
  for (const char* function : {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log",
                               "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"})
    text += "using ::" + std::string(function) + ";\n";
  return text + cuda + "\n}\n";
}

/// The text of `tessera_kernel` with the way into it, so that a library can hold many: functions shim_call_<name> and
/// shim_argument_bytes_<name> around a kernel in a namespace of its own.
inline std::string host_kernel(const std::string& cuda, const std::string& name) {
  static const std::regex entry(R"(extern\s+"C"\s+(?=__global__))");
  const std::string exported = R"(extern "C" __attribute__((visibility("default"))) )";
  return in_namespace("kernel_" + name, std::regex_replace(host_text(cuda), entry, "")) + exported + "void shim_call_" +
         name + "(const void* arguments) { shim::call(kernel_" + name + "::tessera_kernel, arguments); }\n" + exported +
         "const unsigned long shim_argument_bytes_" + name + " = shim::argument_bytes(kernel_" + name +
         "::tessera_kernel);\n";
}

}  // namespace shim
