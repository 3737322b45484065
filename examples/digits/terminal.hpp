// What is known about the place where text is shown.
#pragma once

#include <functional>

namespace digits {

struct Terminal {
  bool interactive = false;                          ///< a line can be written over
  bool unicode = false;                              ///< characters beyond ASCII are understood
  std::function<int()> columns = [] { return 80; };  ///< width now; it may change while the program runs
};

/// Facts about an open file descriptor and the environment (TERM, LC_ALL, LC_CTYPE, LANG).
Terminal terminal_of(int descriptor);

}  // namespace digits
