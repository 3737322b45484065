module;
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;

// Agreeing on collectives by what ranks of one host can read of each other, otherwise by messages; and what is said when somebody does not come.
namespace tessera::collective {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// How often it is looked whether a process is still there.
constexpr auto between_looks = 20ms;
/// Of what a rank says to the others when it fails.
constexpr std::size_t failure_bytes = 400;

struct BoardEntry {
  std::atomic<std::uint64_t> turn;  // one more than the number of the turn that the rest is of
  Note note;
  std::int64_t bytes;  // that are shown; -1: nothing is
  std::byte shown[shown_bytes];
};

std::string list_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  return text;
}

/// All ranks have one, and each another.
bool are_joined(std::vector<device::GpuIdentity> gpus) {
  if (std::ranges::find(gpus, device::GpuIdentity{}) != gpus.end()) return false;
  std::ranges::sort(gpus);
  return std::ranges::adjacent_find(gpus) == gpus.end();
}

std::string seconds_text(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

}  // namespace

/// What a rank shows to those of its host. Entries are used in turn: when a rank has agreed on one turn, all have come to it, and need no entry that is two
/// turns older.
struct Communicator::Board {
  std::atomic<std::int64_t> process;
  std::atomic<std::uint32_t> has_ended, has_failed;
  char failure[failure_bytes];
  BoardEntry entries[lane_count];
};

Communicator::Communicator(std::unique_ptr<Wire> wire, std::string name)
    : wire_(std::move(wire)), name_(std::move(name)), rank_(wire_->rank()), size_(wire_->size()) {
  static_assert(sizeof(Board) <= board_bytes && std::atomic<std::uint64_t>::is_always_lock_free);
  for (int rank = 0; rank < size_; ++rank) {
    boards_.push_back(static_cast<Board*>(wire_->board(rank)));
    has_all_boards_ = has_all_boards_ && boards_.back() != nullptr;
  }
  if (Board* const own = board(rank_)) own->process.store(getpid(), std::memory_order_release);
  const auto here = std::ranges::count_if(boards_, [](const Board* board) { return board != nullptr; });
  if (here > sysconf(_SC_NPROCESSORS_ONLN)) Progress::here().yield_at_once();
}

Communicator::~Communicator() = default;

std::string Communicator::text() const {
  return "rank " + std::to_string(rank_) + " of group " + name_ + " (" + std::to_string(size_) +
         (size_ == 1 ? " rank)" : " ranks)");
}

void Communicator::fail(const std::string& why) noexcept {
  if (std::exchange(has_failed_, true)) return;
  failure_ = why;
  for (const auto& [gpus, wire] : gpu_wires_) wire->give_up();
  Board* const own = board(rank_);
  if (own == nullptr) return;
  std::strncpy(own->failure, why.c_str(), failure_bytes - 1);
  own->has_failed.store(1, std::memory_order_release);
}

void Communicator::check(std::string_view operation) const {
  if (!has_failed_) return;
  throw CollectiveError(to_string(Failure{.operation = operation,
                                          .problem = "the group has failed before: " + failure_,
                                          .advice = "end the program, and go on from its last checkpoint"}));
}

GpuWire& Communicator::gpu_wire(const std::vector<device::GpuIdentity>& gpus, GpuPlace place) {
  const std::lock_guard lock(Progress::here().lock());
  for (const auto& [joined, wire] : gpu_wires_)
    if (joined == gpus) return *wire;
  return *gpu_wires_.emplace_back(gpus, std::make_unique<GpuWire>(place, rank_, size_)).second;
}

void Communicator::say_farewell() noexcept {
  if (Board* const own = board(rank_)) own->has_ended.store(1, std::memory_order_release);
  if (!std::exchange(has_failed_, true)) failure_ = "MPI has been ended";
}

