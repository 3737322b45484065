// Compiles the kernels of a program before it runs, many at once: compile_texts SOURCES COMMAND...
//
// The command runs a first time with kernels that do nothing, for their CUDA texts' sake: what it prints and whether it succeeds says
// nothing. Then the texts that are not in FAKE_NVRTC_CACHE are compiled for the host, as many as share a library in one call of the
// compiler, which takes an eighth of the time that single calls take.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fake/host_compiler.hpp"

namespace {

constexpr std::size_t kernels_of_a_library = 48;

/// Runs the command, its output in a file.
bool collect(const std::filesystem::path& sources, std::span<char*> command) {
  for (const auto& file : std::filesystem::directory_iterator(sources)) {
    if (file.path().extension() == ".cu") std::filesystem::remove(file.path());
  }
  const std::string log = sources / "first_run.log";
  const pid_t child = fork();
  if (child == 0) {
    setenv("FAKE_NVRTC_COLLECT", "1", 1);
    setenv("FAKE_NVRTC_SOURCES", sources.c_str(), 1);
    if (std::freopen(log.c_str(), "w", stdout) != nullptr && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0)
      execv(command.front(), command.data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return false;
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) != 127;
  if (!ended) std::fprintf(stderr, "%s did not run to its end; see %s\n", command.front(), log.c_str());
  return ended;
}

std::vector<std::string> texts_to_compile(const std::filesystem::path& sources, std::size_t& all) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(sources)) {
    if (file.path().extension() == ".cu") paths.push_back(file.path());
  }
  std::ranges::sort(paths);
  all = paths.size();
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    if (fake::library_of(path.stem()).empty()) texts.push_back(fake::contents(path));
  }
  return texts;
}

/// Kernels of matrix products, which work a while for each of their elements.
bool runs_long(const std::string& text) { return text.find("tessera_factor") != text.npos; }

/// Number of libraries that did not compile; their logs are printed.
int compile_all(std::vector<std::string> texts) {
  const auto quick = std::ranges::partition(texts, runs_long);
  const auto first_quick = static_cast<std::size_t>(quick.begin() - texts.begin());
  const std::size_t libraries = (texts.size() + kernels_of_a_library - 1) / kernels_of_a_library;
  std::atomic<std::size_t> next = 0;
  std::atomic<int> failures = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < libraries; k = next++) {
      const auto first = texts.begin() + static_cast<std::ptrdiff_t>(k * kernels_of_a_library);
      const auto last =
          texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), (k + 1) * kernels_of_a_library));
      const fake::Compiled compiled = fake::compile({first, last}, k * kernels_of_a_library < first_quick);
      if (compiled.good) continue;
      ++failures;
      std::fprintf(stderr, "%s\n", compiled.log.c_str());
    }
  };
  std::vector<std::thread> workers;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  return failures;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::filesystem::path sources = words[1];
  std::filesystem::create_directories(sources);
  const auto begin = std::chrono::steady_clock::now();
  if (!collect(sources, std::span(words + 2, static_cast<std::size_t>(count - 1)))) return 1;
  const double collecting = seconds_since(begin);
  std::size_t all = 0;
  const std::vector<std::string> texts = texts_to_compile(sources, all);
  const int failures = compile_all(texts);
  std::printf("%zu kernels in %.1f s, %zu of them compiled in %.1f s\n", all, collecting, texts.size(),
              seconds_since(begin) - collecting);
  return failures == 0 ? 0 : 1;
}
