// Tests of errors after which CUDA does no more work: in a program of their own, as its GPU is lost.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "../fake/run_program.hpp"
import tessera;

namespace {

/// The line that begins with `name: `.
std::string line(const std::string& output, const std::string& name) {
  std::istringstream lines(output);
  for (std::string found; std::getline(lines, found);) {
    if (found.starts_with(name + ": ")) return found.substr(name.size() + 2);
  }
  return "(no line)";
}

/// What every call says after the error, without the call that noticed it.
void check_story(const std::string& output) {
  const std::string story = line(output, "all").substr(std::string("CUDA: ").size());
  CAPTURE(output);
  CHECK(line(output, "launch 3") == "good");  // the error comes when the work runs
  CHECK(story.starts_with("gpu:0 failed with CUDA_ERROR_ILLEGAL_ADDRESS (700), noticed by cu"));
  CHECK(story.find("last known to be good before the launch of `y = x + 3`") != story.npos);
  CHECK(line(output, "wait").find(story) != std::string::npos);
  for (const char* call : {"launch 5", "copy", "memory", "all"}) {
    CAPTURE(call);
    CHECK(line(output, call) == "CUDA: " + story);
  }
  CHECK(line(output, "old mark") == "good");
}

}  // namespace

TEST_CASE("after a sticky error every call says what failed and where the GPU was last good" *
          doctest::test_suite("fake")) {
  const ProgramEnd end = run_program(program("break_gpu") + " driver");
  CHECK(end.status == 0);
  check_story(end.output);
  CHECK(line(end.output, "other GPU") == "good");
}

// The fake driver runs kernels in this process, which a bad address would end.
TEST_CASE("after a kernel with a bad address every call says so, and which launch was the first in doubt" *
          doctest::test_suite("real")) {
  const ProgramEnd end = run_program(program("break_gpu") + " address");
  CHECK(end.status == 0);
  check_story(end.output);
}
