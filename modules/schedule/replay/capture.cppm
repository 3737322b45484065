module;
#include <cstddef>
#include <new>
export module tessera.schedule:capture;
import tessera.standard;
import tessera.core;
import :recycling;
import :op_state;
import :var;
import :op_end;
import :engine;
import :parameter;
import :recording;
import :replay;
import :dependency_graph;

// Capture and replay: the ops of a step are recorded once, with what waits for what, and submitted again as a whole.
namespace tessera {

template <class... T>
struct RecordingOf : Recording {
  std::tuple<std::shared_ptr<ParameterSlotOf<T>>...> slots{make_shared_object<ParameterSlotOf<T>>()...};
};

template <class... T>
struct ReplayOf : ReplayState {
  std::tuple<T...> values;
  std::array<VarState*, sizeof...(T)> vars{};

  ReplayOf(std::shared_ptr<RecordingOf<T...>> recorded, T&&... arguments)
      : ReplayState(std::move(recorded)), values(std::move(arguments)...) {
    kind = &replay_kind;
    bound = vars.data();
    bind_vars(std::index_sequence_for<T...>());
    std::apply([](const auto&... each) { (ParameterRules<T>::keep(each), ...); }, values);
  }

  template <std::size_t... I>
  void bind_vars(std::index_sequence<I...>) {
    (bind_var(vars[I], std::get<I>(values)), ...);
  }
  template <class V>
  static void bind_var(VarState*& var, const V& value) {
    if constexpr (HasVar<V>) var = static_cast<const Var&>(var_of(value)).state();
  }

  template <bool On, std::size_t... I>
  void fill_slots(std::index_sequence<I...>) {
    auto& slots = static_cast<RecordingOf<T...>&>(*recording).slots;
    ((std::get<I>(slots)->value = On ? &std::get<I>(values) : nullptr), ...);
  }

  /// Calls what it is given with each argument, its slot and its number.
  template <std::size_t... I>
  void with_each(std::index_sequence<I...>, const auto& visit) const {
    [[maybe_unused]] const auto& slots = static_cast<const RecordingOf<T...>&>(*recording).slots;
    (visit(std::get<I>(values), *std::get<I>(slots), I), ...);
  }
  void check_arguments() const override {
    with_each(std::index_sequence_for<T...>(), [this](const auto& value, const auto& slot, std::size_t number) {
      slot.rules.check(value, {.recording = this->name, .parameter = number, .where = this->where});
    });
  }
  void name_arguments(Engine& to) const override {
    with_each(std::index_sequence_for<T...>(),
              [&to](const auto& value, const auto& slot, std::size_t) { slot.rules.name_to(to, value); });
  }

  static void bind(OpState& op) {
    static_cast<ReplayOf&>(op).template fill_slots<true>(std::index_sequence_for<T...>());
  }
  static void unbind(OpState& op) noexcept {
    static_cast<ReplayOf&>(op).template fill_slots<false>(std::index_sequence_for<T...>());
  }
  static void free(OpState& op) noexcept {
    auto* replay = static_cast<ReplayOf*>(&op);
    std::destroy_at(replay);
    give_recycled(replay, sizeof(ReplayOf));
  }
  static constexpr OpKind replay_kind{.run = bind, .drop = unbind, .free = free};
};

/// Throws SchedulerError: the Step has been moved from.
[[noreturn]] void throw_no_step(const std::source_location& where);

/// Recorded ops. A handle: copies are the same recording, which lives until the last of them is gone and the last replay has
/// ended. T... are the types of the parameters.
export template <class... T>
class Step {
 public:
  explicit Step(std::shared_ptr<RecordingOf<T...>> recording) noexcept : recording_(std::move(recording)) {}
  friend std::ostream& operator<<(std::ostream&, const Step&) = delete;  // a Step is a recording: replay() it

  /// Submits the recorded ops, whose Parameters have these values, kept until the replay has ended. It takes its place among other
  /// ops as one op that accesses all Vars of the recording; replays of one recording run one after the other. May be called on
  /// any thread, and in an op. Throws SchedulerError (a Step that has been moved from, no scheduler any more, an erased Var, inside a capture, a Var given for two
  /// parameters or for one when it is in the recording already, unless it is only read), ShapeError and PlaceError (an array that is not
  /// as the example on which expressions were recorded), std::bad_alloc; nothing has happened then.
  void replay(T... arguments, const std::source_location& where = std::source_location::current()) const {
    using Replay = ReplayOf<T...>;
    if (recording_ == nullptr) throw_no_step(where);
    static_assert(alignof(Replay) <= 64, "an argument may ask for no more than 64-byte alignment");
    void* const block = take_recycled(sizeof(Replay));
    Replay* replay = nullptr;
    try {
      replay = ::new (block) Replay(recording_, std::move(arguments)...);
    } catch (...) {
      give_recycled(block, sizeof(Replay));
      throw;
    }
    submit_replay(UnsubmittedReplay(replay), where);
  }

