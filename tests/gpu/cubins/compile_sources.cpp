// Every kernel that the GPU tests launch compiles to cubins for the architectures that matter, elementwise ones without local memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "nvrtc.hpp"

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Whether a kernel stores every element of an expression; others fold values or copy.
bool is_elementwise(const std::string& source) {
  return contains(source, "packs") || contains(source, "i < a.count") || contains(source, "tile < a.count");
}

/// CUDA's own reduction of large angles keeps its digits in local memory.
bool reduces_angles(const std::string& source) {
  const std::string kernel = source.substr(std::min(source.size(), source.find("struct tessera_arguments")));
  return contains(kernel, "sin(") || contains(kernel, "cos(") || contains(kernel, "tessera_normal");
}

}  // namespace

TEST_CASE("the kernels of the GPU tests compile for every architecture") {
  const Nvrtc nvrtc;
  if (!nvrtc.found()) {
    MESSAGE("skipped: libnvrtc is not here; TESSERA_NVRTC can name it");
    return;
  }
  const std::vector<int> known = nvrtc.architectures();
  int compiled_kernels = 0;
  for (const auto& file : std::filesystem::directory_iterator(SOURCES)) {
    const std::string source = contents(file.path());
    INFO(file.path());
    for (const int architecture : {80, 90, 100, 120}) {
      if (std::ranges::find(known, architecture) == known.end()) continue;
      const Nvrtc::Compiled compiled = nvrtc.compile(source, architecture);
      INFO("sm_" << architecture << ": " << compiled.log);
      CHECK(compiled.good);
      CHECK(compiled.cubin_bytes > 0);
      if (is_elementwise(source) && !reduces_angles(source))
        CHECK(contains(compiled.log, " 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"));
      ++compiled_kernels;
    }
  }
  CHECK(compiled_kernels > 400);
}
