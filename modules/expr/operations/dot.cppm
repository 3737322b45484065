export module tessera.expr:dot;
import tessera.standard;
import tessera.core;
import tessera.array;
import :node;
import :map;
import :operators;
import :select;
import :seen;
import :reduction;
export import :dot_node;

// Products of matrices and vectors: dot, matmul, vecdot, outer.
namespace tessera {

/// Operands with a common numeric element type and at least one axis each.
template <class A, class B>
concept NumericOperands = Operand<A> && Operand<B> && Combinable<A, B> && Numeric<common_value_t<A, B>>;

/// Two operands that dot can multiply: vectors and matrices with a common numeric element type.
export template <class A, class B>
concept DotOperands =
    NumericOperands<A, B> &&
    ((rank_of<A> >= 1 && rank_of<A> <= 2 && rank_of<B> >= 1 && rank_of<B> <= 2) ||
     unsatisfied<"dot multiplies vectors and matrices: operands of rank 1 or 2; matmul takes batches of matrices">);

/// Two operands that matmul can multiply: vectors, matrices and batches of matrices with a common numeric element type.
export template <class A, class B>
concept MatmulOperands = NumericOperands<A, B> &&
                         ((rank_of<A> >= 1 && rank_of<B> >= 1) ||
                          unsatisfied<"matmul multiplies vectors, matrices and batches: operands of rank 1 or more">);

/// A sum in the element type of what is summed, as the array API has it for products; integers wrap.
template <Element T, class Node>
auto as_element(Node node) {
  if constexpr (Integer<T>) {
    return cast<T>(std::move(node));
  } else {
    return node;
  }
}

/// Matrix product; with a vector, its product with the matrix; of two vectors, their inner product in their
/// common element type: integers wrap. Operands
/// of any strides are multiplied as they lie, and expressions are evaluated block by block. Elementwise work around a product of matrices is applied tile
/// by tile. Throws ShapeError if the inner extents differ.
export template <class A, class B>
  requires DotOperands<A, B>
auto dot(A&& a, B&& b, std::source_location where = std::source_location::current()) {
  if constexpr (rank_of<A> == 1 && rank_of<B> == 1) {
    auto left = as_node(std::forward<A>(a));
    auto right = as_node(std::forward<B>(b));
    check_inner("dot", left.shape().extents(), 0, right.shape().extents(), 0, where);
    return as_element<common_value_t<A, B>>(sum(std::move(left) * std::move(right)));
  } else {
    return DotNode<node_t<A>, node_t<B>>(std::forward<A>(a), std::forward<B>(b), "dot", where);
  }
}

/// The array API's matmul: products of the matrices at the last two axes, where all other axes broadcast; a vector is a row on the left
/// and a column on the right, and its axis is gone in the result; of two vectors, their inner product. Strides and transposition
/// cost no copy. Throws ShapeError if the inner extents differ or the leading axes do not broadcast.
export template <class A, class B>
  requires MatmulOperands<A, B>
auto matmul(A&& a, B&& b, std::source_location where = std::source_location::current()) {
  if constexpr (rank_of<A> == 1 && rank_of<B> == 1) {
    auto left = as_node(std::forward<A>(a));
    auto right = as_node(std::forward<B>(b));
    using T = common_value_t<A, B>;
    check_inner("matmul", left.shape().extents(), 0, right.shape().extents(), 0, where);
    return as_element<T>(sum(std::move(left) * std::move(right)));
  } else {
    return DotNode<node_t<A>, node_t<B>>(std::forward<A>(a), std::forward<B>(b), "matmul", where);
  }
}

/// conj(a) * b.
struct ConjugateProduct {
  static constexpr const char* name = "vecdot";
  static constexpr const char* device = "tessera_multiply(tessera_conj($0), $1)";
  template <class C>
  [[gnu::always_inline]] static C apply(C a, C b) {
    if constexpr (Complex<C>) {
      return Multiply::apply(C(a.real(), -a.imag()), b);
    } else {
      return Multiply::apply(a, b);
    }
  }
};

/// Inner products of the vectors along an axis, counted from the end; the others broadcast. Complex elements of a are conjugated. Throws
/// ShapeError if the extents along the axis differ.
export template <int Axis = -1, class A, class B>
  requires NumericOperands<A, B> &&
           ((Axis < 0 && -Axis <= rank_of<A> && -Axis <= rank_of<B>) ||
            unsatisfied<"the axis of vecdot is counted from the end and both operands have it">)
auto vecdot(A&& a, B&& b, std::source_location where = std::source_location::current()) {
  using T = common_value_t<A, B>;
  auto left = as_node(std::forward<A>(a));
  auto right = as_node(std::forward<B>(b));
  check_inner("vecdot", left.shape().extents(), rank_of<A> + Axis, right.shape().extents(), rank_of<B> + Axis, where);
  return as_element<T>(sum<Axis>(make_binary<ConjugateProduct, T>(std::move(left), std::move(right))));
}

/// All products of an element of a vector and one of another: row i is a(i) * b. Fused with what is around it.
export template <class A, class B>
  requires NumericOperands<A, B> && ((rank_of<A> == 1 && rank_of<B> == 1) || unsatisfied<"outer takes two vectors">)
auto outer(A&& a, B&& b) {
  return expand_dims<1>(std::forward<A>(a)) * std::forward<B>(b);
}

}  // namespace tessera
