// warm_kernels ARCHITECTURE FOLDER: compiles the CUDA texts of a folder (*.cu) for an architecture, 90 for sm_90, into the cache on disk, where
// programs on such a GPU find them. Needs NVRTC and no GPU. ./dev warm calls it with the texts of the kernels that a program launches.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

import tessera;

using namespace tessera;
namespace fs = std::filesystem;

namespace {

/// What the caller is told, in one line.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string names_of(const std::vector<int>& architectures) {
  std::string text;
  for (const int number : architectures) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// "90" or "sm_90". Throws Problem, with what NVRTC knows, for anything else.
int architecture_of(std::string_view text) {
  const std::vector<int> known = device::compiler_architectures();
  const std::string_view digits = text.starts_with("sm_") ? text.substr(3) : text;
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (is_number && std::ranges::find(known, number) != known.end()) return number;
  throw Problem("'" + std::string(text) + "' is no architecture that NVRTC " + device::compiler_version() +
                " compiles for; it knows " + names_of(known));
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> texts_of(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

/// Compiles one text. True if it was there already.
bool was_warm(const fs::path& path, int architecture) {
  const std::string text = contents(path);
  const std::string cause = path.filename().string();
  if (device::compile_kernel(text, architecture, cause).from_cache) return true;
  if (!device::compile_kernel(text, architecture, cause).from_cache)
    throw Problem("kernels cannot be kept in '" + device::kernel_folder() + "'; TESSERA_LOG=jit says why");
  return false;
}

/// Compiles all, some at a time. Returns how many were there already.
int warm_all(const std::vector<fs::path>& texts, int architecture) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> warm = 0;
  std::exception_ptr problem;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < texts.size(); k = next++) warm += was_warm(texts[k], architecture) ? 1 : 0;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (problem == nullptr) problem = std::current_exception();
      next = texts.size();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < std::clamp(std::thread::hardware_concurrency(), 1u, 8u); ++k) threads.emplace_back(work);
  }
  if (problem != nullptr) std::rethrow_exception(problem);
  return warm;
}

void warm(std::string_view wanted, const fs::path& folder) {
  using Clock = std::chrono::steady_clock;
  if (const std::string reason = device::no_compiler_reason(); !reason.empty()) throw Problem(reason);
  const int architecture = architecture_of(wanted);
  const std::vector<fs::path> texts = texts_of(folder);
  if (texts.empty()) throw Problem("there is no kernel in '" + folder.string() + "'");
  const auto begin = Clock::now();
  const int there = warm_all(texts, architecture);
  const std::chrono::duration<double> passed = Clock::now() - begin;
  std::printf("%zu kernels for sm_%d by NVRTC %s: %zu compiled, %d were there; %.1f s; in %s\n", texts.size(),
              architecture, device::compiler_version().c_str(), texts.size() - static_cast<std::size_t>(there), there,
              passed.count(), device::kernel_folder().c_str());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::string_view(arguments[1]) == "--architectures") {
      if (const std::string reason = device::no_compiler_reason(); !reason.empty()) throw Problem(reason);
      std::puts(names_of(device::compiler_architectures()).c_str());
      return 0;
    }
    if (count != 3) throw Problem("usage: warm_kernels ARCHITECTURE FOLDER, or warm_kernels --architectures");
    warm(arguments[1], arguments[2]);
    return 0;
  } catch (const Problem& problem) {
    std::fprintf(stderr, "warm_kernels: %s\n", problem.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warm_kernels: %s\n", error.what());
    return 1;
  }
}
