module;
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
module tessera.device;
import :kernel_log;

// The log of kernels.
namespace tessera::device {

bool kernels_are_logged() {
  const char* text = std::getenv("TESSERA_LOG");
  std::string_view topics = text != nullptr ? text : "";
  while (!topics.empty()) {
    const std::size_t comma = topics.find(',');
    if (topics.substr(0, comma) == "jit") return true;
    if (comma == topics.npos) return false;
    topics.remove_prefix(comma + 1);
  }
  return false;
}

void log_kernel(const std::string& line) {
  if (kernels_are_logged()) std::fputs(("tessera jit: " + line + "\n").c_str(), stderr);
}

void log_kernel_once(const std::string& line) {
  static std::atomic<bool> said = false;
  if (kernels_are_logged() && !said.exchange(true)) log_kernel(line);
}

}  // namespace tessera::device
