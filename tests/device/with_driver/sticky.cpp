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

}  // namespace

TEST_CASE("after a sticky error every call says what failed and where the GPU was last good") {
  const ProgramEnd end = run_program("'" BREAK_GPU "'");
  CAPTURE(end.output);
  CHECK(end.status == 0);
  const std::string& output = end.output;
  CHECK(line(output, "launch 3") == "good");  // the error comes when the work runs
  const std::string story = line(output, "all").substr(std::string("CUDA: ").size());
  CHECK(story.starts_with("gpu:0 failed with CUDA_ERROR_ILLEGAL_ADDRESS (700), noticed by cuEvent"));
  CHECK(story.find("last known to be good before the launch of `y = x + 3`") != story.npos);
  CHECK(line(output, "wait").find(story) != story.npos);
  for (const char* call : {"launch 5", "copy", "memory", "all"}) {
    CAPTURE(call);
    CHECK(line(output, call) == "CUDA: " + story);
  }
  CHECK(line(output, "old mark") == "good");
  CHECK(line(output, "other GPU") == "good");
}
