module;
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.io;
import tessera.core;

// Temporary file, fsync, rename, fsync of the folder.
namespace tessera::io {

namespace {

// The disk begins with so much while the rest is still copied into the page cache: docs/decisions/files.md has the times.
constexpr std::ptrdiff_t most_at_once = std::ptrdiff_t{32} << 20;
constexpr std::size_t most_to_collect = std::size_t{64} << 10;

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The file that a path means where it exists, by way of symbolic links; otherwise the path.
std::string without_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
  return resolved != nullptr ? std::string(resolved.get()) : path;
}

/// A name for a temporary file that no other thread or process takes; beside the target, so that it can be renamed.
std::string temporary_name(const std::string& target) {
  static std::atomic<std::uint32_t> count{0};
  static const std::uint32_t seed = std::random_device{}();
  const auto slash = target.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "" : target.substr(0, slash + 1);
  std::string file = slash == std::string::npos ? target : target.substr(slash + 1);
  file.resize(std::min<std::size_t>(file.size(), 200));  // names end at 255 bytes
  return folder + "." + file + "." + std::to_string(::getpid()) + "-" + std::to_string(seed) + "-" +
         std::to_string(count.fetch_add(1, std::memory_order_relaxed)) + ".tmp";
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(quoted_path(path)) {
  if (path.empty() || path.find('\0') != std::string::npos) fail(EINVAL, "the path is empty or has a zero byte");
  target_ = without_links(path);
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces && S_ISDIR(old.st_mode)) fail(EISDIR, "it is a folder");
  // Renaming would put a file in the place of the device or pipe.
  if (replaces && !S_ISREG(old.st_mode))
    fail(EINVAL, "it is a device or pipe, and files are written beside their target");
  // A file that may not be written to is not to be replaced either, although its folder would allow that.
  if (replaces && ::access(target_.c_str(), W_OK) != 0) fail(errno, "it exists");
  std::string temporary = temporary_name(target_);
  descriptor_ = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno, "making a temporary file beside it");
  temporary_ = std::move(temporary);
  if (replaces) static_cast<void>(::fchmod(descriptor_, old.st_mode & 07777));  // not every file system has permissions
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::fail(int error_number, const char* doing) const {
  raise_system_error(error_number, "saving " + name_ + ": " + doing);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (bytes.size() < most_to_collect) {
    if (collected_.size() + bytes.size() > most_to_collect) flush();
    collected_.insert(collected_.end(), bytes.begin(), bytes.end());
    position_ += std::ssize(bytes);
    return;
  }
  flush();
  write_at(position_, bytes);
  position_ += std::ssize(bytes);
}

void OutputFile::write(std::string_view bytes) { write(std::as_bytes(std::span<const char>(bytes))); }

void OutputFile::flush() {
  write_at(position_ - std::ssize(collected_), collected_);
  collected_.clear();
}

void OutputFile::overwrite(std::ptrdiff_t at, std::span<const std::byte> bytes) {
  const std::ptrdiff_t in_file = position_ - std::ssize(collected_);
  if (at >= in_file) {
    std::ranges::copy(bytes, collected_.begin() + (at - in_file));
    return;
  }
  if (at + std::ssize(bytes) > in_file) flush();
  write_at(at, bytes);
}

void OutputFile::write_at(std::ptrdiff_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(most_at_once));
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), count, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(done < 0 ? errno : ENOSPC, "writing to its temporary file");
    at += done;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    begin_writing_back(at);
  }
}

void OutputFile::begin_writing_back(std::ptrdiff_t end) {
  if (end - on_the_way_ < most_at_once) return;
  // What fails here is said again, or mended, by commit()'s fsync.
  static_cast<void>(::sync_file_range(descriptor_, on_the_way_, end - on_the_way_, SYNC_FILE_RANGE_WRITE));
  on_the_way_ = end;
}

void OutputFile::commit() {
  flush();
  while (::fsync(descriptor_) != 0) {
    if (errno != EINTR) fail(errno, "writing its temporary file to the disk");
  }
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 && errno != EINTR) fail(errno, "closing its temporary file");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno, "renaming its temporary file");
  temporary_.clear();
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written to but not read
  const int synced = ::fsync(folder);
  const int error = errno;
  ::close(folder);
  // EINVAL: the file system has no such thing.
  if (synced != 0 && error != EINVAL) fail(error, "it is complete; only its folder could not be written to the disk");
}

}  // namespace tessera::io
