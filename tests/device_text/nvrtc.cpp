// Finds and calls NVRTC by its published C interface.
#include "nvrtc.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace {

using Program = void*;

void* open_any(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

Nvrtc::Nvrtc() {
  const char* chosen = std::getenv("TESSERA_NVRTC");
  if (chosen != nullptr && *chosen != '\0') {
    library_ = open_any({chosen});
    return;
  }
  library_ = open_any({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so.13",
                       "/usr/local/cuda/lib64/libnvrtc.so"});
}

template <class Function>
Function Nvrtc::function(const char* name) const {
  return reinterpret_cast<Function>(dlsym(library_, name));
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  function<int (*)(int*, int*)>("nvrtcVersion")(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  function<int (*)(int*)>("nvrtcGetNumSupportedArchs")(&count);
  std::vector<int> numbers(static_cast<std::size_t>(count));
  function<int (*)(int*)>("nvrtcGetSupportedArchs")(numbers.data());
  return numbers;
}

Nvrtc::Compiled Nvrtc::compile(const std::string& source, int architecture) const {
  Program program = nullptr;
  const auto create =
      function<int (*)(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
          "nvrtcCreateProgram");
  if (create(&program, source.c_str(), "expression.cu", 0, nullptr, nullptr) != 0) return {};
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  const char* options[] = {target.c_str(), "--std=c++17", "--ptxas-options=--verbose"};
  const int result = function<int (*)(Program, int, const char* const*)>("nvrtcCompileProgram")(program, 3, options);
  Compiled compiled{.good = result == 0, .cubin_bytes = 0, .log = {}};
  std::size_t bytes = 0;
  function<int (*)(Program, std::size_t*)>("nvrtcGetProgramLogSize")(program, &bytes);
  compiled.log.resize(bytes);
  function<int (*)(Program, char*)>("nvrtcGetProgramLog")(program, compiled.log.data());
  if (compiled.good) function<int (*)(Program, std::size_t*)>("nvrtcGetCUBINSize")(program, &compiled.cubin_bytes);
  function<int (*)(Program*)>("nvrtcDestroyProgram")(&program);
  return compiled;
}
