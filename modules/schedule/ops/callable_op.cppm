module;
#include <cstddef>
#include <new>
export module tessera.schedule:callable_op;
import tessera.standard;
import tessera.core;
import tessera.device;
import :recycling;
import :op_state;
import :op_end;

// Ops whose body is a callable. They need no coroutine frame.
namespace tessera {

/// The body of an op that names a GPU as its place: it is called with that GPU's stream, which is its context.
template <class F>
concept TakesStream = !std::invocable<F&> && std::invocable<F&, device::Stream&>;

/// What submit() runs: it is moved or copied into the op.
export template <class F>
concept OpBody = (std::invocable<std::decay_t<F>&> || TakesStream<std::decay_t<F>> ||
                  unsatisfied<"the body of an op is called without arguments: what it works on, it captures">) &&
                 (std::constructible_from<std::decay_t<F>, F> ||
                  unsatisfied<"the body of an op is kept until it runs: move it in if it cannot be copied">);

/// Returns when the stream has done all that it has been given, whether that failed or not.
void wait_for_work(device::Stream& stream) noexcept;

/// Gives the work of a body to the stream of a GPU, and ends when the GPU has done it: the op runs twice, and holds no worker in between.
template <class F>
class OnStream {
 public:
  template <class G>
  OnStream(G&& body, GpuPlace place) : body_(std::forward<G>(body)), place_(place) {}

  void operator()() {
    if (mark_.stream() != nullptr) return std::exchange(mark_, {}).wait();  // throws what the GPU's work has come to
    device::launching::make_current(place_);
    device::Stream& stream = device::Stream::current(place_);
    try {
      body_(stream);
      stream.count_work();  // a library that is given stream.native() counts none
      end_after(stream.mark());
    } catch (...) {
      wait_for_work(stream);  // which may use what the body holds
      throw;
    }
  }

 private:
  void end_after(const device::StreamMark& mark);

  F body_;
  GpuPlace place_;
  device::StreamMark mark_;
};

/// Lets the op that runs now run once more when the GPU has reached the mark.
void run_again_after(const device::StreamMark& mark);

template <class F>
void OnStream<F>::end_after(const device::StreamMark& mark) {
  if (mark.is_reached()) return;
  run_again_after(mark);
  mark_ = mark;
}

/// The GPU that an op names. Throws SchedulerError if it names the host.
GpuPlace gpu_of(const OpOptions& options, const std::source_location& where);

/// The callable lies in the op if it fits, otherwise in a block of its own.
template <class F>
struct CallableIn {
  static constexpr bool fits = sizeof(F) <= OpState::storage_bytes && alignof(F) <= 8;

  inline static F& of(OpState& op) {
    if constexpr (fits) {
      return *std::launder(reinterpret_cast<F*>(op.storage));
    } else {
      return **std::launder(reinterpret_cast<F**>(op.storage));
    }
  }

  template <class G>
  static void make(OpState& op, G&& callable) {
    static_assert(alignof(F) <= 64, "a callable may ask for no more than 64-byte alignment");
    if constexpr (fits) {
      ::new (static_cast<void*>(op.storage)) F(std::forward<G>(callable));
    } else {
      void* block = take_recycled(sizeof(F));
      try {
        ::new (static_cast<void*>(op.storage)) F*(::new (block) F(std::forward<G>(callable)));
      } catch (...) {
        give_recycled(block, sizeof(F));
        throw;
      }
    }
  }

  inline static void run(OpState& op) { of(op)(); }

  inline static void drop(OpState& op) noexcept {
    F* const callable = std::addressof(of(op));
    std::destroy_at(callable);
    if constexpr (!fits) give_recycled(callable, sizeof(F));
  }
};

void free_callable_op(OpState& op) noexcept;

template <class F>
inline constexpr OpKind callable_kind{.run = CallableIn<F>::run, .drop = CallableIn<F>::drop, .free = free_callable_op};

/// Frees an op that was not submitted after all.
struct DropUnsubmitted {
  inline void operator()(OpState* op) const noexcept {
    if (op->kind != nullptr) op->kind->drop(*op);
    free_callable_op(*op);
  }
};
namespace schedule {

export using UnsubmittedOp = std::unique_ptr<OpState, DropUnsubmitted>;

}  // namespace schedule
using schedule::UnsubmittedOp;

void set_options(OpState& op, const OpOptions& options, const std::source_location& where);

namespace schedule {

/// An op of a callable, without accesses. Throws std::bad_alloc and what copying the callable throws.
export template <class G>
UnsubmittedOp make_callable_op(G&& callable, const OpOptions& options, const std::source_location& where) {
  using F = std::decay_t<G>;
  if constexpr (TakesStream<F>) {
    OpOptions of_stream = options;
    of_stream.place = CpuPlace{};  // where its body runs
    return make_callable_op(OnStream<F>(std::forward<G>(callable), gpu_of(options, where)), of_stream, where);
  } else {
    UnsubmittedOp op(::new (take_recycled(sizeof(OpState))) OpState);
    set_options(*op, options, where);
    CallableIn<F>::make(*op, std::forward<G>(callable));
    op->kind = &callable_kind<F>;
    return op;
  }
}

/// What is known of a body whose type has been forgotten.
export struct BodyType {
  std::size_t bytes, alignment;                ///< of a body in the op; the alignment is 64 at most
  void (*make)(void* body, const void* from);  ///< makes one of what make_erased_op is given
  void (*run)(void* body);
  void (*drop)(void* body) noexcept;
};

/// As make_callable_op, by the same code for all bodies. `type` lives for ever. Throws std::bad_alloc and what making the body throws.
export UnsubmittedOp make_erased_op(const BodyType& type, const void* from, const OpOptions& options,
                                    const std::source_location& where);

}  // namespace schedule
using schedule::BodyType;
using schedule::make_callable_op;
using schedule::make_erased_op;

}  // namespace tessera
