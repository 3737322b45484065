module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:einsum;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :contract;
import :rows;
import :subscripts;

// einsum, tensordot and what else is a sum of products over named axes.
namespace tessera {

namespace contraction {

template <core::Sentence Text>
constexpr std::string_view text_of() {
  return {Text.text, sizeof(Text.text) - 1};
}

template <core::Sentence Text, int... Ranks>
constexpr Subscripts parsed() {
  const int ranks[] = {Ranks...};
  return parse(text_of<Text>(), ranks);
}

/// "ij,jk->iz: has a letter in the result that no operand has, at character 7"
template <core::Sentence Text, int... Ranks>
constexpr auto problem_of() {
  char message[240] = {};
  std::size_t at = 0;
  const auto append = [&](std::string_view part) {
    for (const char c : part) {
      if (at + 1 < sizeof(message)) message[at++] = c;
    }
  };
  constexpr Subscripts subscripts = parsed<Text, Ranks...>();
  append("einsum \"");
  append(text_of<Text>());
  append("\" ");
  if (subscripts.problem != nullptr) append(subscripts.problem);
  append(", at character ");
  if (subscripts.position >= 10) message[at++] = static_cast<char>('0' + subscripts.position / 10 % 10);
  message[at++] = static_cast<char>('0' + subscripts.position % 10);
  return core::Sentence<sizeof(message)>(message);
}

/// The string fits operands of these ranks.
template <core::Sentence Text, int... Ranks>
concept FittingSubscripts = parsed<Text, Ranks...>().problem == nullptr || unsatisfied<problem_of<Text, Ranks...>()>;

/// Axes of two operands in the order of a product of matrices, or batches of them: the result's leading letters, a letter of one operand, the letter that is summed.
struct ProductForm {
  bool is_product = false;
  bool swaps = false;  // the second operand is the left factor
  std::array<int, most_labels> left{}, right{};
};

constexpr ProductForm product_form(const Subscripts& s) {
  ProductForm form;
  if (s.operands != 2 || s.out.count < 2) return form;
  const int batch = s.out.count - 2;
  const unsigned char row = s.out[batch], column = s.out[batch + 1];
  form.swaps = !s.in[0].has(row);
  const Labels& left = s.in[form.swaps ? 1 : 0];
  const Labels& right = s.in[form.swaps ? 0 : 1];
  if (left.count != s.out.count || right.count != s.out.count) return form;
  if (!left.has(row) || left.has(column) || !right.has(column) || right.has(row)) return form;
  unsigned char inner = 0;
  for (int k = 0; k < left.count; ++k) {
    if (!s.out.has(left[k])) inner = left[k];
  }
  if (inner == 0 || !right.has(inner)) return form;
  for (int k = 0; k < batch; ++k) {
    if (!left.has(s.out[k]) || !right.has(s.out[k])) return form;
    form.left[static_cast<std::size_t>(k)] = left.find(s.out[k]);
    form.right[static_cast<std::size_t>(k)] = right.find(s.out[k]);
  }
  form.left[static_cast<std::size_t>(batch)] = left.find(row);
  form.left[static_cast<std::size_t>(batch + 1)] = left.find(inner);
  form.right[static_cast<std::size_t>(batch)] = right.find(inner);
  form.right[static_cast<std::size_t>(batch + 1)] = right.find(column);
  form.is_product = true;
  return form;
}

/// The operand with its axes in another order, of which axis `inner`, if it has one element, becomes `extent` equal ones.
template <class O>
auto reordered(const O& x, const std::array<int, most_labels>& axes, int inner, std::ptrdiff_t extent) {
  return viewed(x, [&]<int Rank>(const Layout<Rank>& layout) {
    Layout<Rank> result{.offset = layout.offset};
    for (int to = 0; to < Rank; ++to) {
      const int from = axes[static_cast<std::size_t>(to)];
      const bool repeats = to == inner && layout.shape[from] == 1;
      result.shape = result.shape.with(to, repeats ? extent : layout.shape[from]);
      result.strides[static_cast<std::size_t>(to)] = repeats ? 0 : layout.strides[static_cast<std::size_t>(from)];
    }
    return result;
  });
}

/// An operand in memory, of the type that is summed.
template <class T, class O>
auto in_memory(const O& x, const std::source_location& where) {
  const auto elements = [&] {
    if constexpr (Elements<O> && std::same_as<std::remove_const_t<value_of<O>>, T>) {
      return x;
    } else {
      return evaluate(cast<T>(x));
    }
  }();
  storage::require_host(elements.place(), "einsum");
  elements.wait(schedule::Purpose::read);
  static_cast<void>(where);
  return elements;
}

template <class A>
Operand operand_of(const A& elements) {
  Operand operand{.data = elements.data(), .extents = {}, .strides = {}};
  for (int axis = 0; axis < A::rank; ++axis) {
    operand.extents[static_cast<std::size_t>(axis)] = elements.shape()[axis];
    operand.strides[static_cast<std::size_t>(axis)] = elements.strides()[static_cast<std::size_t>(axis)];
  }
  return operand;
}

/// Sums of products of operands in memory into a new array.
template <class T, int Rank, class... A>
Array<T, Rank> contracted(std::string_view text, const Subscripts& subscripts, const std::source_location& where,
                          const A&... elements) {
  const std::array<Operand, sizeof...(A)> operands{operand_of(elements)...};
  const auto extents = result_extents(text, subscripts, operands, where);
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
  const Array<T, Rank> result(shape);
  if (product(shape) > 0 || Rank == 0) contract(dtype_of<T>, subscripts, operands, result.data());
  return result;
}

template <class First, class... Rest>
struct CommonElement {};
template <class Only>
struct CommonElement<Only> {
  using type = Only;
};
template <class First, class Second, class... Rest>
  requires requires { typename promote_t<First, Second>; }
struct CommonElement<First, Second, Rest...> : CommonElement<promote_t<First, Second>, Rest...> {};
template <class... O>
using common_element = typename CommonElement<std::remove_const_t<value_of<O>>...>::type;

}  // namespace contraction

/// Throws ShapeError: the last axis has not three elements.
void require_three(std::span<const std::ptrdiff_t> shape, const std::source_location& where);
/// Throws ShapeError: the matrix is not square, or the power negative.
void require_power(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t power, const std::source_location& where);

/// Operands of einsum: numbers along named axes.
export template <class... O>
concept EinsumOperands =
    (Operand<O> && ...) && (sizeof...(O) >= 1) &&
    (sizeof...(O) <= 8 || unsatisfied<"einsum takes at most 8 operands">) && (requires {
      typename contraction::common_element<O...>;
    } || unsatisfied<"the operands of einsum have no common element type: write cast<T>(x)">) &&
    ((!std::same_as<value_of<O>, bool> && ...) || unsatisfied<"einsum sums products of numbers: write cast<T>(mask)">);

/// The sum of the products of the operands' elements whose axes a string names: einsum<"ij,jk->ik">(a, b) is the product of matrices. A letter that is not in the
/// result is summed over, one that is twice in an operand names its diagonal, "..." stands for axes that broadcast; without "->" the letters that are there once remain, in the order of the
/// alphabet. Extents of 1 broadcast. A string that names a product of matrices, or a batch of them, is an expression that fuses as matmul() does; others are computed at once into a new
/// array on the host, several operands in the order that takes the fewest multiplications, in at most the memory of the intermediate results and one copy of
/// each operand. Integers wrap. A wrong string does not compile. Throws ShapeError for extents that differ, PlaceError on a GPU, OutOfMemory.
export template <core::Sentence Text, class... O>
  requires EinsumOperands<O...> && contraction::FittingSubscripts<Text, rank_of<O>...>
auto einsum(const O&... operands) {
  constexpr contraction::Subscripts subscripts = contraction::parsed<Text, rank_of<O>...>();
  constexpr contraction::ProductForm form = contraction::product_form(subscripts);
  if constexpr (form.is_product) {
    const auto multiply = [&](const auto& left, const auto& right) {
      constexpr int at_left = subscripts.out.count - 1, at_right = subscripts.out.count - 2;
      const std::ptrdiff_t of_left = left.shape()[form.left[at_left]], of_right = right.shape()[form.right[at_right]];
      return matmul(contraction::reordered(left, form.left, at_left, of_right),
                    contraction::reordered(right, form.right, at_right, of_left));
    };
    const std::tuple<const O&...> both(operands...);
    if constexpr (form.swaps) {
      return multiply(std::get<1>(both), std::get<0>(both));
    } else {
      return multiply(std::get<0>(both), std::get<1>(both));
    }
  } else {
    using T = contraction::common_element<O...>;
    using Sum = contraction::sum_t<T>;
    constexpr int rank = subscripts.out.count;
    const auto where = std::source_location::current();
    const Array<Sum, rank> result = contraction::contracted<Sum, rank>(contraction::text_of<Text>(), subscripts, where,
                                                                       contraction::in_memory<Sum>(operands, where)...);
    if constexpr (std::same_as<T, Sum>) {
      return result;
    } else {
      return Array<T, rank>(cast<T>(result));
    }
  }
}

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
      "tensordot", subscripts, where, contraction::in_memory<Sum>(a, where), contraction::in_memory<Sum>(b, where));
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
