// What the system and the environment say about a terminal.
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace digits {

namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool environment_is_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;  // the first one that is set decides
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.interactive = ::isatty(descriptor) == 1 && environment("TERM") != "dumb";
  terminal.unicode = environment_is_unicode();
  if (!terminal.interactive) return terminal;
  terminal.columns = [descriptor] {
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return static_cast<int>(size.ws_col);
  };
  return terminal;
}

}  // namespace digits
