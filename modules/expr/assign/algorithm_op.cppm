module;
#include <cstddef>
export module tessera.expr:algorithm_op;
import tessera.standard;
import tessera.core;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :scopes;
import :accesses;
import :async;

// Algorithms on arrays as ops of a scheduler, in the order of the assignments around them.
namespace tessera {

/// Memory that an algorithm reads or writes, its type forgotten.
export struct AlgorithmMemory {
  const Buffer* buffer = nullptr;  ///< null: nobody counts who uses the memory
  storage::ViewMemory memory{};
};

/// All memory has a buffer.
bool has_buffers(const AlgorithmMemory* to, std::span<const AlgorithmMemory> from) noexcept;
void submit_erased(const Async& scope, const AlgorithmMemory* to, std::span<const AlgorithmMemory> from,
                   schedule::UnsubmittedOp op);

/// Inside an Async scope: submits `body`, which is copied, as an op that reads `from` and writes `to`, and returns true. It is called when its turn has come, for the
/// ops alone: streams it orders by itself. Returns false and does nothing outside of a scope, and for views, which keep nothing alive.
export template <Elements A, Elements B, class Body>
bool submit_algorithm(const A& to, const B& from, const char* name, const Body& body) {
  if constexpr (ArrayHandle<A> && ArrayHandle<B>) {
    Async* const scope = current_async();
    if (scope == nullptr || to.buffer() == nullptr || from.buffer() == nullptr) return false;
    constexpr auto item = static_cast<std::ptrdiff_t>(sizeof(typename A::value_type));
    const bool rewrites = to.size() * item == to.buffer()->bytes();  // results have no element twice
    const ScopeOfAssignment here{*scope};
    AssignmentAccesses accesses({.buffer = to.buffer().get(),
                                 .memory = {to.data(), to.shape().extents(), to.strides(), item},
                                 .rewrites = rewrites,
                                 .divides = here.divides()});
    static_cast<void>(LeafNode(from).any_leaf(OperandVisitor(accesses)));
    here.submit(accesses, schedule::make_callable_op(body, {.name = OpName::of_immortal(name)}, here.place()));
    return true;
  } else {
    return false;
  }
}

/// Inside an Async scope: submits `body` as an op that reads some memory and writes other; either may be none. It is called when its turn has
/// come, for the ops alone. Returns false and does nothing outside of a scope, and where memory has no buffer. `make_body()` is called only
/// where an op is submitted, on this thread. Throws SchedulerError, std::bad_alloc, and what make_body throws.
export template <class MakeBody>
bool submit_algorithm(const AlgorithmMemory* to, std::span<const AlgorithmMemory> from, const char* name,
                      const MakeBody& make_body, const OpOptions& options = {}) {
  Async* const scope = current_async();
  if (scope == nullptr || !has_buffers(to, from)) return false;
  OpOptions named = options;
  named.name = OpName::of_immortal(name);
  submit_erased(*scope, to, from, schedule::make_callable_op(make_body(), named, ScopeOfAssignment{*scope}.place()));
  return true;
}

}  // namespace tessera
