// Tests of what becomes of a file when it is replaced, and when that fails.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.hpp"
import tessera;
import tessera.io;

using namespace tessera;

namespace {

void save(const std::string& path, std::ptrdiff_t count) {
  const std::string bytes = pattern(count);
  const DDim shape = make_ddim({count});
  io::save_npy(path, {bytes.data(), DType::uint8, shape, row_major(shape)});
}

/// Files of this process end at so many bytes, as on a full disk, as long as this lives.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("when the disk is full the old file stays, and nothing else does") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  save(path, 10);
  const std::string before = content_of(path);
  for (const rlim_t limit : {0, 1, 127, 128, 129, 1000, 100'000, 3'000'127}) {
    CAPTURE(limit);
    std::string message;
    {
      const FullDisk disk(limit);
      message = message_of<std::system_error>([&] { save(path, 3'000'000); });
    }
    CHECK(message == "saving \"" + path + "\": writing to its temporary file: File too large");
    CHECK(content_of(path) == before);
    CHECK(folder.listing() == "a.npy");
  }
  {
    const FullDisk disk(3'000'128);
    save(path, 3'000'000);
  }
  CHECK(content_of(path).size() == 3'000'128);
}

TEST_CASE("folders that are not there and targets that are no files are refused, and stay") {
  const TemporaryFolder folder;
  CHECK(message_of<std::system_error>([&] { save(folder / "none/a.npy", 1); }) ==
        "saving \"" + (folder / "none/a.npy") + "\": making a temporary file beside it: No such file or directory");
  CHECK(message_of<std::system_error>([&] { save(folder / "", 1); }).find("it is a folder: Is a directory") !=
        std::string::npos);
  CHECK(message_of<std::system_error>([&] { save("", 1); }).find("Invalid argument") != std::string::npos);
  CHECK(message_of<std::system_error>([] { save("/dev/full", 1); }).find("it is a device or pipe") !=
        std::string::npos);
  CHECK(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(message_of<std::system_error>([&] { save(folder / "pipe", 1); }).find("it is a device or pipe") !=
        std::string::npos);
  CHECK(folder.listing() == "pipe");
}

TEST_CASE("strides that do not fit the shape are refused before the file is touched") {
  const TemporaryFolder folder;
  const std::string bytes = pattern(16);
  const std::vector<std::ptrdiff_t> one{1};
  CHECK(message_of<ShapeError>([&] {
          io::save_npy(folder / "a.npy", {bytes.data(), DType::uint8, make_ddim({2, 3}), one});
        }) == "save_npy: 1 strides for the shape (2, 3) of rank 2; give one stride for each axis");
  const std::vector<std::ptrdiff_t> zero{0};
  CHECK_THROWS_AS(
      io::save_npy(folder / "a.npy", {bytes.data(), DType::float64, make_ddim({std::ptrdiff_t{1} << 61}), zero}),
      ShapeError);
  CHECK_THROWS_AS(io::save_npy(folder / "a.npy", {nullptr, DType::float64, make_ddim({1}), one}),
                  std::invalid_argument);
  io::save_npy(folder / "a.npy", {nullptr, DType::float64, make_ddim({0}), one});
  CHECK(folder.listing() == "a.npy");
}

TEST_CASE("a file that is replaced hands its permissions on, a new one has those that the process gives") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  const mode_t mask = ::umask(027);
  save(path, 1);
  ::umask(mask);
  struct stat status{};
  ::stat(path.c_str(), &status);
  CHECK((status.st_mode & 0777) == 0640);
  ::chmod(path.c_str(), 0604);
  save(path, 2);
  ::stat(path.c_str(), &status);
  CHECK((status.st_mode & 0777) == 0604);
  CHECK(status.st_size == 130);
}

TEST_CASE("a symbolic link stays one, and what it points to is replaced") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "data");
  save(folder / "data/real.npy", 1);
  std::filesystem::create_symlink("data/real.npy", folder / "link.npy");
  save(folder / "link.npy", 2);
  CHECK(std::filesystem::is_symlink(folder / "link.npy"));
  CHECK(content_of(folder / "data/real.npy").size() == 130);
  CHECK(folder.listing() == "data link.npy");
}

TEST_CASE("names may be as long as the file system lets them be, and relative") {
  const TemporaryFolder folder;
  const std::string name = std::string(251, 'x') + ".npy";
  save(folder / name, 5);
  CHECK(folder.listing() == name);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  save("b.npy", 5);
  std::filesystem::current_path(before);
  CHECK(content_of(folder / "b.npy").size() == 133);
}

TEST_CASE("a file of several pieces, with which the disk begins early, is whole") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  save(path, 70'000'001);
  const io::StoredArray again = io::load_npy(path);
  CHECK(again.shape == make_ddim({70'000'001}));
  const auto* bytes = static_cast<const char*>(again.buffer->data());
  CHECK(std::string_view(bytes, 70'000'001) == pattern(70'000'001));
}
