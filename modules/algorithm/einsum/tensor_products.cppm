module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:tensor_products;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :contract;
import :einsum;
import :subscripts;

// Products of arrays that have names of their own: tensordot, inner, kron, cross, powers of matrices.
namespace tessera {

/// Throws ShapeError: the last axis has not three elements.
void require_three(std::span<const std::ptrdiff_t> shape, const std::source_location& where);
/// Throws ShapeError: the matrix is not square, or the power negative.
void require_power(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t power, const std::source_location& where);

/// The string of tensordot: the first operand's last `Count` axes and the second one's first ones are summed.
template <int Left, int Right, int Count>
constexpr contraction::Subscripts tensordot_subscripts() {
  contraction::Subscripts subscripts;
  subscripts.operands = 2;
  const auto letter = [](int number) { return static_cast<unsigned char>('A' + number); };
  for (int axis = 0; axis < Left; ++axis) {
    subscripts.in[0].append(letter(axis));
    if (axis < Left - Count) subscripts.out.append(letter(axis));
  }
  for (int axis = 0; axis < Right; ++axis) {
    subscripts.in[1].append(letter(Left - Count + axis));
    if (axis >= Count) subscripts.out.append(letter(Left - Count + axis));
  }
  return subscripts;
}

/// Sums of products over the last `Count` axes of a and the first ones of b: tensordot<1> of two matrices is their product. Computed as einsum() is. Throws ShapeError for extents that
/// differ.
export template <int Count = 2, class A, class B>
  requires EinsumOperands<A, B> && ((Count >= 0 && Count <= rank_of<A> && Count <= rank_of<B>) ||
                                    unsatisfied<"tensordot<n> sums over n axes, which both operands have">)
auto tensordot(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  constexpr auto subscripts = tensordot_subscripts<rank_of<A>, rank_of<B>, Count>();
  using T = contraction::common_element<A, B>;
  using Sum = contraction::sum_t<T>;
  constexpr int rank = subscripts.out.count;
  const Array<Sum, rank> result = contraction::contracted<Sum, rank>(
      "tensordot", subscripts, where, contraction::in_memory<Sum>(a), contraction::in_memory<Sum>(b));
  if constexpr (std::same_as<T, Sum>) {
    return result;
  } else {
    return Array<T, rank>(cast<T>(result));
  }
}

/// Sums of products over the last axis of both: the inner product of vectors. Throws ShapeError for extents that differ.
export template <class A, class B>
  requires EinsumOperands<A, B> &&
           ((rank_of<A> >= 1 && rank_of<B> >= 1) || unsatisfied<"inner takes vectors and arrays of more axes">)
auto inner(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  constexpr int last = rank_of<B> - 1;
  const auto first = viewed(b, []<int Rank>(const Layout<Rank>& layout) {
    Layout<Rank> result{.offset = layout.offset};
    for (int axis = 0; axis < Rank; ++axis) {
      const int from = axis == 0 ? last : axis - 1;
      result.shape = result.shape.with(axis, layout.shape[from]);
      result.strides[static_cast<std::size_t>(axis)] = layout.strides[static_cast<std::size_t>(from)];
    }
    return result;
  });
  return tensordot<1>(a, first, where);
}

/// The Kronecker product of matrices: block (i, j) is a(i, j) * b, as a new array. Throws ShapeError for a result that cannot be counted.
export template <class A, class B>
  requires EinsumOperands<A, B> && ((rank_of<A> == 2 && rank_of<B> == 2) || unsatisfied<"kron takes two matrices">)
auto kron(const A& a, const B& b) {
  const Dim<2> left = a.shape(), right = b.shape();
  const auto blocks = evaluate(a(all, newaxis, all, newaxis) * b(newaxis, all, newaxis, all));
  return reshape(blocks, Dim{left[0] * right[0], left[1] * right[1]});
}

/// The vectors that are orthogonal to those of three elements along the last axes of a and b, which broadcast, as a new array. Throws ShapeError for last axes of other
/// extents.
export template <class A, class B>
  requires EinsumOperands<A, B> && ((rank_of<A> >= 1 && rank_of<B> >= 1) || unsatisfied<"cross takes vectors">)
auto cross(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  require_three(Dim<rank_of<A>>(a.shape()).extents(), where);
  require_three(Dim<rank_of<B>>(b.shape()).extents(), where);
  const auto part = [](const auto& x, int at) { return x(ellipsis, at); };
  const auto component = [&](int first, int second) {
    return part(a, first) * part(b, second) - part(a, second) * part(b, first);
  };
  return evaluate(stack<-1>(component(1, 2), component(2, 0), component(0, 1)));
}

/// A square matrix multiplied with itself, `power` factors of it: the identity for 0. By squaring, in at most 2 log2(power) products. Throws ShapeError for a matrix that is not square
/// and for a negative power.
export template <class A>
  requires EinsumOperands<A> && (rank_of<A> == 2 || unsatisfied<"matrix_power takes a matrix">)
auto matrix_power(const A& a, std::ptrdiff_t power, std::source_location where = std::source_location::current()) {
  using T = std::remove_const_t<value_of<A>>;
  const Dim<2> shape = a.shape();
  require_power(shape.extents(), power, where);
  auto factor = evaluate(a);
  auto result = evaluate(eye<T>(shape[0]).to(Place(factor.place())) + T(0));
  for (; power > 0; power /= 2) {
    if (power % 2 != 0) result = evaluate(dot(result, factor));
    if (power > 1) factor = evaluate(dot(factor, factor));
  }
  return result;
}

}  // namespace tessera
