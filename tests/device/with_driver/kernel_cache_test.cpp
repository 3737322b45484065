// Tests of the kernel cache on disk: what a disk may do to it, and what it says.
#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../fake/run_program.hpp"
import tessera;

using namespace tessera;
namespace fs = std::filesystem;

namespace {

/// A directory of the test's own, and the program that compiles one kernel.
class Cache {
 public:
  Cache() {
    std::string name = (fs::temp_directory_path() / "tessera_cache_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache() {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  const fs::path& folder() const { return folder_; }
  /// Its output, with the log of kernels.
  std::string use(const std::string& variables = "", const std::string& argument = "") const {
    const ProgramEnd end = run_program("TESSERA_CACHE_DIR='" + (folder_ / "deep/er").string() + "' TESSERA_LOG=jit " +
                                       variables + " " + program("use_kernel") + " " + argument);
    CHECK(end.status == 0);
    return end.output;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (!fs::exists(folder_)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file() && entry.path().extension() == ".kernel") found.push_back(entry.path());
    }
    return found;
  }
  fs::path entry() const {
    const std::vector<fs::path> found = files();
    REQUIRE(found.size() == 1);
    return found[0];
  }

 private:
  fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::vector<char> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

fs::path compiler_library() { return std::getenv("TESSERA_NVRTC"); }

void write(const fs::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("a kernel is compiled once and then read from the disk, by other processes too") {
  const Cache cache;
  const std::string first = cache.use();
  CAPTURE(first);
  CHECK(contains(first, "compiled\n"));
  CHECK(contains(first, "tessera jit: the program: cache miss, compiled for sm_90 in "));
  CHECK(contains(first, " registers, 0 bytes of local memory"));
  const std::string second = cache.use();
  CAPTURE(second);
  CHECK(contains(second, "from the cache\n"));
  CHECK(contains(second, "tessera jit: the program: cache hit, read for sm_90 from " + cache.entry().string()));
}

TEST_CASE("another version of the compiler compiles again, beside the entry of the first" *
          doctest::test_suite("fake")) {
  const Cache cache;
  cache.use();
  const fs::path other = cache.folder() / "other.so";
  fs::copy_file(compiler_library(), other);
  const std::string older = "FAKE_NVRTC_VERSION=12.9 TESSERA_NVRTC='" + other.string() + "'";
  CHECK(contains(cache.use(older), "compiled\n"));
  CHECK(cache.files().size() == 2);
  CHECK(contains(cache.use(), "from the cache\n"));
  CHECK(contains(cache.use(older), "from the cache\n"));
}

TEST_CASE("a program whose kernels are all on disk does not open the compiler" * doctest::test_suite("fake")) {
  const Cache cache;
  const fs::path notes = cache.folder() / "opened";
  const auto opens = [&](const std::string& variables = "") {
    fs::remove(notes);
    const std::string output = cache.use("FAKE_NVRTC_OPENED='" + notes.string() + "' " + variables);
    return std::pair(read(notes).size() / std::string("opened\n").size(), contains(output, "from the cache\n"));
  };
  const fs::path own = cache.folder() / "own.so";
  fs::copy_file(compiler_library(), own);
  const std::string with_own = "TESSERA_NVRTC='" + own.string() + "'";
  CHECK(opens(with_own) == std::pair(std::size_t{1}, false));
  CHECK(opens(with_own) == std::pair(std::size_t{0}, true));
  fs::last_write_time(own, fs::last_write_time(own) + std::chrono::hours(1));  // another library, for all one knows
  CHECK(opens(with_own) == std::pair(std::size_t{1}, true));
  CHECK(opens(with_own) == std::pair(std::size_t{0}, true));
  CHECK(opens() == std::pair(std::size_t{1}, true));  // another one is looked for
  fs::remove(own);
  fs::copy_file(compiler_library(), own);
  CHECK(opens(with_own + " FAKE_NVRTC_VERSION=12.9") == std::pair(std::size_t{1}, false));
  CHECK(opens(with_own) == std::pair(std::size_t{0}, true));
}

TEST_CASE("what is remembered of the compiler is damaged: the compiler is asked" * doctest::test_suite("fake")) {
  const Cache cache;
  cache.use();
  fs::path remembered;
  for (const auto& entry : fs::directory_iterator(cache.folder() / "deep/er"))
    if (entry.path().extension() == ".txt") remembered = entry.path();
  REQUIRE(!remembered.empty());
  const std::vector<char> good = read(remembered);
  const fs::path notes = cache.folder() / "opened";
  std::vector<std::vector<char>> damaged = {{}, {good.begin(), good.end() - 1}, std::vector<char>(good.size(), 'x')};
  damaged.push_back(good);
  damaged.back().push_back('9');
  for (const std::vector<char>& bytes : damaged) {
    write(remembered, bytes);
    fs::remove(notes);
    CHECK(contains(cache.use("FAKE_NVRTC_OPENED='" + notes.string() + "'"), "from the cache\n"));
    CHECK(fs::exists(notes));
    CHECK(read(remembered) == good);
  }
}

TEST_CASE("a compiler that turns out to be another one than remembered compiles under its own name" *
          doctest::test_suite("fake")) {
  const Cache cache;
  cache.use();
  const fs::path first = cache.entry();
  fs::remove(first);
  CHECK(contains(cache.use("FAKE_NVRTC_VERSION=12.9"), "compiled\n"));
  CHECK(cache.entry() != first);
  CHECK(contains(cache.use("FAKE_NVRTC_VERSION=12.9"), "from the cache\n"));
}

TEST_CASE("an entry that is cut short, longer, changed or another's is removed and made again") {
  const Cache cache;
  cache.use();
  const fs::path entry = cache.entry();
  const std::vector<char> good = read(entry);
  REQUIRE(good.size() > 200);
  std::vector<std::vector<char>> damaged;
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{95}, std::size_t{96}, std::size_t{150}, good.size() - 1})
    damaged.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
  for (std::size_t at = 0; at < good.size(); at += at < 100 ? 1 : 997) {
    damaged.push_back(good);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
    if (at < 96 && at % 8 != 0) damaged.pop_back();
  }
  damaged.push_back(good);
  damaged.back().push_back('x');
  damaged.push_back(std::vector<char>(good.size(), 'x'));
  for (const std::vector<char>& bytes : damaged) {
    write(entry, bytes);
    const std::string output = cache.use();
    CAPTURE(output);
    CHECK(contains(output, entry.string() + " was removed: "));
    CHECK(contains(output, "compiled\n"));
    CHECK(cache.entry() == entry);
    CHECK(contains(cache.use(), "from the cache\n"));
  }
}

TEST_CASE("processes that compile the same kernel at once leave one good entry" * doctest::test_suite("fake")) {
  const Cache cache;
  const std::string folder = (cache.folder() / "deep/er").string();
  const std::string one = "TESSERA_CACHE_DIR='" + folder + "' FAKE_NVRTC_DELAY=100 " + program("use_kernel") + " & ";
  const ProgramEnd end = run_program("(" + one + one + one + one + "wait)");
  CHECK(end.output == "compiled\ncompiled\ncompiled\ncompiled\n");
  CHECK(cache.files().size() == 1);
  CHECK(contains(cache.use(), "from the cache\n"));
}

TEST_CASE("a disk without room leaves no half entry, and the kernel is used all the same") {
  const Cache cache;
  const std::string output = cache.use("", "small-files");
  CAPTURE(output);
  CHECK(contains(output, "compiled\n"));
  CHECK(contains(output, "tessera jit: kernels are not kept on disk: "));
  CHECK(contains(output, "cannot be written"));
  CHECK(cache.files().empty());
}

TEST_CASE("a directory that cannot be made or written is said once") {
  for (const char* impossible : {"/proc/tessera/cache", "/dev/null/cache"}) {
    const Cache cache;
    const std::string output = cache.use("TESSERA_CACHE_DIR=" + std::string(impossible));
    CAPTURE(output);
    CHECK(contains(output, "tessera jit: kernels are not kept on disk: no directory for "));
    CHECK(contains(output, "compiled\n"));
  }
  if (geteuid() == 0) {
    MESSAGE("skipped: directories are never read-only for root");
    return;
  }
  const Cache cache;
  fs::permissions(cache.folder(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK(contains(cache.use(), "compiled\n"));
}

TEST_CASE("an entry that cannot be read is no entry, and one that cannot be removed is said") {
  const Cache cache;
  cache.use();
  const fs::path entry = cache.entry();
  fs::remove(entry);
  fs::create_directories(entry / "inside");
  const std::string output = cache.use();
  CAPTURE(output);
  CHECK(contains(output, "cannot be used"));
  CHECK(contains(output, "compiled\n"));
}

TEST_CASE("the directory is TESSERA_CACHE_DIR, else under XDG_CACHE_HOME, else under HOME, else none") {
  const Cache cache;
  const std::string home = cache.folder().string();
  cache.use("TESSERA_CACHE_DIR= XDG_CACHE_HOME='" + home + "/xdg' HOME='" + home + "'");
  CHECK(cache.entry().parent_path() == cache.folder() / "xdg/tessera");
  fs::remove_all(cache.folder() / "xdg");
  cache.use("TESSERA_CACHE_DIR= XDG_CACHE_HOME= HOME='" + home + "'");
  CHECK(cache.entry().parent_path() == cache.folder() / ".cache/tessera");
  fs::remove_all(cache.folder() / ".cache");
  const std::string output = cache.use("TESSERA_CACHE_DIR= XDG_CACHE_HOME= HOME=");
  CAPTURE(output);
  CHECK(contains(output, "kernels are not kept on disk: none of TESSERA_CACHE_DIR, XDG_CACHE_HOME and HOME is set"));
  CHECK(contains(output, "compiled\n"));
  CHECK(cache.files().empty());
}

TEST_CASE("without NVRTC the error says which libraries were looked for, and how to name one") {
  const Cache cache;
  const std::string output = cache.use("TESSERA_NVRTC=libtessera_no_such_nvrtc.so");
  CHECK(output ==
        "DeviceError: compile a kernel: the NVRTC library was not found; looked for libtessera_no_such_nvrtc.so "
        "(cannot open shared object file: No such file or directory); "
        "the program; install CUDA's NVRTC, which compiles kernels, or name it in TESSERA_NVRTC\n");
  const std::string wrong = cache.use("TESSERA_NVRTC=libm.so.6");
  CAPTURE(wrong);
  CHECK(contains(wrong, "the NVRTC library has no function nvrtcVersion"));
}

TEST_CASE("the log is silent unless it is asked for") {
  const Cache cache;
  CHECK(cache.use("TESSERA_LOG=") == "compiled\n");
  CHECK(cache.use("TESSERA_LOG=other,jitter") == "from the cache\n");
  CHECK(contains(cache.use("TESSERA_LOG=other,jit"), "tessera jit: "));
}
