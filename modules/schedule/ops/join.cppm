module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:join;
import tessera.standard;
import :failure;
import :op_state;
import :var;
import :engine;
import :access_list;

// Joins: ops without work, by which somebody who keeps several Vars for the parts of one thing says what comes before what.
namespace tessera {

namespace schedule {

/// HeldSubmissions::submit_join(). `ready` is as for Engine::enlist.
void enlist_join(Engine& engine, const AccessList& accesses, ReadyList& ready);

}  // namespace schedule

bool is_join(const OpState& op) noexcept;

namespace schedule {

/// Whether no access of the Var is pending, and whether it is poisoned.
export struct VarCondition {
  bool is_idle;
  bool has_readers;
  SharedFailure failure;
};
export VarCondition condition_of(const Var& var) noexcept;

/// From now on only joins may name the Var: other submissions throw VarIsDivided. Returns its condition until then.
export VarCondition reserve_for_joins(const Var& var) noexcept;

/// All may name it again; `failure` poisons it.
export void reunite(const Var& var) noexcept;
export void reunite(const Var& var, const SharedFailure& failure) noexcept;

}  // namespace schedule
using schedule::condition_of;
using schedule::reserve_for_joins;
using schedule::reunite;
using schedule::VarCondition;

}  // namespace tessera
