module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:access;
import tessera.standard;
import tessera.core;
import :op_state;
import :var;
import :op_end;
import :parameter;

// How an op says which Vars it reads and which it writes.
namespace tessera {

/// Some Vars and what is done with them. It refers to the Vars, which must live until it has been used in the same statement.
template <std::uintptr_t Bit, std::size_t Count>
struct NamedVars {
  std::array<VarState*, Count> vars;

  inline std::size_t size() const { return Count; }
  VarState* operator[](std::size_t at) const { return vars[at]; }
  static constexpr std::uintptr_t bit = Bit;
};

template <std::uintptr_t Bit>
struct NamedVars<Bit, std::dynamic_extent> {
  std::span<const Var> vars;

  inline std::size_t size() const { return vars.size(); }
  VarState* operator[](std::size_t at) const { return vars[at].state(); }
  static constexpr std::uintptr_t bit = Bit;
};

template <class T>
inline constexpr bool is_named_vars = false;
template <std::uintptr_t Bit, std::size_t Count>
inline constexpr bool is_named_vars<NamedVars<Bit, Count>> = true;

/// What reads() and writes() return.
export template <class T>
concept AccessDeclaration =
    is_named_vars<T> || unsatisfied<"an op says what it accesses by reads(...) and writes(...), in this order">;

/// The Vars that an op reads: it begins when all ops submitted before it that write them have ended.
export template <NamesVar... V>
NamedVars<Access::read_bit, sizeof...(V)> reads(const V&... vars) {
  return {{state_of(vars)...}};
}
// clang-format off
export inline NamedVars<Access::read_bit, std::dynamic_extent> reads(std::span<const Var> vars) { return {vars}; }  // reads() takes Vars, parameters behind which one is, or one span of Vars
// clang-format on

/// The Vars that an op writes: it begins when all ops submitted before it that read or write them have ended.
export template <NamesVar... V>
NamedVars<Access::write_bit, sizeof...(V)> writes(const V&... vars) {
  return {{state_of(vars)...}};
}
// clang-format off
export inline NamedVars<Access::write_bit, std::dynamic_extent> writes(std::span<const Var> vars) { return {vars}; }  // writes() takes Vars, parameters behind which one is, or one span of Vars
// clang-format on

[[noreturn]] void throw_moved_from_var(const OpState& op);

/// Throws SchedulerError: the op cannot be submitted.
[[noreturn]] void refuse_submission(const OpState& op, const std::string& problem, const char* advice);

/// Sorts an op's accesses by Var, merges those of one Var and numbers them.
void normalise_accesses(OpState& op);

/// What the ops around this one hold: what they write this one can never have, for they end only after it; what they read it shares
/// with them. Throws SchedulerError.
void check_against_parents(OpState& op);

/// Writes declarations into an op. Throws SchedulerError, std::bad_alloc.
template <AccessDeclaration... D>
void declare(OpState& op, const D&... declarations) {
  reserve_accesses(op, (std::size_t{0} + ... + declarations.size()));
  const auto add = [&op](const auto& declaration) {
    for (std::size_t at = 0; at < declaration.size(); ++at) {
      VarState* var = declaration[at];
      if (var == nullptr) throw_moved_from_var(op);
      add_access(op, var, declaration.bit);
    }
  };
  (add(declarations), ...);
}

}  // namespace tessera
