// A stand-in for NVRTC: compiles CUDA text for the host, as a shared library that the fake driver loads in place of a
// cubin.
//
// Environment: FAKE_NVRTC_CACHE=<directory> keeps what was compiled, FAKE_NVRTC_VERSION=<major>.<minor> (13.0),
// FAKE_NVRTC_OPENED=<file> gets a line for each process that opens the library, FAKE_NVRTC_CALLS=<file> one for each
// text that is compiled, FAKE_NVRTC_DELAY=<milliseconds> makes it slower.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "../shim/host_text.hpp"

namespace {

constexpr int success = 0, invalid_program = 4, invalid_option = 5, compilation_failed = 6;

struct Program {
  std::string source;
  std::string library;
  std::string log;
};

std::string variable(const char* name, const std::string& otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : otherwise;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What the host's compiler reads.
std::string whole_text(const std::string& source) {
  return "#include \"cuda_language.hpp\"\n" + shim::host_text(source) + "\n#include \"host_kernel.hpp\"\n";
}

/// FNV-1a of everything on which the library depends, in 16 hexadecimal digits.
std::string name_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto add = [&](const std::string& part) {
    for (const char character : part) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ull;
  };
  for (const char* header :
       {"threads.hpp", "cuda_language.hpp", "cuda_math.hpp", "cuda_threads.hpp", "host_kernel.hpp"})
    add(contents(std::string(SHIM_FOLDER "/") + header));
  add(HOST_COMPILER);
  add(text);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

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

bool compile_to(const std::string& text, const std::string& path, std::string& log) {
  const std::string own = path + "." + std::to_string(getpid()) + "." +
                          std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()));
  std::ofstream(own + ".cpp") << text;
  const bool good =
      run({HOST_COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-fno-strict-aliasing",
           "-fwrapv", "-ffp-contract=off", "-nostdlib", "-I", SHIM_FOLDER, "-o", own + ".so", own + ".cpp"},
          own + ".log");
  log = contents(own + ".log");
  if (good) std::filesystem::rename(own + ".so", path);
  for (const char* rest : {".cpp", ".log"}) std::filesystem::remove(own + rest);
  return good;
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
  return std::sscanf(variable("FAKE_NVRTC_VERSION", "13.0").c_str(), "%d.%d", major, minor) == 2 ? success : 1;
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
  *program = new Program{.source = source, .library = {}, .log = {}};
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
  if (joined.find("--gpu-architecture=sm_") == joined.npos) return invalid_option;
  const std::string text = whole_text(program->source);
  const std::string folder = variable("FAKE_NVRTC_CACHE", std::filesystem::temp_directory_path() / "fake_nvrtc");
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + name_of(text) + ".so";
  if (!std::filesystem::exists(path) && !compile_to(text, path, program->log)) return compilation_failed;
  const std::string sources = variable("FAKE_NVRTC_SOURCES", "");
  if (!sources.empty()) std::ofstream(sources + "/" + name_of(text) + ".cu") << program->source;
  program->library = contents(path);
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
  *bytes = program->library.size();
  return program->library.empty() ? invalid_program : success;
}

int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::memcpy(cubin, program->library.data(), program->library.size());
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
