module;
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// The lists of coroutines that have begun.
namespace tessera {

void BegunCoroutines::add(OpState& op) noexcept {
  List& list = list_of(op);
  OpExtras& extras = *op.extras;
  const std::lock_guard lock(list.lock);
  extras.begun_before = nullptr;
  extras.begun_after = std::exchange(list.first, &op);
  if (extras.begun_after != nullptr) extras.begun_after->extras->begun_before = &op;
}

void BegunCoroutines::remove(OpState& op) noexcept {
  List& list = list_of(op);
  const OpExtras& extras = *op.extras;
  const std::lock_guard lock(list.lock);
  (extras.begun_before == nullptr ? list.first : extras.begun_before->extras->begun_after) = extras.begun_after;
  if (extras.begun_after != nullptr) extras.begun_after->extras->begun_before = extras.begun_before;
}

std::string BegunCoroutines::description() const {
  constexpr std::size_t most_named = 8;
  std::string named;
  std::size_t count = 0;
  for (const List& list : lists_) {
    const std::lock_guard lock(list.lock);
    for (const OpState* op = list.first; op != nullptr; op = op->extras->begun_after) {
      if (++count > most_named) continue;
      named += (named.empty() ? "op " : ", op ") + description_of(op->name, op->where);
    }
  }
  if (count > most_named) named += " and " + std::to_string(count - most_named) + " more";
  return named;
}

}  // namespace tessera
