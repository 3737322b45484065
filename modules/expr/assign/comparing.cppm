module;
#include <cmath>
#include <cstddef>
#include <cstdint>
export module tessera.expr:comparing;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :node;
import :map;
import :operators;
import :arithmetic;
import :functions;
import :reduction;
import :assign;

// Whole-array answers: one value of an expression, equality, closeness.
namespace tessera {

/// The value of an expression of rank 0, as sum(x) is.
export template <Operand O>
  requires(rank_of<O> == 0)
value_of<O> item(const O& operand) {
  if constexpr (!HostPlace<place_of<O>>) {
    if (const auto place = as_node(operand).place(); place && !Place(*place).on_host()) return evaluate(operand)[{}];
  }
  value_of<O> value;
  assign(ArrayView<value_of<O>, 0, Place>(&value, Dim<0>{}, CpuPlace{}), operand);
  return value;
}

/// Same shape and all elements equal; NaN equals nothing.
export template <Operand A, Operand B>
  requires Combinable<A, B>
bool array_equal(const A& a, const B& b) {
  if constexpr (rank_of<A> != rank_of<B>) {
    return false;
  } else {
    if (!(as_node(a).shape() == as_node(b).shape())) return false;
    return item(sum(a != b)) == 0;
  }
}

/// Same shape and |a - b| <= absolute + relative * |b| for all elements; infinities must be equal, NaN is close to nothing.
export template <FloatingOperand A, FloatingOperand B>
  requires Combinable<A, B>
bool allclose(const A& a, const B& b, double relative = 1e-5, double absolute = 1e-8) {
  if constexpr (rank_of<A> != rank_of<B>) {
    return false;
  } else {
    if (!(as_node(a).shape() == as_node(b).shape())) return false;
    return item(sum(!((a == b) | (isfinite(b) & (abs(a - b) <= absolute + relative * abs(b)))))) == 0;
  }
}

}  // namespace tessera
