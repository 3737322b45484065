// warm_kernels ARCHITECTURE FOLDER [DRIVER]: compiles the CUDA texts of a folder (*.cu) for an architecture, 90 for sm_90, into the cache on disk,
// where programs on such a GPU find them. Where the CUDA of the driver there, "12.8", is of an earlier major version than NVRTC, what is kept is
// PTX. Needs NVRTC and no GPU. ./dev warm calls it with the texts of the kernels that a program launches.
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

/// 12080 for "12.8". Throws Problem for what is no version, or one whose PTX this library does not know.
int driver_version_of(std::string_view text) {
  int major = 0, minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  const bool has_minor = first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  const auto second = has_minor ? std::from_chars(first.ptr + 1, end, minor) : first;
  const bool is_version = has_minor && second.ec == std::errc() && second.ptr == end;
  if (is_version && major >= 12 && major < 100 && minor >= 0 && minor < 100) return major * 1000 + minor * 10;
  throw Problem("'" + std::string(text) + "' is no version of a driver's CUDA from 12.0 on, such as 12.8");
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

/// For which GPUs and drivers.
struct Target {
  int architecture;
  int driver_version;
};

/// Compiles one text. True if it was there already.
bool was_warm(const fs::path& path, const Target& target) {
  const std::string text = contents(path);
  const std::string cause = path.filename().string();
  const auto is_kept = [&] {
    return device::compile_kernel(text, target.architecture, cause, target.driver_version).from_cache;
  };
  if (is_kept()) return true;
  if (!is_kept())
    throw Problem("kernels cannot be kept in '" + device::kernel_folder() + "'; TESSERA_LOG=jit says why");
  return false;
}

/// Compiles all, some at a time. Returns how many were there already.
int warm_all(const std::vector<fs::path>& texts, const Target& target) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> warm = 0;
  std::exception_ptr problem;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < texts.size(); k = next++) warm += was_warm(texts[k], target) ? 1 : 0;
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

void warm(std::string_view wanted, const fs::path& folder, std::string_view driver) {
  using Clock = std::chrono::steady_clock;
  if (const std::string reason = device::no_compiler_reason(); !reason.empty()) throw Problem(reason);
  const Target target{.architecture = architecture_of(wanted),
                      .driver_version = driver.empty() ? 0 : driver_version_of(driver)};
  const std::vector<fs::path> texts = texts_of(folder);
  if (texts.empty()) throw Problem("there is no kernel in '" + folder.string() + "'");
  const auto begin = Clock::now();
  const int there = warm_all(texts, target);
  const std::chrono::duration<double> passed = Clock::now() - begin;
  const std::string ptx =
      device::compile_kernel(contents(texts.front()), target.architecture, "warm_kernels", target.driver_version).ptx;
  const std::string form = ptx.empty() ? "" : ", as PTX " + ptx + " for drivers of CUDA " + std::string(driver);
  std::printf("%zu kernels for sm_%d by NVRTC %s%s: %zu compiled, %d were there; %.1f s; in %s\n", texts.size(),
              target.architecture, device::compiler_version().c_str(), form.c_str(),
              texts.size() - static_cast<std::size_t>(there), there, passed.count(), device::kernel_folder().c_str());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::string_view(arguments[1]) == "--architectures") {
      if (const std::string reason = device::no_compiler_reason(); !reason.empty()) throw Problem(reason);
      std::puts(names_of(device::compiler_architectures()).c_str());
      return 0;
    }
    if (count != 3 && count != 4)
      throw Problem("usage: warm_kernels ARCHITECTURE FOLDER [DRIVER], or warm_kernels --architectures");
    warm(arguments[1], arguments[2], count == 4 ? arguments[3] : "");
    return 0;
  } catch (const Problem& problem) {
    std::fprintf(stderr, "warm_kernels: %s\n", problem.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warm_kernels: %s\n", error.what());
    return 1;
  }
}
