module;
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :compiler_identity;
import :digest;
import :kernel_cache;
import :kernel_log;
import :nvrtc;

// A file in the kernel cache with the compiler's version and what it was read from.
namespace tessera::device {

namespace {

constexpr const char* form = "tessera compiler 1";

/// Everything on which it depends where the library is looked for.
std::string search_digest() {
  Sha256 digest;
  for (const char* name : {"TESSERA_NVRTC", "LD_LIBRARY_PATH"}) {
    const char* value = std::getenv(name);
    digest.add(name).add(value != nullptr ? value : "");
  }
  if (Nvrtc::prefers_older()) digest.add("older");
  return to_string(digest.finish());
}

/// Size and time of a file; empty if it is not there.
std::string state_of(const std::string& path) {
  struct stat status{};
  if (path.empty() || stat(path.c_str(), &status) != 0) return "";
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
         std::to_string(status.st_mtim.tv_nsec);
}

std::string file_of(const std::string& directory) { return directory + "/compiler-" + search_digest() + ".txt"; }

std::string text_of(const CompilerIdentity& identity, const std::string& library) {
  std::ostringstream text;
  text << form << '\n' << library << '\n' << state_of(library) << '\n' << identity.version << '\n';
  for (const int architecture : identity.architectures) text << architecture << ' ';
  text << '\n';
  return std::move(text).str();
}

std::optional<CompilerIdentity> remembered(const std::string& directory) {
  if (directory.empty()) return std::nullopt;
  const std::vector<std::byte> bytes = read_file(file_of(directory));
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::string form_here, library, state, architectures;
  CompilerIdentity identity;
  for (std::string* line : {&form_here, &library, &state, &identity.version, &architectures}) std::getline(text, *line);
  std::istringstream numbers(architectures);
  for (int number = 0; numbers >> number;) identity.architectures.push_back(number);
  const bool is_good = text && form_here == form && !state.empty() && state == state_of(library) &&
                       text_of(identity, library).size() == bytes.size();
  if (!is_good || identity.architectures.empty()) return std::nullopt;
  return identity;
}

void remember(const std::string& directory, const CompilerIdentity& identity, const std::string& library) {
  if (directory.empty() || state_of(library).empty()) return;
  const std::string text = text_of(identity, library);
  const std::string problem = write_file(file_of(directory), std::as_bytes(std::span(text)));
  if (!problem.empty()) log_kernel_once("kernels are not kept on disk: " + problem);
}

struct Known {
  std::mutex mutex;
  std::optional<CompilerIdentity> identity;
  bool is_asked = false;  // NVRTC itself
};

Known& known() {
  static auto& known = *new Known;
  return known;
}

/// Asks NVRTC. The caller holds the mutex.
void ask(Known& known) {
  const Nvrtc& nvrtc = Nvrtc::instance();
  CompilerIdentity asked{.version = nvrtc.version(), .architectures = nvrtc.architectures()};
  known.is_asked = true;
  const std::string directory = cache_directory();
  if (nvrtc.reason().empty() && asked != remembered(directory)) remember(directory, asked, nvrtc.path());
  known.identity = std::move(asked);
}

}  // namespace

CompilerIdentity compiler_identity() {
  Known& here = known();
  const std::lock_guard lock(here.mutex);
  if (!here.identity) here.identity = remembered(cache_directory());
  if (!here.identity) ask(here);
  return *here.identity;
}

void correct_compiler_identity() {
  Known& here = known();
  const std::lock_guard lock(here.mutex);
  if (!here.is_asked) ask(here);
}

}  // namespace tessera::device
