// NVRTC compiles the CUDA text of expressions for every architecture that matters; no GPU is needed for that.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <string>

#include "nvrtc.hpp"

import tessera;

#include "cases.hpp"

namespace {

using namespace tessera;

/// Whole sources by the name of their case.
std::map<std::string, std::string> sources() {
  std::map<std::string, std::string> found;
  cases::for_each([&](const char* name, double, const auto& destination, const auto& expression, auto indices) {
    const DeviceLaunch launch(destination, expression, indices);
    found[name] = launch.support() + launch.kernel();
  });
  return found;
}

bool uses_local_memory(const std::string& log) {
  return log.find(" 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == std::string::npos;
}

/// CUDA's own reduction of large angles keeps its digits in local memory.
bool reduces_angles(const std::string& source) {
  const std::size_t kernel = source.find("tessera_element");
  return source.find(" sin(", kernel) != std::string::npos || source.find(" cos(", kernel) != std::string::npos;
}

}  // namespace

TEST_CASE("NVRTC compiles every kernel to a cubin without local memory") {
  const Nvrtc nvrtc;
  if (!nvrtc.found()) {
    MESSAGE("skipped: libnvrtc is not here; TESSERA_NVRTC can name it");
    return;
  }
  const std::vector<int> known = nvrtc.architectures();
  for (const int architecture : {80, 90, 100, 120}) {
    if (std::ranges::find(known, architecture) == known.end()) {
      MESSAGE("this NVRTC does not know sm_" << architecture);
      continue;
    }
    for (const auto& [name, source] : sources()) {
      INFO("case " << name << ", sm_" << architecture);
      const Nvrtc::Compiled compiled = nvrtc.compile(source, architecture);
      INFO(compiled.log);
      CHECK(compiled.good);
      CHECK(compiled.cubin_bytes > 0);
      CHECK(compiled.log.find("bytes stack frame") != std::string::npos);
      if (!reduces_angles(source)) CHECK(!uses_local_memory(compiled.log));
    }
  }
}
