// Tests of the fake driver itself: what it must notice, so that tests that run on it prove something.
#include <doctest/doctest.h>

#include <string>

#include "../fake/run_program.hpp"
import tessera;

namespace {

ProgramEnd misuse(const std::string& how) { return run_program("timeout 20 " + program("misuse_cuda") + " " + how); }

bool ends_badly(const ProgramEnd& end, const std::string& message) {
  CAPTURE(end.output);
  CAPTURE(end.status);
  const bool survived = end.output.find("survived") != std::string::npos;
  return !survived && end.status != 0 && end.output.find(message) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("fake");

TEST_CASE("the fake driver lets a good program pass") {
  const ProgramEnd end = misuse("nothing");
  CHECK(end.output == "survived\n");
  CHECK(end.status == 0);
}

TEST_CASE("the fake driver ends a program that touches GPU memory itself") { CHECK(ends_badly(misuse("touch"), "")); }

TEST_CASE("the fake driver ends a program that frees memory which pending work uses") {
  CHECK(ends_badly(misuse("free-pending"), "cuMemFree of memory that pending work uses: fill 64 bytes of stream 0"));
}

TEST_CASE("the fake driver ends a program that gives work freed memory") {
  CHECK(ends_badly(misuse("launch-freed"), "launched with a pointer into GPU memory that is not allocated"));
  CHECK(ends_badly(misuse("copy-freed"), "a copy from of GPU memory that is not allocated"));
}

TEST_CASE("the fake driver ends a program whose kernel reaches memory that it was not given") {
  CHECK(ends_badly(misuse("other-block"), ""));
}

TEST_CASE("the fake driver ends a program whose threads wait at different barriers") {
  const ProgramEnd end = misuse("half-a-barrier");
  CHECK(ends_badly(end, "the threads of a block wait for each other for ever"));
  CHECK(ends_badly(end, "thread 40 at a barrier of the block"));
}

TEST_CASE("the fake driver ends a program whose thread waits for lanes without itself") {
  CHECK(ends_badly(misuse("wrong-mask"), "waits for lanes 00000007 of its warp, and is none of them"));
}

TEST_SUITE_END();
