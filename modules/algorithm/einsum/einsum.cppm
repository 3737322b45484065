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

// einsum: the sum of products over axes that a string names.
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

/// "at 8: no operand has this letter", and how long it is.
struct Message {
  std::array<char, 48> text{};
  std::size_t length = 0;

  constexpr void append(std::string_view part) {
    for (const char c : part) text[length++] = c;
  }
};

constexpr Message message_of(const Subscripts& subscripts) {
  Message message;
  if (subscripts.problem == nullptr) return message;
  message.append("at ");
  if (subscripts.position >= 10)
    message.text[message.length++] = static_cast<char>('0' + subscripts.position / 10 % 10);
  message.text[message.length++] = static_cast<char>('0' + subscripts.position % 10);
  message.append(": ");
  message.append(subscripts.problem);
  return message;
}

/// What is wrong with the string for operands of these ranks, and at which character; nothing if it fits. As the value of a template parameter it is in the compiler's
/// message, which shows some 34 characters of it, and none as text if there are zeros behind it.
template <core::Sentence Text, int... Ranks>
constexpr auto problem_of() {
  constexpr Message message = message_of(parsed<Text, Ranks...>());
  char text[message.length + 1] = {};
  for (std::size_t k = 0; k < message.length; ++k) text[k] = message.text[k];
  return core::Sentence<sizeof(text)>(text);
}

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

/// An operand in memory, of the type that is summed, with nothing pending on it.
template <class T, class O>
auto in_memory(const O& x) {
  const auto elements = [&] {
    if constexpr (Elements<O> && std::same_as<std::remove_const_t<value_of<O>>, T>) {
      return x;
    } else {
      return evaluate(cast<T>(x));
    }
  }();
  elements.wait(schedule::Purpose::read);
  return elements;
}

template <class A>
Operand operand_of(const A& elements) {
  Operand operand{.data = elements.data(), .extents = {}, .strides = {}, .place = elements.place()};
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
  const Place place = place_of(text, operands, where);
  const auto extents = result_extents(text, subscripts, operands, where);
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
  const Array<T, Rank> result(shape, place);
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
/// array, on a GPU too, for which the host waits; several operands in the order that takes the fewest multiplications, in at most the memory of the intermediate results and one copy of
/// each operand. Integers wrap. A wrong string does not compile. Throws ShapeError for extents that differ, PlaceError for operands on several places, OutOfMemory.
export template <core::Sentence Text, class... O,
                 core::Sentence Problem = contraction::problem_of<Text, rank_of<O>...>()>
  requires EinsumOperands<O...> && (Problem.text[0] == '\0')
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
                                                                       contraction::in_memory<Sum>(operands)...);
    if constexpr (std::same_as<T, Sum>) {
      return result;
    } else {
      return Array<T, rank>(cast<T>(result));
    }
  }
}

}  // namespace tessera
