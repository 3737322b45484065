module;
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
module tessera.schedule;
import tessera.core;

// The accesses of an op before its submission: sorted, and checked against those of the ops around it.
namespace tessera {

namespace {

/// Sorts the accesses by Var and merges those of one Var. They are few, so insertion is the fastest.
template <class A>
void sort_and_merge(A* accesses, std::uint16_t& count) {
  for (int i = 1; i < count; ++i) {
    const std::uintptr_t tagged = accesses[i].tagged;
    int at = i;
    for (; at > 0 && accesses[at - 1].tagged > tagged; --at) accesses[at].tagged = accesses[at - 1].tagged;
    accesses[at].tagged = tagged;
  }
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (kept > 0 && accesses[kept - 1].var() == accesses[i].var()) {
      accesses[kept - 1].tagged |= accesses[i].tagged;
    } else {
      accesses[kept++].tagged = accesses[i].tagged;
    }
  }
  count = static_cast<std::uint16_t>(kept);
}

/// Some op holds the Var. What the ops around one hold, they hold all the time that it is being submitted.
bool is_held(VarState& var) {
  const std::lock_guard lock(var.lock);
  return var.written || var.readers != 0;
}

}  // namespace

void refuse_submission(const OpState& op, const std::string& problem, const char* advice) {
  throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                  .problem = problem,
                                  .advice = advice,
                                  .where = op.where}));
}

void throw_moved_from_var(const OpState& op) {
  throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                  .problem = "one of its Vars has been moved from",
                                  .where = op.where}));
}

void normalise_accesses(OpState& op) {
  if (op.has(OpState::has_long_list)) {
    sort_and_merge(op.many.list, op.access_count);
    for (int i = 0; i < op.access_count; ++i) {
      op.many.list[i].tagged |= Access::long_bit;
      op.many.list[i].owner = &op;
    }
    return;
  }
  if (op.access_count > 1) sort_and_merge(op.accesses, op.access_count);
  for (int i = 1; i < op.access_count; ++i) {
    op.accesses[i].tagged |= static_cast<std::uintptr_t>(i) * Access::index_unit;
  }
}

void check_against_parents(OpState& op) {
  for (int i = 0; i < op.access_count; ++i) {
    Access& mine = op.access(i);
    if (!is_held(*mine.var())) continue;  // so that ops within ops within ops do not each ask all of those around them
    for (OpState* outer = op.parent; outer != nullptr; outer = outer->parent) {
      for (int j = 0; j < outer->access_count; ++j) {
        const Access& theirs = outer->access(j);
        if (theirs.var() != mine.var()) continue;
        if (!theirs.writes() && !mine.writes()) {
          mine.tagged |= Access::inherited_bit;
          continue;
        }
        refuse_submission(op,
                          "it accesses a Var that the op around it, " + description_of(outer->name, outer->where) +
                              ", " + (theirs.writes() ? "writes" : "reads") + ", and which ends only after it",
                          "leave that Var to one of the two");
      }
    }
  }
}

}  // namespace tessera
