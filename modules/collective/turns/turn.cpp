module;
#include <cstddef>
#include <mutex>
#include <string>
module tessera.collective;

// Giving up a place in an order.
namespace tessera::collective {

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

}  // namespace tessera::collective
