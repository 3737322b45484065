// Tests of the error types and of the one form of their messages.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <concepts>
#include <csignal>
#include <exception>
#include <new>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
import tessera;

using namespace tessera;

static_assert(std::derived_from<ShapeError, std::invalid_argument> &&
              std::derived_from<DTypeError, std::invalid_argument>);
static_assert(std::derived_from<PlaceError, std::invalid_argument> && std::derived_from<IndexError, std::out_of_range>);
static_assert(std::derived_from<OutOfMemory, std::bad_alloc> && std::derived_from<DeviceError, std::runtime_error>);
static_assert(std::derived_from<FormatError, std::runtime_error> &&
              std::derived_from<SchedulerError, std::logic_error>);
static_assert(!std::derived_from<ShapeError, DTypeError> && !std::derived_from<FormatError, DeviceError>);

// An exception is copied while another may be in flight.
static_assert(std::is_nothrow_copy_constructible_v<OutOfMemory> && std::is_nothrow_copy_constructible_v<ShapeError>);

namespace {

template <class Error, class Base>
void check_caught_as() {
  CAPTURE(typeid(Error).name());
  try {
    throw Error("what happened");
  } catch (const Base& error) {
    CHECK(std::string(error.what()) == "what happened");
    return;
  }
  FAIL_CHECK("not caught as its base");
}

template <class Error>
void throw_error() {
  if constexpr (std::constructible_from<Error, const char*>) {
    throw Error("what happened");
  } else {
    throw Error("what happened", nullptr);
  }
}

/// Calls `act` where nobody catches anything.
void let_escape(void (*act)()) noexcept { act(); }

struct Ended {
  int status;  // as of waitpid()
  std::string said;
};

/// How a process ends, and what it prints to stderr, whose exception nobody catches.
Ended run_without_catch(void (*act)()) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGABRT, SIG_DFL);  // doctest has a handler that prints
    dup2(ends[1], STDERR_FILENO);
    let_escape(act);
    _exit(0);
  }
  close(ends[1]);
  Ended ended{};
  std::array<char, 256> part{};
  for (ssize_t count = 0; (count = read(ends[0], part.data(), part.size())) > 0;)
    ended.said.append(part.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  REQUIRE(waitpid(child, &ended.status, 0) == child);
  return ended;
}

template <class Error>
void check_uncaught(const std::string& name) {
  const Ended ended = run_without_catch(throw_error<Error>);
  CAPTURE(ended.said);
  CHECK(WIFSIGNALED(ended.status));
  CHECK(WTERMSIG(ended.status) == SIGABRT);
  const std::size_t at = ended.said.find("tessera::" + name);
  REQUIRE(at != ended.said.npos);
  const char behind = ended.said[at + ("tessera::" + name).size()];
  CHECK((behind == '\'' || behind == ':'));  // libstdc++ and libc++
  CHECK(ended.said.find("what happened") != ended.said.npos);
}

}  // namespace

// --8<-- [start:failure]
/// The element in the middle. Throws ShapeError if there is none.
double middle(const Array<double, 1>& row, std::source_location where = std::source_location::current()) {
  if (row.size() == 0)
    throw ShapeError(to_string(Failure{.operation = "middle",
                                       .problem = "there is no element",
                                       .operands = {"the row has the shape " + to_string(row.shape())},
                                       .advice = "look at size() before",
                                       .where = where}));
  return row(row.size() / 2);
}

TEST_CASE("a function's own errors have the form of the library's") {
  const Array<double, 1> row = zeros<double>(Dim{0});
  const auto line = std::to_string(std::source_location::current().line() + 1);
  const auto ask = [&] { middle(row); };
  const std::string message =
      "middle: there is no element; the row has the shape (0,); look at size() before; called at error_test.cpp:" +
      line;
  CHECK_THROWS_WITH_AS(ask(), message.c_str(), ShapeError);
}
// --8<-- [end:failure]

TEST_CASE("every error is caught as the standard exception it derives from, with its message") {
  check_caught_as<ShapeError, std::invalid_argument>();
  check_caught_as<DTypeError, std::invalid_argument>();
  check_caught_as<PlaceError, std::invalid_argument>();
  check_caught_as<IndexError, std::out_of_range>();
  check_caught_as<OutOfMemory, std::bad_alloc>();
  check_caught_as<DeviceError, std::runtime_error>();
  check_caught_as<FormatError, std::runtime_error>();
  check_caught_as<SchedulerError, std::logic_error>();
}

TEST_CASE("an exception that nobody catches ends the program with its type and its message") {
  check_uncaught<ShapeError>("ShapeError");
  check_uncaught<DTypeError>("DTypeError");
  check_uncaught<PlaceError>("PlaceError");
  check_uncaught<IndexError>("IndexError");
  check_uncaught<OutOfMemory>("OutOfMemory");
  check_uncaught<DeviceError>("DeviceError");
  check_uncaught<FormatError>("FormatError");
  check_uncaught<SchedulerError>("SchedulerError");
  check_uncaught<OperationFailed>("OperationFailed");
  check_uncaught<Cancelled>("Cancelled");
  check_uncaught<DeadlineExceeded>("DeadlineExceeded");
}

TEST_CASE("a message says the operation, the problem, the operands, the advice and the place of the call") {
  const auto here = std::source_location::current();
  const std::string message =
      to_string(Failure{.operation = "dot",
                        .problem = "axis 1 has 3 elements, axis 0 has 4",
                        .operands = {"a is float32 (2, 3) on cpu", "b is float32 (4, 5) on cpu"},
                        .advice = "transpose one",
                        .where = here});
  CHECK(message ==
        "dot: axis 1 has 3 elements, axis 0 has 4; a is float32 (2, 3) on cpu, b is float32 (4, 5) on cpu; transpose "
        "one; "
        "called at error_test.cpp:" +
            std::to_string(here.line()));
}

TEST_CASE("parts of a message that are not known are left out") {
  CHECK(to_string(Failure{.operation = "sum", .problem = "no axis"}) == "sum: no axis");
  CHECK(to_string(Failure{.operation = "sum", .problem = "no axis", .advice = "name one"}) == "sum: no axis; name one");
  CHECK(to_string(Failure{.operation = "sum", .problem = "no axis", .operands = {"a is int8 (2,)"}}) ==
        "sum: no axis; a is int8 (2,)");
}

// --8<-- [start:error]
TEST_CASE("an index error says the index, the shape, and the line of the user's program") {
  Array<float, 2> a = zeros<float>(Dim{2, 3});
  std::string message;
  const auto line = std::source_location::current().line() + 2;
  try {
    a[{1, 3}] = 1.0f;
  } catch (const IndexError& error) {  // a std::out_of_range too
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find("(1, 3)") != message.npos);
  CHECK(message.find("(2, 3)") != message.npos);
  CHECK(message.find("called at error_test.cpp:" + std::to_string(line)) != message.npos);
}
// --8<-- [end:error]