std::string Communicator::why_gone(int rank, bool has_come) const {
  const Board* const other = board(rank);
  if (other == nullptr) return {};
  const std::string name = "rank " + std::to_string(rank);
  if (other->has_failed.load(std::memory_order_acquire) != 0) return name + " has failed: " + other->failure;
  if (!has_come && other->has_ended.load(std::memory_order_acquire) != 0) return name + " has ended its program";
  const auto process = static_cast<pid_t>(other->process.load(std::memory_order_acquire));
  if (process != 0 && kill(process, 0) != 0 && errno == ESRCH)
    return name + " (process " + std::to_string(process) + ") has died";
  return {};
}

Turn::~Turn() {
  const std::lock_guard lock(Progress::here().lock());
  if (has_lane_) group_->lane_is_taken_[static_cast<std::size_t>(lane())] = false;
  if (!is_agreed_) {
    group_->fail(group_->text() + " has not taken part in collective " + std::to_string(number_) + ", " +
                 text_of(note_) + ": what it was to send could not be computed, or it was cancelled");
  }
}

MessageTurn::~MessageTurn() {
  if (has_begun_) return;
  const std::lock_guard lock(Progress::here().lock());
  group_->fail(group_->text() + " has not begun message " + std::to_string(number_) + ", " + text_of(note_) +
               ": what it was to send could not be computed, or it was cancelled");
}

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

void Agreement::compare(int rank) {
  Communicator& group = turn_.group();
  const Note& other = note_of(rank);
  if (std::memcmp(&other, &turn_.note(), compared_bytes) == 0) return;
  const std::string error = to_string(
      Failure{.operation = name_of(turn_.note().kind),
              .problem = group.text() + " and rank " + std::to_string(rank) + " do not call the same: collective " +
                         std::to_string(turn_.number()) + " of the group is " + text_of(turn_.note()) + " here, and " +
                         text_of(other) + " there",
              .advice = "all ranks call the same collectives in the same order, with arrays that fit"});
  throw CollectiveError(error);
}

bool Agreement::begin() {
  Communicator& group = turn_.group();
  bool& lane_is_taken = group.lane_is_taken_[static_cast<std::size_t>(turn_.lane())];
  if (group.agreed_ != turn_.number() || lane_is_taken) return false;
  lane_is_taken = turn_.has_lane_ = true;
  has_begun_ = true;
  notes_[static_cast<std::size_t>(group.rank())] = turn_.note();
  if (group.has_all_boards_) {
    BoardEntry& entry = group.board(group.rank())->entries[turn_.lane()];
    std::memcpy(&entry.note, &turn_.note(), note_bytes);
    entry.bytes = own_shown_bytes_;
    if (own_shown_bytes_ > 0) std::memcpy(entry.shown, own_shown_, static_cast<std::size_t>(own_shown_bytes_));
    is_all_shown_ = true;
    starts_of_shown_.resize(notes_.size());
    bytes_of_shown_.resize(notes_.size());
    note_shown(group.rank(), own_shown_, own_shown_bytes_);
    entry.turn.store(turn_.number() + 1, std::memory_order_release);
    has_come_.assign(notes_.size(), false);
    has_come_[static_cast<std::size_t>(group.rank())] = true;
    missing_ = group.size() - 1;
  } else if (group.size() != 1) {
    bytes_.assign(notes_.size(), note_bytes);
    request_ = group.wire_->begin({.kind = ExchangeKind::all_gather,
                                   .lane = turn_.lane(),
                                   .from = &notes_[static_cast<std::size_t>(group.rank())],
                                   .to = notes_.data(),
                                   .to_bytes = bytes_.data()});
  }
  return true;
}

/// Copied at once: when this turn is agreed on, others may go on to later ones.
void Agreement::note_shown(int rank, const void* bytes, std::ptrdiff_t count) {
  const auto at = static_cast<std::size_t>(rank);
  is_all_shown_ = is_all_shown_ && count >= 0;
  if (!is_all_shown_) return;
  starts_of_shown_[at] = shown_.size();
  bytes_of_shown_[at] = count;
  const auto* const begin = static_cast<const std::byte*>(bytes);
  shown_.insert(shown_.end(), begin, begin + count);
}

