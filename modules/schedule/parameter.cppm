module;
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
export module tessera.schedule:parameter;
import :var;

// What changes from one replay of a recording to the next.
namespace tessera {

class Recorder;

/// The Var behind a value, for reads() and writes() of a Parameter. Types that own a Var have a function of this name beside them.
export inline const Var& var_of(const Var& var) noexcept { return var; }

/// A value behind which a Var is: ops may say that they read or write it.
export template <class T>
concept HasVar = requires(const T& value) {
  { var_of(value) } -> std::convertible_to<Var>;
};

/// What is known of a parameter whatever its type.
struct ParameterSlot {
  const Recorder* recorder = nullptr;  // while its recording is made
  std::optional<Var> stand_in;         // in the recorded accesses, for the Var of each replay
};

/// The slot that the ops of a recording look into.
template <class T>
struct ParameterSlotOf : ParameterSlot {
  const T* value = nullptr;  // of the replay that runs

  ParameterSlotOf() {
    if constexpr (HasVar<T>) stand_in.emplace();
  }
};

/// The Var that stands for a parameter. Throws SchedulerError outside the body of the capture that made it.
VarState* stand_in_of(const ParameterSlot& slot);

[[noreturn]] void throw_no_replay();

/// An argument of a recording. The body of a capture takes it by value and gives copies to the ops that it records.
export template <class T>
class Parameter {
 public:
  static_assert(std::same_as<T, std::decay_t<T>>, "a parameter holds a value");

  explicit Parameter(std::shared_ptr<ParameterSlotOf<T>> slot) noexcept : slot_(std::move(slot)) {}

  /// The argument of the replay that runs, valid until that has ended. Throws SchedulerError when none runs: it is meant for the
  /// bodies of recorded ops.
  const T& value() const {
    if (slot_->value == nullptr) [[unlikely]]
      throw_no_replay();
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
concept NamesVar = std::same_as<T, Var> || is_var_parameter<T>;

inline VarState* state_of(const Var& var) { return var.state(); }
template <HasVar T>
VarState* state_of(const Parameter<T>& parameter) {
  return stand_in_of(parameter.slot());
}

}  // namespace tessera
