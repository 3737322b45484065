module;
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>
module tessera.device;
import tessera.core;
import :driver_table;
import :library;
import :nvrtc;

// Opening and calling NVRTC.
namespace tessera::device {

const Nvrtc& Nvrtc::instance() {
  static const Nvrtc& opened = *new Nvrtc;
  return opened;
}

namespace {

/// A driver does not load what a compiler of a later major version makes.
std::vector<std::string> files_to_look_for() {
  std::vector<std::string> files = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                    "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so"};
  if (Nvrtc::prefers_older()) std::ranges::rotate(files.begin(), files.begin() + 1, files.begin() + 3);
  return files;
}

}  // namespace

bool Nvrtc::prefers_older() {
  const int driver = known_driver_version();
  return driver != 0 && driver < 13000;
}

Nvrtc::Nvrtc() {
  runtime::Library library("the NVRTC library", "TESSERA_NVRTC", files_to_look_for());
  find_functions(library);
  reason_ = library.reason();
  if (reason_.empty()) read_version();
  if (reason_.empty()) find_path();
}

void Nvrtc::find_functions(runtime::Library& library) {
  library.require(version_of_, "nvrtcVersion");
  library.require(count_architectures_, "nvrtcGetNumSupportedArchs");
  library.require(list_architectures_, "nvrtcGetSupportedArchs");
  library.require(create_, "nvrtcCreateProgram");
  library.require(destroy_, "nvrtcDestroyProgram");
  library.require(compile_, "nvrtcCompileProgram");
  library.require(log_size_, "nvrtcGetProgramLogSize");
  library.require(log_, "nvrtcGetProgramLog");
  library.require(cubin_size_, "nvrtcGetCUBINSize");
  library.require(cubin_, "nvrtcGetCUBIN");
  library.require(ptx_size_, "nvrtcGetPTXSize");
  library.require(ptx_, "nvrtcGetPTX");
  library.require(error_, "nvrtcGetErrorString");
}

void Nvrtc::read_version() {
  int major = 0;
  int minor = 0;
  int count = 0;
  if (version_of_(&major, &minor) != 0 || count_architectures_(&count) != 0) {
    reason_ = "NVRTC cannot say its version";
    return;
  }
  version_ = std::to_string(major) + "." + std::to_string(minor);
  architectures_.resize(static_cast<std::size_t>(count));
  list_architectures_(architectures_.data());
}

void Nvrtc::find_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(version_of_), &info) == 0 || info.dli_fname == nullptr) return;
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::canonical(info.dli_fname, failed);
  if (!failed) path_ = resolved.string();
}

void Nvrtc::run(Program program, std::span<const std::string> options, Output output, Compiled& compiled) const {
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const int result = compile_(program, static_cast<int>(texts.size()), texts.data());
  std::size_t bytes = 0;
  if (log_size_(program, &bytes) == 0 && bytes > 1) {
    compiled.log.resize(bytes);
    log_(program, compiled.log.data());
    compiled.log.pop_back();  // the zero at its end
  }
  if (result != 0) {
    compiled.log = std::string(error_(result)) + "\n" + compiled.log;
    return;
  }
  const bool wants_cubin = output == Output::cubin;
  if ((wants_cubin ? cubin_size_ : ptx_size_)(program, &bytes) != 0 || bytes == 0) return;
  compiled.code.resize(bytes);
  compiled.good = (wants_cubin ? cubin_ : ptx_)(program, reinterpret_cast<char*>(compiled.code.data())) == 0;
}

Nvrtc::Compiled Nvrtc::compile(const std::string& source, std::span<const std::string> options, Output output) const {
  Compiled compiled;
  Program program = nullptr;
  if (const int result = create_(&program, source.c_str(), "expression.cu", 0, nullptr, nullptr); result != 0) {
    compiled.log = error_(result);
    return compiled;
  }
  run(program, options, output, compiled);
  destroy_(&program);
  return compiled;
}

}  // namespace tessera::device
