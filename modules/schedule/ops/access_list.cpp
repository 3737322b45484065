module;
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
module tessera.schedule;

// From a list of accesses to those of an op. Accesses of one Var become one when the op is submitted.
namespace tessera::schedule {

void AccessList::declare(OpState& op) const {
  reserve_accesses(op, count_ + more_.size());
  const auto add = [&op](std::uintptr_t tagged) { op.access(op.access_count++).tagged = tagged; };
  for (const std::uintptr_t tagged : std::span(first_).first(count_)) add(tagged);
  for (const std::uintptr_t tagged : more_) add(tagged);
}

}  // namespace tessera::schedule