  /// Number of recorded ops; 0 for a Step that has been moved from.
  std::size_t size() const noexcept { return recording_ == nullptr ? 0 : recording_->ops.size(); }

  /// The recorded ops and what each waits for, to be drawn. A parameter has a Var of its own in it. Throws std::bad_alloc.
  DependencyGraph graph() const {
    return recording_ == nullptr ? DependencyGraph() : DependencyGraph(recording_->records());
  }

 private:
  std::shared_ptr<RecordingOf<T...>> recording_;
};

// ---------------------------------------------------------------------------------------------- what a body's type says

template <class P>
struct ParameterType {};
template <class T>
struct ParameterType<Parameter<T>> {
  using Type = T;
};

template <class... P>
concept AllParameters = (requires { typename ParameterType<std::remove_cvref_t<P>>::Type; } && ...);

template <class Function>
struct StepOf {};
template <class R, AllParameters... P>
struct StepOf<R(P...)> {
  using Type = Step<typename ParameterType<std::remove_cvref_t<P>>::Type...>;
};

template <class F>
struct FunctionOf {};
template <class C, class R, class... P, bool N>
struct FunctionOf<R (C::*)(P...) noexcept(N)> {
  using Type = R(P...);
};
template <class C, class R, class... P, bool N>
struct FunctionOf<R (C::*)(P...) const noexcept(N)> {
  using Type = R(P...);
};
template <class R, class... P, bool N>
struct FunctionOf<R (*)(P...) noexcept(N)> {
  using Type = R(P...);
};

template <class F>
struct BodyOf : FunctionOf<std::decay_t<F>> {};
template <class F>
  requires requires { &std::remove_cvref_t<F>::operator(); }
struct BodyOf<F> : FunctionOf<decltype(&std::remove_cvref_t<F>::operator())> {};

template <class F>
concept HasParametersOnly = requires { typename StepOf<typename BodyOf<F>::Type>::Type; };

/// What capture() takes: a callable that is not overloaded or generic and whose parameters are all Parameter<T>.
export template <class F>
concept Recordable = HasParametersOnly<F> ||
                     unsatisfied<"the body of a capture takes nothing but Parameter<T>, and its types are written out">;

template <class Types, class... Examples>
inline constexpr bool are_examples = false;
template <class... T, class... Examples>
  requires(sizeof...(Examples) <= sizeof...(T))
inline constexpr bool are_examples<Step<T...>, Examples...> = []<std::size_t... I>(std::index_sequence<I...>) {
  return (std::convertible_to<const Examples&, std::tuple_element_t<I, std::tuple<T...>>> && ...);
}(std::index_sequence_for<Examples...>());

/// Arguments of a first replay, as it were: of the first parameters of the body, in their order.
export template <class F, class... Examples>
concept ExamplesFor =
    are_examples<typename StepOf<typename BodyOf<F>::Type>::Type, Examples...> ||
    unsatisfied<"the examples behind the body of a capture are values for its first parameters, in their order">;

template <class... T, class F, class... Examples>
Step<T...> record(std::type_identity<Step<T...>>, const std::shared_ptr<Engine>& engine, F&& body,
                  const CaptureOptions& options, const Examples&... examples) {
  auto recording = make_shared_object<RecordingOf<T...>>();
  recording->options = options;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (std::get<I>(recording->slots)->rules.take_example(examples), ...);
  }(std::index_sequence_for<Examples...>());
  std::apply(
      [&](const auto&... slots) {
        const std::array<ParameterSlot*, sizeof...(T)> all{slots.get()...};
        Recorder recorder(engine, recording, all);
        std::forward<F>(body)(Parameter<T>(slots)...);
        recorder.finish();
        (slots->rules.drop_example(), ...);
      },
      recording->slots);
  return Step<T...>(std::move(recording));
}

/// Scheduler::capture().
template <Recordable F, class... Examples>
auto record(const std::shared_ptr<Engine>& engine, F&& body, const CaptureOptions& options,
            const Examples&... examples) {
  using StepType = typename StepOf<typename BodyOf<F>::Type>::Type;
  return record(std::type_identity<StepType>(), engine, std::forward<F>(body), options, examples...);
}

}  // namespace tessera
