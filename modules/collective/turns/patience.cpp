module;
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
module tessera.collective;
import tessera.core;

// Looking whether the others are still there, and what is said when somebody does not come.
namespace tessera::collective {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// How often it is looked whether a process is still there.
constexpr auto between_looks = 20ms;

std::string list_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text;
}

std::string seconds_text(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

}  // namespace

std::string Patience::what_is_late(For what, const Note& note, const std::vector<int>& awaited) const {
  if (what == For::blocking_turn)
    return "what this rank has called before it has not begun, as its operand is not ready,";
  if (what == For::data) return note.kind == CallKind::send ? "the data has not been taken" : "the data has not come";
  if (!group_->has_all_boards_ && awaited.size() > 1) return "one of " + list_text(awaited) + " has not come to it";
  return list_text(awaited) + (awaited.size() == 1 ? " has" : " have") + " not come to it";
}

void Patience::look(For what, const Note& note, std::uint64_t number, const std::vector<int>& awaited) {
  const auto now = Clock::now();
  if (what_ != what) since_ = now;
  what_ = what;
  group_->check(name_of(note.kind));
  const auto waited = now - *since_;
  const bool is_over = what != For::turn && group_->time_limit() > 0ms && waited > group_->time_limit();
  // Who has ended its program has done its part of what all have come to; without all boards nobody knows whether it had come.
  const bool may_have_come = what == For::data || !group_->has_all_boards_;
  const bool is_message = note.kind == CallKind::send || note.kind == CallKind::receive;
  if (!is_over && last_look_ && now - *last_look_ < between_looks) return;
  last_look_ = now;
  std::string problem;
  for (const int rank : awaited) {
    problem = group_->why_gone(rank, may_have_come);
    if (!problem.empty()) break;
  }
  if (!problem.empty()) {
    problem += ", after " + seconds_text(std::chrono::duration_cast<std::chrono::milliseconds>(waited));
  } else if (is_over) {
    problem = what_is_late(what, note, awaited) + " within " + seconds_text(group_->time_limit());
  } else {
    return;
  }
  const std::string error = to_string(
      Failure{.operation = name_of(note.kind),
              .problem = group_->text() + " waits in vain: " + problem,
              .operands = {(is_message ? "message " : "collective ") + std::to_string(number) + " of the group, " +
                           text_of(note)},
              .advice = is_over ? "all ranks must come to it within the group's time limit; see Group::set_time_limit"
                                : "end the program, and go on from its last checkpoint"});
  group_->fail(error);
  throw CollectiveError(error);
}

}  // namespace tessera::collective
