// What a test's process writes to stderr while a StandardError lives.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace support {

class StandardError {
 public:
  StandardError() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
    if (file_ == nullptr || before_ < 0 || dup2(fileno(file_), STDERR_FILENO) < 0) {
      throw std::runtime_error("stderr cannot be caught");
    }
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  ~StandardError() {
    std::fflush(stderr);
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::fclose(file_);
  }

  /// So far.
  std::string text() const {
    std::string text(1 << 16, '\0');
    const ssize_t size = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }

 private:
  std::FILE* file_;
  int before_;
};

}  // namespace support
