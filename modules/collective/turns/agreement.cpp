module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;

// Comparing notes.
namespace tessera::collective {

namespace {

/// All ranks have one, and each another.
bool are_joined(std::vector<device::GpuIdentity> gpus) {
  if (std::ranges::find(gpus, device::GpuIdentity{}) != gpus.end()) return false;
  std::ranges::sort(gpus);
  return std::ranges::adjacent_find(gpus) == gpus.end();
}

}  // namespace

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

}  // namespace tessera::collective
