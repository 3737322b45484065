module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:join;
import tessera.standard;
import :failure;
import :op_state;
import :var;
import :engine;

// Joins: ops without work, by which somebody who keeps several Vars for the parts of one thing says what comes before what.
namespace tessera {

/// Frees a join that was not submitted after all.
struct DropJoin {
  void operator()(OpState* join) const noexcept;
};
export using UnsubmittedJoin = std::unique_ptr<OpState, DropJoin>;

/// A join without accesses. It ends as soon as it is ready. What it writes is poisoned afterwards if something that it reads is, so what it reads and writes
/// stays as it was; it does not fail and
/// cannot be cancelled. Throws std::bad_alloc.
export UnsubmittedJoin make_join(std::size_t accesses);

/// Adds an access to an op that has room for it; `bits` are Access::read_bit, write_bit or both.
export inline void add_access(OpState& op, const Var& var, std::uintptr_t bits) noexcept {
  add_access(op, var.state(), bits);
}

bool is_join(const OpState& op) noexcept;

/// Whether no access of the Var is pending, and whether it is poisoned.
export struct VarCondition {
  bool is_idle;
  bool has_readers;
  SharedFailure failure;
};
export VarCondition condition_of(const Var& var) noexcept;

/// From now on only joins may name the Var: other submissions throw VarIsDivided. Returns its condition until then.
export VarCondition divide(const Var& var) noexcept;

/// All may name it again; `failure` poisons it.
export void reunite(const Var& var) noexcept;
export void reunite(const Var& var, const SharedFailure& failure) noexcept;

}  // namespace tessera
