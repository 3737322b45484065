// Tests of compilers that are newer than the driver, in processes of their own: a process finds driver and compiler once.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../fake/run_program.hpp"

namespace fs = std::filesystem;

namespace {

/// A folder of the test's own, with a kernel cache and compilers under CUDA's names.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tessera_versions_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  void add_compiler(const std::string& name) const { fs::copy_file(std::getenv("TESSERA_NVRTC"), path_ / name); }

  /// Computes 1, 4, 9 on a GPU with the compilers of the folder, or with the one that TESSERA_NVRTC names.
  std::string compute(const std::string& variables, bool with_own_compilers = false) const {
    const std::string own = with_own_compilers ? "env -u TESSERA_NVRTC LD_LIBRARY_PATH='" + path_.string() + "' " : "";
    const ProgramEnd end = run_program(own + "TESSERA_CACHE_DIR='" + (path_ / "cache").string() + "' TESSERA_LOG=jit " +
                                       variables + " " + program("compute_on_gpu"));
    CHECK(end.status == 0);
    return end.output;
  }

 private:
  fs::path path_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a compiler of a later major version than the driver's makes PTX of the driver's version" *
          doctest::test_suite("fake")) {
  const Folder folder;
  const std::string versions = "FAKE_CUDA_VERSION=12080 FAKE_NVRTC_VERSION=13.0";
  const std::string first = folder.compute(versions);
  CAPTURE(first);
  CHECK(contains(first,
                 "tessera jit: NVRTC 13.0 is newer than the driver, whose CUDA is 12.8: kernels are compiled to PTX "
                 "8.7, which the driver compiles; libnvrtc.so.12 would make machine code\n"));
  CHECK(contains(first, "cache miss, compiled for compute_90 in "));
  CHECK(contains(first, ", as PTX 8.7, "));
  CHECK(contains(first, "[1. 4. 9.]\n"));
  const std::string second = folder.compute(versions);
  CAPTURE(second);
  CHECK(contains(second, "cache hit, read for compute_90 from "));
  CHECK(contains(second, "[1. 4. 9.]\n"));
  const std::string older = folder.compute("FAKE_CUDA_VERSION=12040 FAKE_NVRTC_VERSION=13.0");  // has no PTX 8.7
  CAPTURE(older);
  CHECK(contains(older, "as PTX 8.4, "));
  CHECK(contains(older, "[1. 4. 9.]\n"));
}

TEST_CASE("each version of a driver gets its own PTX" * doctest::test_suite("fake")) {
  const Folder folder;
  const auto ptx_for = [&](const char* driver) {
    const std::string output = folder.compute("FAKE_NVRTC_VERSION=14.0 FAKE_CUDA_VERSION=" + std::string(driver));
    CAPTURE(output);
    CHECK(contains(output, "[1. 4. 9.]\n"));
    const std::size_t at = output.find("compiled to PTX ") + 16;
    return output.substr(at, output.find(',', at) - at);
  };
  CHECK(ptx_for("12000") == "8.0");
  CHECK(ptx_for("12050") == "8.5");
  CHECK(ptx_for("12060") == "8.5");
  CHECK(ptx_for("12070") == "8.6");
  CHECK(ptx_for("12090") == "8.8");
  CHECK(ptx_for("13000") == "9.0");
  CHECK(ptx_for("13010") == "9.1");
}

TEST_CASE("a compiler of the driver's major version or an older one makes machine code" * doctest::test_suite("fake")) {
  const Folder folder;
  for (const char* versions :
       {"FAKE_CUDA_VERSION=12000 FAKE_NVRTC_VERSION=12.9", "FAKE_CUDA_VERSION=13000 FAKE_NVRTC_VERSION=12.9",
        "FAKE_CUDA_VERSION=13000 FAKE_NVRTC_VERSION=13.1"}) {
    const std::string output = folder.compute(versions);
    CAPTURE(output);
    CHECK_FALSE(contains(output, "PTX"));
    CHECK(contains(output, "for sm_90 "));
    CHECK(contains(output, "[1. 4. 9.]\n"));
  }
}

TEST_CASE("of several compilers the one of the driver's version is opened" * doctest::test_suite("fake")) {
  const Folder folder;
  folder.add_compiler("libnvrtc.so.12");
  folder.add_compiler("libnvrtc.so.13");
  const std::string old_driver = folder.compute("FAKE_CUDA_VERSION=12040", true);
  CAPTURE(old_driver);
  CHECK_FALSE(contains(old_driver, "PTX"));
  CHECK(contains(old_driver, "cache miss, compiled for sm_90 in "));
  CHECK(contains(old_driver, "[1. 4. 9.]\n"));
  const std::string new_driver = folder.compute("FAKE_CUDA_VERSION=13010", true);
  CAPTURE(new_driver);
  CHECK_FALSE(contains(new_driver, "PTX"));
  CHECK(contains(new_driver, "cache miss, compiled for sm_90 in "));  // by the other one: the versions differ
  CHECK(contains(folder.compute("FAKE_CUDA_VERSION=12040", true), "cache hit, read for sm_90 from "));
}
