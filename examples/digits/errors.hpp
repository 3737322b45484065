// What can go wrong outside the training itself; each message is one line that a user can act on.
#pragma once

#include <stdexcept>

namespace digits {

/// The command line asks for something that does not exist or makes no sense.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A data file is missing, damaged, or not what it claims to be.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A result could not be written; what stood there before is untouched.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace digits
