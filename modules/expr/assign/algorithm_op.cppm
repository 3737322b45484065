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

}  // namespace tessera
