// A stand-in for NVRTC: compiles CUDA text for the host. What it gives in place of a cubin names a shared library, and the kernel in it, for
// the fake driver to load.
//
// Environment: FAKE_NVRTC_CACHE=<directory> keeps what was compiled, FAKE_NVRTC_VERSION=<major>.<minor> (13.1; 12.8 if the file is called libnvrtc.so.12),
// FAKE_NVRTC_OPENED=<file> gets a line for each process that opens the library, FAKE_NVRTC_CALLS=<file> one for each
// text that is compiled, FAKE_NVRTC_DELAY=<milliseconds> makes it slower, FAKE_NVRTC_SOURCES=<directory> gets the texts; with
// FAKE_NVRTC_COLLECT=1 they are kept and not compiled, and the kernels do nothing.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "host_compiler.hpp"

namespace {

constexpr int success = 0, invalid_program = 4, invalid_option = 5, compilation_failed = 6;

struct Program {
  std::string source;
  std::string cubin;
  std::string ptx;
  std::string log;
};

using fake::variable;

/// That of the environment, else of the library's own name: libnvrtc.so.12 is of version 12.8.
std::string version() {
  Dl_info own{};
  const bool is_old = dladdr(reinterpret_cast<const void*>(&version), &own) != 0 &&
                      std::string(own.dli_fname).ends_with("libnvrtc.so.12");
  return variable("FAKE_NVRTC_VERSION", is_old ? "12.8" : "13.1");
}

/// The number in the kernel's launch bounds; "0" without them.
std::string bound_of(const std::string& source) {
  const std::string name = "__launch_bounds__(";
  const std::size_t at = source.find(name);
  return at == source.npos ? "0" : std::to_string(std::atoi(source.c_str() + at + name.size()));
}

/// For fake/kernels.cpp: words, each with an end of its own.
std::string fake_code(const std::string& kind, const std::string& kernel, const std::string& library,
                      const std::string& bound) {
  const bool is_collected = !variable("FAKE_NVRTC_COLLECT", "").empty();
  return kind + '\0' + version() + '\0' + kernel + '\0' + (is_collected ? "" : library) + '\0' + bound + '\0';
}

/// CUDA 12.8 has PTX 8.7, and CUDA 13.0 has 9.0.
std::string ptx_version() {
  int major = 0, minor = 0;
  std::sscanf(version().c_str(), "%d.%d", &major, &minor);
  return std::to_string(major - 4) + "." + std::to_string(major == 12 && minor > 5 ? minor - 1 : minor);
}

void append_line(const char* file, const std::string& line) {
  const std::string path = variable(file, "");
  if (!path.empty()) std::ofstream(path, std::ios::app) << line << '\n';
}

void note_call(const std::string& options) { append_line("FAKE_NVRTC_CALLS", options); }

[[maybe_unused]] const bool is_opened = (append_line("FAKE_NVRTC_OPENED", "opened"), true);

/// Some of those that NVRTC knows, and that of the fake GPUs if FAKE_CUDA_CAPABILITY names another.
std::vector<int> known_architectures() {
  std::vector<int> known = {80, 90, 100, 120};
  const int own = std::atoi(variable("FAKE_CUDA_CAPABILITY", "90").c_str());
  for (const int number : known) {
    if (number == own) return known;
  }
  known.push_back(own);
  return known;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  return std::sscanf(version().c_str(), "%d.%d", major, minor) == 2 ? success : 1;
}

int nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(known_architectures().size());
  return success;
}

int nvrtcGetSupportedArchs(int* numbers) {
  for (const int number : known_architectures()) *numbers++ = number;
  return success;
}

int nvrtcCreateProgram(Program** program, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  if (headers != 0) return invalid_option;
  *program = new Program{.source = source, .cubin = {}, .ptx = {}, .log = {}};
  return success;
}

int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return success;
}

int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  std::string joined;
  for (int k = 0; k < count; ++k) joined += std::string(k == 0 ? "" : " ") + options[k];
  note_call(joined);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(variable("FAKE_NVRTC_DELAY", "0").c_str())));
  const bool is_machine_code = joined.find("--gpu-architecture=sm_") != joined.npos;
  if (!is_machine_code && joined.find("--gpu-architecture=compute_") == joined.npos) return invalid_option;
  const std::string name = fake::name_of(program->source);
  const std::string sources = variable("FAKE_NVRTC_SOURCES", "");
  if (!sources.empty()) {
    std::filesystem::create_directories(sources);
    std::ofstream(sources + "/" + name + ".cu") << program->source;
  }
  std::string library = fake::library_of(name);
  if (variable("FAKE_NVRTC_COLLECT", "").empty() && library.empty()) {
    const fake::Compiled compiled = fake::compile({program->source}, true);
    program->log = compiled.log;
    if (!compiled.good) return compilation_failed;
    library = compiled.library;
  }
  const std::string bound = bound_of(program->source);
  program->ptx = ".version " + ptx_version() + "\n" + fake_code("fake ptx", name, library, bound);
  if (is_machine_code) program->cubin = fake_code("fake cubin", name, library, bound);
  program->log =
      "ptxas info    : 0 bytes gmem\nptxas info    : Function properties for tessera_kernel\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 0 barriers\n";
  return success;
}

int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return success;
}

int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return success;
}

int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = program->cubin.size();
  return program->cubin.empty() ? invalid_program : success;
}

int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::memcpy(cubin, program->cubin.data(), program->cubin.size());
  return success;
}

int nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  *bytes = program->ptx.size();
  return program->ptx.empty() ? invalid_program : success;
}

int nvrtcGetPTX(Program* program, char* ptx) {
  std::memcpy(ptx, program->ptx.data(), program->ptx.size());
  return success;
}

const char* nvrtcGetErrorString(int result) {
  switch (result) {
    case success: return "NVRTC_SUCCESS";
    case invalid_program: return "NVRTC_ERROR_INVALID_PROGRAM";
    case invalid_option: return "NVRTC_ERROR_INVALID_OPTION";
    case compilation_failed: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR";
  }
}

}  // extern "C"
