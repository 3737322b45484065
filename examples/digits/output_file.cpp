// Files that are written whole or not at all: a temporary file in the same directory takes the target's name at the
// end.
#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "errors.hpp"
#include "text.hpp"

namespace digits {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, int error) {
  throw OutputError(in_quotes(target.string()) + " cannot be written: " + std::generic_category().message(error));
}

/// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  bool is_open() const { return number_ >= 0; }

  /// Zero or the reason why not all of it was written.
  int write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t written = ::write(number_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
  }

  /// Zero or the reason why the content is not safe on the disk.
  int flush_and_close() {
    const int flushed = ::fsync(number_) == 0 ? 0 : errno;
    const int closed = ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
    return flushed != 0 ? flushed : closed;
  }

 private:
  int number_;
};

/// A new file beside `target` that disappears again unless it takes the target's place.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path target) : target_(std::move(target)), descriptor_(create()) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Zero or the reason why `target` was not replaced.
  int replace_target(std::string_view content) {
    if (const int error = descriptor_.write(content)) return error;
    if (const int error = descriptor_.flush_and_close()) return error;
    std::error_code error;
    fs::rename(path_, target_, error);
    if (!error) path_.clear();
    return error.value();
  }

 private:
  Descriptor create() {
    constexpr int attempts = 100;  // names left behind by processes that were killed
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::string name = ".digits-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
      const fs::path path = target_.parent_path() / name;
      Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (!descriptor.is_open() && errno == EEXIST) continue;
      if (!descriptor.is_open()) fail(target_, errno);
      path_ = path;
      return descriptor;
    }
    fail(target_, EEXIST);
  }

  fs::path target_;
  fs::path path_;  // empty when there is nothing to remove
  Descriptor descriptor_;
};

/// The file behind all links, or `target` itself where there is none yet. A directory is refused.
fs::path resolved(const fs::path& target) {
  if (fs::path name = target.filename(); name.empty() || name == "." || name == "..") fail(target, EISDIR);
  std::error_code error;
  fs::path result = fs::weakly_canonical(target, error);
  if (error) fail(target, error.value());
  if (fs::is_directory(result, error)) fail(target, EISDIR);
  return result;
}

/// Devices, pipes and sockets have no content that a new file could replace.
bool is_replaceable(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

Descriptor open_directly(const fs::path& target) {
  Descriptor descriptor(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor.is_open()) fail(target, errno);
  return descriptor;
}

}  // namespace

void write_file(const fs::path& target, std::string_view content) {
  const fs::path file = resolved(target);
  if (!is_replaceable(file)) {
    if (const int error = open_directly(target).write(content)) fail(target, error);
    return;
  }
  TemporaryFile temporary(file);
  if (const int error = temporary.replace_target(content)) fail(target, error);
}

void require_writable(const fs::path& target) {
  const fs::path file = resolved(target);
  if (!is_replaceable(file)) return;  // opening a pipe would wait for its reader
  const TemporaryFile probe(file);
}

void require_replaceable(const fs::path& target) {
  if (!is_replaceable(resolved(target)))
    throw OutputError(in_quotes(target.string()) + " cannot be written: it is a device or pipe, not a file");
  require_writable(target);
}

}  // namespace digits
