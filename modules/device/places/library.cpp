module;
#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.device;
import :library;

// Asking the system's loader for libraries and their functions.
namespace tessera::device::runtime {

namespace {

/// What the loader says, without the name that it repeats.
std::string loader_words(const std::string& file) {
  const char* words = dlerror();
  std::string_view text = words != nullptr ? words : "no reason given";
  if (text.starts_with(file + ": ")) text.remove_prefix(file.size() + 2);
  return std::string(text);
}

}  // namespace

Library::Library(std::string name, const char* variable, const std::vector<std::string>& files)
    : name_(std::move(name)) {
  const char* chosen = std::getenv(variable);
  const std::string choice = chosen != nullptr ? chosen : "";
  if (choice == "none") {
    reason_ = name_ + " is not to be used: " + variable + " is none";
    return;
  }
  std::string tried, why;
  for (const std::string& file : choice.empty() ? files : std::vector{choice}) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      file_ = file;
      return;
    }
    std::string words = loader_words(file);
    if (!tried.empty()) tried += words == why ? ", " : " (" + why + "), ";
    tried += file;
    why = std::move(words);
  }
  reason_ = name_ + " was not found; looked for " + tried + " (" + why + ")";
}

void Library::reopen_with(const char* variable, const char* value) {
  if (handle_ == nullptr) return;
  dlclose(handle_);
  setenv(variable, value, 1);
  handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  unsetenv(variable);
  if (handle_ == nullptr) reason_ = name_ + " could not be opened again: " + loader_words(file_);
}

void* Library::found(const char* name) const noexcept { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

void* Library::required(const char* name) {
  void* const function = found(name);
  if (function == nullptr && reason_.empty()) reason_ = name_ + " has no function " + name;
  return function;
}

std::vector<std::string> places_of_own_library(const std::string& file) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  return {folder + file, folder + "../lib/" + file, file};
}

}  // namespace tessera::device::runtime