bool Agreement::look_at_boards() {
  Communicator& group = turn_.group();
  for (int rank = 0; rank < group.size() && missing_ != 0; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (has_come_[at]) continue;
    const BoardEntry& entry = group.board(rank)->entries[turn_.lane()];
    if (entry.turn.load(std::memory_order_acquire) != turn_.number() + 1) continue;
    std::memcpy(&notes_[at], &entry.note, note_bytes);
    note_shown(rank, entry.shown, entry.bytes);
    has_come_[at] = true;
    --missing_;
    compare(rank);
  }
  return missing_ == 0;
}

bool Agreement::look_at_messages() {
  std::int64_t received = 0;
  if (request_ != nullptr && !turn_.group().wire_->has_ended(request_, received)) return false;
  request_ = nullptr;
  for (int rank = 0; rank < turn_.group().size(); ++rank) compare(rank);
  return true;
}

bool Agreement::go_on() {
  const Communicator& group = turn_.group();
  return group.has_all_boards_ && group.size() != 1 ? look_at_boards() : look_at_messages();
}

std::vector<std::int64_t> Agreement::said() const {
  std::vector<std::int64_t> said;
  said.reserve(notes_.size());
  for (const Note& note : notes_) said.push_back(note.own);
  return said;
}

std::vector<device::GpuIdentity> Agreement::gpus() const {
  std::vector<device::GpuIdentity> gpus;
  gpus.reserve(notes_.size());
  for (const Note& note : notes_) gpus.push_back(note.gpu);
  return gpus;
}

bool Agreement::poll() {
  Communicator& group = turn_.group();
  group.check(name_of(turn_.note().kind));
  bool has_ended = false;
  try {
    if (!has_begun_ && !begin()) {  // those who have failed meanwhile will not come to it either
      patience_.test(turn_.is_blocking_ ? Patience::For::blocking_turn : Patience::For::turn, turn_.note(),
                     turn_.number(), [](int) { return true; });
      return false;
    }
    has_ended = go_on();
  } catch (const CollectiveError& error) {
    group.fail(error.what());
    throw;
  }
  if (has_ended) {
    turn_.is_agreed_ = true;
    ++group.agreed_;
    if (are_joined(gpus())) gpu_turn_ = group.next_gpu_turn_++;
    return true;
  }
  patience_.test(Patience::For::ranks, turn_.note(), turn_.number(),
                 [&](int rank) { return !group.has_all_boards_ || !has_come_[static_cast<std::size_t>(rank)]; });
  return false;
}

bool Transfer::go_on() {
  if (!has_begun_) {
    if (is_message() && group_.begun_messages_ != number_) return false;
    if (is_message()) message_->has_begun_ = true;
    request_ = group_.wire_->begin(exchange_);
    if (rest_) request_of_rest_ = group_.wire_->begin(*rest_);
    has_begun_ = true;
    if (is_message()) ++group_.begun_messages_;
  }
  std::int64_t received = 0;
  if (request_ != nullptr && group_.wire_->has_ended(request_, received)) request_ = nullptr;
  if (request_ == nullptr && wants_rest_ && !std::exchange(wants_rest_, nullptr)()) return true;
  if (request_of_rest_ != nullptr && group_.wire_->has_ended(request_of_rest_, received)) request_of_rest_ = nullptr;
  return request_ == nullptr && request_of_rest_ == nullptr;
}

bool Transfer::poll() {
  group_.check(name_of(note_.kind));
  try {
    if (go_on()) return true;
  } catch (const CollectiveError& error) {  // the engine's
    group_.fail(error.what());
    throw;
  }
  const auto waits_for = has_begun_               ? Patience::For::data
                         : message_->is_blocking_ ? Patience::For::blocking_turn
                                                  : Patience::For::turn;
  patience_.test(waits_for, note_, number_, [&](int rank) { return !is_message() || rank == exchange_.peer; });
  return false;
}

}  // namespace tessera::collective
