module;
#include <cstddef>
#include <new>
export module tessera.schedule:callable_op;
import tessera.standard;
import tessera.core;
import :recycling;
import :op_state;
import :op_end;

// Ops whose body is a callable. They need no coroutine frame.
namespace tessera {

/// What submit() runs: it is moved or copied into the op.
export template <class F>
concept OpBody = (std::invocable<std::decay_t<F>&> ||
                  unsatisfied<"the body of an op is called without arguments: what it works on, it captures">) &&
                 (std::constructible_from<std::decay_t<F>, F> ||
                  unsatisfied<"the body of an op is kept until it runs: move it in if it cannot be copied">);

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
  UnsubmittedOp op(::new (take_recycled(sizeof(OpState))) OpState);
  set_options(*op, options, where);
  CallableIn<F>::make(*op, std::forward<G>(callable));
  op->kind = &callable_kind<F>;
  return op;
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
