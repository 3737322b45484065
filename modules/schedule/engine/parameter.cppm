module;
#include <cstddef>
export module tessera.schedule:parameter;
import tessera.standard;
import tessera.core;
import :var;

// What changes from one replay of a recording to the next.
namespace tessera {

namespace schedule {

class Recorder;

}  // namespace schedule
using schedule::Recorder;

/// The Var behind a value, for reads() and writes() of a Parameter. Types that own a Var have a function of this name beside them.
export inline const Var& var_of(const Var& var) noexcept {
  return var;  // NOLINT(bugprone-return-const-ref-from-parameter): no Var is a temporary
}

/// A value behind which a Var is: ops may say that they read or write it.
export template <class T>
concept HasVar = requires(const T& value) {
  { var_of(value) } -> std::convertible_to<Var>;
};

namespace schedule {

/// An argument of replay() in messages.
export struct ArgumentName {
  const char* recording;
  std::size_t parameter;
  std::source_location where;
};

/// What a recording holds of a parameter of type T beside its Var. Types say more by a specialisation: arrays have a shape, which recorded
/// expressions are made for.
export template <class T>
struct ParameterRules {
  /// The example that capture() was given.
  void take_example(const T&) noexcept {}
  /// The body has been recorded.
  void drop_example() noexcept {}
  /// Throws if the recorded ops cannot work on this value.
  void check(const T&, const ArgumentName&) const noexcept {}
  /// A replay keeps this copy until it has ended.
  static void keep(const T&) noexcept {}
  /// Ops on what is behind the value are about to be submitted to the engine.
  void name_to(auto&, const T&) const noexcept {}
};

/// What a parameter of type T can do beside being read in the bodies of ops: those of arrays can be assigned to.
export template <class T>
struct ParameterOperations {};

/// What is known of a parameter whatever its type.
export struct ParameterSlot {
  const Recorder* recorder = nullptr;  // while its recording is made
  std::optional<Var> stand_in;         // in the recorded accesses, for the Var of each replay
};

}  // namespace schedule
using schedule::ArgumentName;
using schedule::ParameterOperations;
using schedule::ParameterRules;
using schedule::ParameterSlot;

/// The slot that the ops of a recording look into.
template <class T>
struct ParameterSlotOf : ParameterSlot {
  const T* value = nullptr;  // of the replay that runs
  [[no_unique_address]] ParameterRules<T> rules;

  ParameterSlotOf() {
    if constexpr (HasVar<T>) stand_in.emplace();
  }
};

namespace schedule {

/// The body of the capture that made the parameter runs on this thread.
export bool is_being_recorded(const ParameterSlot& slot) noexcept;

/// The Var that stands for a parameter. Throws SchedulerError outside the body of the capture that made it.
export VarState* stand_in_of(const ParameterSlot& slot);

}  // namespace schedule
using schedule::is_being_recorded;
using schedule::stand_in_of;

[[noreturn]] void throw_no_replay(const ParameterSlot& slot);

/// An argument of a recording. The body of a capture takes it by value and gives copies to the ops that it records.
export template <class T>
class Parameter : public ParameterOperations<T> {
 public:
  static_assert(std::same_as<T, std::decay_t<T>>, "a parameter holds a value");
  using ParameterOperations<T>::operator=;

  explicit Parameter(std::shared_ptr<ParameterSlotOf<T>> slot) noexcept : slot_(std::move(slot)) {}

  /// The argument of the replay that runs, valid until that has ended. Throws SchedulerError when none runs: it is meant for the
  /// bodies of recorded ops.
  const T& value() const {
    if (slot_->value == nullptr) [[unlikely]]
      throw_no_replay(*slot_);
    return *slot_->value;
  }

  const ParameterSlotOf<T>& slot() const noexcept { return *slot_; }

 private:
  std::shared_ptr<ParameterSlotOf<T>> slot_;
};

template <class T>
inline constexpr bool is_var_parameter = false;
template <HasVar T>
inline constexpr bool is_var_parameter<Parameter<T>> = true;

/// What reads() and writes() take: a Var, or a parameter behind which one is.
export template <class T>
concept NamesVar = std::same_as<T, Var> || is_var_parameter<T> ||
                   unsatisfied<"reads() and writes() take Vars, parameters behind which one is, or one span of Vars">;

inline VarState* state_of(const Var& var) { return var.state(); }
template <HasVar T>
VarState* state_of(const Parameter<T>& parameter) {
  return stand_in_of(parameter.slot());
}

}  // namespace tessera
