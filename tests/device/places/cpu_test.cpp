// Tests of the choice of instruction set.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
import tessera;

using namespace tessera;
using device::Isa;

namespace {

constexpr std::array every_isa = {Isa::baseline, Isa::avx2, Isa::avx512};

/// Takes limits and the environment variable away again.
struct Restored {
  ~Restored() {
    unsetenv("TESSERA_ISA");
    device::limit_isa(Isa::avx512);
  }
};

/// The CPU's features as the operating system reports them.
std::string cpu_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line + ' ';
  }
  return "";
}

}  // namespace

TEST_CASE("instruction sets have names") {
  CHECK(device::name(Isa::baseline) == "baseline");
  CHECK(device::name(Isa::avx2) == "avx2");
  CHECK(device::name(Isa::avx512) == "avx512");
}

TEST_CASE("the chosen instruction set is the highest that the operating system reports") {
  const Restored restored;
  unsetenv("TESSERA_ISA");
  device::limit_isa(Isa::avx512);
  const std::string flags = cpu_flags();
  if (flags.empty()) return;
  const auto has = [&](const char* flag) { return flags.find(std::string(" ") + flag + " ") != flags.npos; };
  const bool avx2 = has("avx2") && has("fma") && has("f16c") && has("bmi1") && has("bmi2");
  const bool avx512 = avx2 && has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  CHECK(device::name(device::isa()) == device::name(avx512 ? Isa::avx512 : avx2 ? Isa::avx2 : Isa::baseline));
}

// --8<-- [start:limit_isa]
TEST_CASE("the instruction set can be limited, for measurements") {
  const Restored restored;
  device::limit_isa(Isa::baseline);
  CHECK(device::name(device::isa()) == "baseline");
}
// --8<-- [end:limit_isa]

TEST_CASE("a limit lowers the choice and never raises it above what the CPU has") {
  const Restored restored;
  unsetenv("TESSERA_ISA");
  device::limit_isa(Isa::avx512);
  const Isa best = device::isa();
  for (const Isa limit : every_isa) {
    device::limit_isa(limit);
    CHECK(device::name(device::isa()) == device::name(limit < best ? limit : best));
  }
}

TEST_CASE("TESSERA_ISA lowers the choice, and anything else in it is ignored") {
  const Restored restored;
  unsetenv("TESSERA_ISA");
  device::limit_isa(Isa::avx512);
  const Isa best = device::isa();
  for (const Isa wish : every_isa) {
    setenv("TESSERA_ISA", std::string(device::name(wish)).c_str(), 1);
    device::limit_isa(Isa::avx512);  // reads the variable again
    CHECK(device::name(device::isa()) == device::name(wish < best ? wish : best));
  }
  for (const char* nonsense : {"", "AVX2", "sse9", "avx512 "}) {
    setenv("TESSERA_ISA", nonsense, 1);
    device::limit_isa(Isa::avx512);
    CAPTURE(nonsense);
    CHECK(device::name(device::isa()) == device::name(best));
  }
}

TEST_CASE("an expression gives the same exact sums with every instruction set") {
  const Restored restored;
  const Array<float, 1> a = arange(1000.0f);
  for (const Isa limit : every_isa) {
    device::limit_isa(limit);
    Array<float, 1> b = a * 2.0f + 1.0f;
    CAPTURE(std::string(device::name(limit)));
    CHECK(float(b[{0}]) == 1.0f);
    CHECK(float(b[{999}]) == 1999.0f);
  }
}
