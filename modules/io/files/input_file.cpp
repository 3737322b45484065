module;
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
module tessera.io;
import tessera.core;
import tessera.schedule;

// Reading by pread(), which several threads may do at once.
namespace tessera::io {

namespace {

// Most of reading from the page cache into fresh memory is the kernel's copy and its clearing of pages, in which threads do not meet.
constexpr std::ptrdiff_t piece_bytes = std::ptrdiff_t{4} << 20;
constexpr std::ptrdiff_t least_for_threads = 2 * piece_bytes;

}  // namespace

InputFile::InputFile(const std::string& path) : name_(quoted_path(path)) {
  if (path.find('\0') != std::string::npos)
    raise_system_error(EINVAL, "opening " + name_ + ": the path has a zero byte");
  // A pipe without a writer would block the open.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) raise_system_error(errno, "opening " + name_);
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(descriptor_);
    raise_system_error(error, "opening " + name_);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    Refusal{.source = name_,
            .expected = "a regular file, whose size says how much there is to read",
            .found = S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device",
            .advice = "copy what it gives into a file first"}
        .raise();
  }
  size_ = status.st_size;
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read(std::ptrdiff_t at, std::span<std::byte> to) const {
  if (std::ssize(to) < least_for_threads) return read_piece(at, to);
  // Pieces end where those of the memory's huge pages do, so that each page is cleared by the thread that fills it.
  const auto address = reinterpret_cast<std::uintptr_t>(to.data());
  const auto before = static_cast<std::ptrdiff_t>(address % static_cast<std::uintptr_t>(piece_bytes));
  const std::ptrdiff_t pieces = (before + std::ssize(to) + piece_bytes - 1) / piece_bytes;
  parallel_for(pieces, [&](std::ptrdiff_t piece) {
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(piece * piece_bytes - before, 0);
    const std::ptrdiff_t last = std::min((piece + 1) * piece_bytes - before, std::ssize(to));
    read_piece(at + first, to.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  });
}

void InputFile::read_piece(std::ptrdiff_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), std::min<std::size_t>(to.size(), std::size_t{1} << 30), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) raise_system_error(errno, "reading " + name_ + " at byte " + std::to_string(at));
    if (got == 0) {
      Refusal{.source = name_,
              .at = at,
              .expected = "the " + count_of_bytes(size_) + " that the file had when it was opened",
              .found = "its end",
              .advice = "let nothing else write to a file while it is read"}
          .raise();
    }
    at += got;
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace tessera::io
