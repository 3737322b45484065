// Compiles the CUDA text of kernels for the host. A library is named after its first kernel; a link with the name of each kernel leads to it.
#include "host_compiler.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "../shim/host_text.hpp"

namespace fake {

namespace {

std::uint64_t hash_of(std::uint64_t hash, const std::string& text) {  // FNV-1a
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ull;
  return hash;
}

std::uint64_t hash_of_tools() {
  std::uint64_t hash = hash_of(0xcbf29ce484222325ull, HOST_COMPILER);
  for (const char* header : {"threads.hpp", "cuda_language.hpp", "cuda_math.hpp", "cuda_threads.hpp", "host_text.hpp"})
    hash = hash_of(hash, contents(std::string(SHIM_FOLDER "/") + header));
  return hash;
}

std::string link_of(const std::string& name) { return library_folder() + "/" + name + ".in"; }

/// Runs a program, its standard error in a file; true if it ends well.
bool run(const std::vector<std::string>& words, const std::string& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen(errors.c_str(), "w", stderr) != nullptr) execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A file name that no other thread or process uses.
std::string own_path(const std::string& path) {
  return path + "." + std::to_string(getpid()) + "." +
         std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()));
}

void link(const std::string& name, const std::string& library) {
  const std::string own = own_path(link_of(name));
  std::filesystem::create_symlink(library, own);
  std::filesystem::rename(own, link_of(name));
}

}  // namespace

std::string variable(const char* name, const std::string& otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : otherwise;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string name_of(const std::string& source) {
  static const std::uint64_t tools = hash_of_tools();
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_of(tools, source)));
  return digits;
}

std::string library_folder() {
  std::string folder = variable("FAKE_NVRTC_CACHE", std::filesystem::temp_directory_path() / "fake_nvrtc");
  std::filesystem::create_directories(folder);
  return folder;
}

std::string library_of(const std::string& name) {
  std::error_code error;
  const auto library = std::filesystem::read_symlink(link_of(name), error);
  return !error && std::filesystem::exists(library, error) ? library.string() : "";
}

Compiled compile(const std::vector<std::string>& sources, bool optimised) {
  std::string text = "#include \"cuda_language.hpp\"\n";
  for (const std::string& source : sources) text += shim::host_kernel(source, name_of(source));
  const std::string library = library_folder() + "/" + name_of(text) + ".so";
  const std::string own = own_path(library);
  std::ofstream(own + ".cpp") << text;
  const bool good = run({HOST_COMPILER, "-std=c++20", optimised ? "-O1" : "-O0", "-shared", "-fPIC",
                         "-fvisibility=hidden", "-w", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off",
                         "-nostdlib", "-I", SHIM_FOLDER, "-o", own + ".so", own + ".cpp"},
                        own + ".log");
  const std::string log = contents(own + ".log");
  if (good) {
    std::filesystem::rename(own + ".so", library);
    for (const std::string& source : sources) link(name_of(source), library);
  }
  for (const char* rest : {".cpp", ".log"}) std::filesystem::remove(own + rest);
  return {good, library, log};
}

}  // namespace fake
