module;
#include <cstdint>
#include <functional>
#include <utility>
module tessera.collective;
import tessera.core;

// Beginning exchanges, and asking for their end.
namespace tessera::collective {

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
