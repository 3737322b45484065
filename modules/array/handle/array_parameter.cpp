module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.schedule;

// What arguments of a replay are refused for, and the example in a parameter's stead.
namespace tessera {

namespace {

constinit thread_local bool examples_stand_in = false;

std::string operation_of(const schedule::ArgumentName& name) {
  return std::string("replay of '") + name.recording + "'";
}

}  // namespace

const Var& no_var() noexcept {
  static const Var none = [] {
    Var var;
    const Var taken = std::move(var);
    return var;  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what a moved-from Var is, is asked for
  }();
  return none;
}

ExamplesStandIn::ExamplesStandIn() noexcept : outer_(std::exchange(examples_stand_in, true)) {}
ExamplesStandIn::~ExamplesStandIn() { examples_stand_in = outer_; }
bool ExamplesStandIn::is_on() noexcept { return examples_stand_in; }

void throw_no_example() {
  throw SchedulerError(
      to_string(Failure{.operation = "an expression of a Parameter",
                        .problem = "the shape of its array is not known while the capture is recorded",
                        .advice = "give capture() an example of each array behind the body: capture(body, batch)"}));
}

void refuse_argument(const ArgumentFacts& facts, const schedule::ArgumentName& name) {
  const std::string which = "parameter " + std::to_string(name.parameter);
  if (!std::ranges::equal(facts.shape, facts.expected_shape)) {
    throw ShapeError(to_string(Failure{.operation = operation_of(name),
                                       .problem = which + " has the shape " + core::shape_text(facts.shape) +
                                                  ", and its expressions were recorded for " +
                                                  core::shape_text(facts.expected_shape),
                                       .advice = "record a step of its own for this shape",
                                       .where = name.where}));
  }
  throw PlaceError(
      to_string(Failure{.operation = operation_of(name),
                        .problem = which + " is on " + to_string(facts.place) +
                                   ", and its expressions were recorded for " + to_string(facts.expected_place),
                        .advice = "move it there with to(place)",
                        .where = name.where}));
}

void refuse_empty_argument(const schedule::ArgumentName& name) {
  throw ShapeError(
      to_string(Failure{.operation = operation_of(name),
                        .problem = "parameter " + std::to_string(name.parameter) + " is an array without storage",
                        .advice = "was it moved from?",
                        .where = name.where}));
}

}  // namespace tessera
