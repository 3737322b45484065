module;
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>
module tessera.device;
import tessera.core;
import :digest;
import :kernel_cache;

// Reading and writing entries of the kernel cache.
namespace tessera::device {

namespace {

constexpr std::array<char, 16> magic = {'t', 'e', 's', 's', 'e', 'r', 'a', ' ', 'k', 'e', 'r', 'n', 'e', 'l', ' ', '1'};

struct Header {
  std::array<char, 16> magic{};
  Digest key{};
  Digest contents{};  // of what follows the header
  std::uint64_t log_bytes = 0;
  std::uint64_t cubin_bytes = 0;
};
static_assert(sizeof(Header) == 96);

/// A file descriptor that is closed.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Some file systems say only here that there was no room.
  bool close() {
    const int closing = std::exchange(descriptor_, -1);
    return closing < 0 || ::close(closing) == 0;
  }

 private:
  int descriptor_;
};

std::string error_text() { return std::error_code(errno, std::generic_category()).message(); }

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

bool read_all(int descriptor, std::vector<std::byte>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

/// What is wrong with an entry; empty if nothing is.
std::string damage(std::span<const std::byte> bytes, const Digest& key) {
  if (bytes.size() < sizeof(Header)) return "it is shorter than its header";
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != magic) return "it is no entry of this form";
  if (header.key != key) return "it is the entry of another kernel";
  const std::uint64_t rest = bytes.size() - sizeof header;
  if (header.log_bytes > rest || header.cubin_bytes != rest - header.log_bytes)
    return "it has another length than it says";
  if (Sha256().add(bytes.subspan(sizeof header)).finish() != header.contents) return "its contents have changed";
  return header.cubin_bytes == 0 ? "it is empty" : "";
}

CachedKernel parts(std::span<const std::byte> bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto log = bytes.subspan(sizeof header, header.log_bytes);
  const auto cubin = bytes.subspan(sizeof header + header.log_bytes);
  return {.cubin = {cubin.begin(), cubin.end()}, .log = {reinterpret_cast<const char*>(log.data()), log.size()}};
}

std::vector<std::byte> entry(const Digest& key, const CachedKernel& kernel) {
  std::vector<std::byte> bytes(sizeof(Header));
  const auto log = std::as_bytes(std::span(kernel.log));
  bytes.insert(bytes.end(), log.begin(), log.end());
  bytes.insert(bytes.end(), kernel.cubin.begin(), kernel.cubin.end());
  const std::span<const std::byte> contents = std::span(bytes).subspan(sizeof(Header));
  const Header header{.magic = magic,
                      .key = key,
                      .contents = Sha256().add(contents).finish(),
                      .log_bytes = kernel.log.size(),
                      .cubin_bytes = kernel.cubin.size()};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

/// A name that no other thread or process uses.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> number = 0;
  return path + "." + std::to_string(getpid()) + "." + std::to_string(number.fetch_add(1)) + ".tmp";
}

}  // namespace

std::string cache_directory() {
  if (const std::string chosen = variable("TESSERA_CACHE_DIR"); !chosen.empty()) return chosen;
  if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/')) return caches + "/tessera";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/tessera";
  return "";
}

std::string cache_path(const std::string& directory, const Digest& key) {
  return directory + "/" + to_string(key) + ".kernel";
}

std::optional<CachedKernel> read_cached(const std::string& path, const Digest& key, std::string& remark) {
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  const std::vector<std::byte> bytes = read_file(path);
  const std::string problem = damage(bytes, key);
  if (problem.empty()) return parts(bytes);
  remark = path + " was removed: " + problem;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    remark = path + " cannot be used (" + problem + ") nor removed: " + error_text();
  return std::nullopt;
}

std::vector<std::byte> read_file(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.is_open() || fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  if (!read_all(file.descriptor(), bytes)) return {};
  return bytes;
}

std::string write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) return "no directory for " + path + ": " + failed.message();
  const std::string temporary = temporary_name(path);
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.is_open()) return temporary + " cannot be written: " + error_text();
  const bool good =
      write_all(file.descriptor(), bytes) && file.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (good) return "";
  const std::string reason = temporary + " cannot be written: " + error_text();
  ::unlink(temporary.c_str());
  return reason;
}

std::string write_cached(const std::string& path, const Digest& key, const CachedKernel& kernel) {
  return write_file(path, entry(key, kernel));
}

}  // namespace tessera::device
