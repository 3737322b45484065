// Tests of files that are written whole or not at all.
#include "output_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "errors.hpp"
#include "messages.hpp"
#include "temporary_folder.hpp"

using namespace digits;
namespace fs = std::filesystem;

namespace {

/// While it lives, no file of this process can grow beyond `bytes`: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

std::string complaint(const fs::path& file, std::string_view content = "x") {
  const std::string message = message_of<OutputError>([&] { write_file(file, content); });
  CHECK(message.find('\n') == message.npos);
  return message;
}

}  // namespace

TEST_CASE("a file is written with just its content, and replaced by the next") {
  const TemporaryFolder folder;
  write_file(folder / "report.html", std::string(1 << 20, 'a'));
  CHECK(content_of(folder / "report.html") == std::string(1 << 20, 'a'));
  write_file(folder / "report.html", std::string("b\0c", 3));
  CHECK(content_of(folder / "report.html") == std::string("b\0c", 3));
  write_file(folder / "empty", "");
  CHECK(fs::file_size(folder / "empty") == 0);
  CHECK(folder.entries() == 2);
}

TEST_CASE("a new file can be read by whom the user's mask allows") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(022);
  write_file(folder / "report.html", "x");
  ::umask(before);
  CHECK(fs::status(folder / "report.html").permissions() == fs::perms(0644));
}

TEST_CASE("when the disk is full, the old file stays and nothing is left over") {
  const TemporaryFolder folder;
  write_file(folder / "report.html", "old");
  {
    const FullDisk disk(1000);
    check_contains(complaint(folder / "report.html", std::string(100'000, 'x')),
                   "report.html' cannot be written: File too large");
    check_contains(complaint(folder / "new.html", std::string(100'000, 'x')),
                   "new.html' cannot be written: File too large");
  }
  CHECK(content_of(folder / "report.html") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a place where no file can be is refused with name and reason") {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  check_contains(complaint(folder / "none/report.html"),
                 "none/report.html' cannot be written: No such file or directory");
  check_contains(complaint(folder / "file/report.html"), "file/report.html' cannot be written: Not a directory");
  check_contains(complaint(folder.path()), "cannot be written: Is a directory");
  check_contains(complaint(folder / "file2/"), "file2/' cannot be written: Is a directory");
  check_contains(complaint(folder / ".."), "cannot be written: Is a directory");
  check_contains(complaint(""), "'' cannot be written: Is a directory");
  check_contains(complaint(folder / std::string(300, 'n')), "cannot be written: File name too long");
  CHECK(folder.entries() == 1);
}

TEST_CASE("whether a file can be written is known before, without touching it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  require_writable(folder / "file");
  require_writable(folder / "new");
  CHECK(content_of(folder / "file") == "old");
  CHECK(folder.entries() == 1);
  const std::string message = message_of<OutputError>([&] { require_writable(folder / "none/new"); });
  check_contains(message, "none/new' cannot be written: No such file or directory");
}

TEST_CASE("a link keeps pointing to the file that is written") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  fs::create_symlink(folder / "file", folder / "link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content_of(folder / "file") == "new");
}

TEST_CASE("what others will replace must be a file, or nothing yet") {
  const TemporaryFolder folder;
  require_replaceable(folder / "new");
  put(folder / "old", "old");
  require_replaceable(folder / "old");
  CHECK(content_of(folder / "old") == "old");
  CHECK(folder.entries() == 1);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  check_contains(message_of<OutputError>([&] { require_replaceable(folder / "pipe"); }),
                 "pipe' cannot be written: it is a device or pipe");
  check_contains(message_of<OutputError>([&] { require_replaceable(folder / "none/new"); }), "none/new' cannot");
}

TEST_CASE("a pipe is written to, and stays a pipe") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  require_writable(folder / "pipe");
  write_file(folder / "pipe", "text");
  std::array<char, 16> received{};
  CHECK(::read(reader, received.data(), received.size()) == 4);
  CHECK(std::string(received.data()) == "text");
  CHECK(fs::is_fifo(folder / "pipe"));
  ::close(reader);
}

TEST_CASE("files that a killed process left behind are in nobody's way") {
  const TemporaryFolder folder;
  put(folder / (".digits-" + std::to_string(::getpid()) + "-0.tmp"), "left behind");
  write_file(folder / "report.html", "x");
  CHECK(content_of(folder / "report.html") == "x");
  CHECK(folder.entries() == 2);
}
