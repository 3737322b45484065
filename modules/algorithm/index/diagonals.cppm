module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:diagonals;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// Diagonals and triangles of matrices, which are the last two axes.
namespace tessera {

/// Elements of matrices.
export template <class O>
concept MatrixOperand = Operand<O> && (rank_of<O> >= 2 || unsatisfied<"a matrix has at least two axes">);

/// The layout of the diagonal `offset` places above the main one.
template <int Rank>
Layout<Rank - 1> diagonal_of(const Layout<Rank>& layout, std::ptrdiff_t offset) {
  constexpr auto row = static_cast<std::size_t>(Rank - 2), column = static_cast<std::size_t>(Rank - 1);
  const std::ptrdiff_t rows = layout.shape[Rank - 2], columns = layout.shape[Rank - 1];
  const std::ptrdiff_t down = offset < 0 ? std::min(rows, -std::max(offset, -rows)) : 0;
  const std::ptrdiff_t right = offset > 0 ? std::min(columns, offset) : 0;
  Layout<Rank - 1> result{.offset = layout.offset};
  for (int axis = 0; axis < Rank - 2; ++axis) {
    result.shape = result.shape.with(axis, layout.shape[axis]);
    result.strides[static_cast<std::size_t>(axis)] = layout.strides[static_cast<std::size_t>(axis)];
  }
  result.shape = result.shape.with(Rank - 2, std::min(rows - down, columns - right));
  result.strides[row] = layout.strides[row] + layout.strides[column];
  if (product(result.shape) > 0) result.offset += down * layout.strides[row] + right * layout.strides[column];
  return result;
}

/// The diagonal of each matrix, which is the last axis of the result: element i is x(..., i, i + offset), or x(..., i - offset, i) of one below the main diagonal. Of
/// an array it is a view that shares its storage and can be written, of an expression a part of it.
export template <MatrixOperand O>
auto diagonal(O&& x, std::ptrdiff_t offset = 0) {
  return viewed(std::forward<O>(x), [offset](const auto& layout) { return diagonal_of(layout, offset); });
}

/// The sum of the main diagonal of each matrix, or of the one `offset` places above it, as an expression.
export template <MatrixOperand O>
auto trace(O&& x, std::ptrdiff_t offset = 0) {
  return sum<-1>(diagonal(std::forward<O>(x), offset));
}

/// The place of the operands, the CPU of an expression without any.
template <class O>
Place place_to_compute(const O& x) {
  if constexpr (requires { x.place().has_value(); }) {
    return x.place().value_or(Place(CpuPlace{}));
  } else {
    return x.place();
  }
}

/// Where the column of an element of matrices is at most so many places right of its row.
template <class O>
auto lower_triangle(const O& x, std::ptrdiff_t offset) {
  const Dim<rank_of<O>> shape = x.shape();
  const Place place = place_to_compute(x);
  const Array<std::int64_t, 1> rows = arange<std::int64_t>(0, shape[-2]).to(place);
  const Array<std::int64_t, 1> columns = arange<std::int64_t>(0, shape[-1]).to(place);
  // Bounded, so that no sum overflows.
  const std::int64_t bounded = std::max(std::min(offset, shape[-1] + 1), -shape[-2] - 1);
  return rows(all, newaxis) + bounded >= columns;
}

/// Matrices without what is above the diagonal `offset` places above the main one: 0 stands there.
export template <MatrixOperand O>
auto tril(const O& x, std::ptrdiff_t offset = 0) {
  return where(lower_triangle(x, offset), x, value_of<O>(0));
}

/// Matrices without what is below the diagonal `offset` places above the main one: 0 stands there.
export template <MatrixOperand O>
auto triu(const O& x, std::ptrdiff_t offset = 0) {
  return where(lower_triangle(x, std::max<std::ptrdiff_t>(offset, PTRDIFF_MIN + 1) - 1), value_of<O>(0), x);
}

/// The value beside the first condition that is true, of a list of conditions and values, and the last argument where none is:
/// select(x < 0, -x, x > 10, 10, x). All broadcast.
export template <class Condition, class Value, class... Rest>
  requires(sizeof...(Rest) % 2 == 1) && Operand<Condition> && std::same_as<value_of<Condition>, bool>
auto select(const Condition& condition, const Value& value, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 1) {
    return where(condition, value, rest...);
  } else {
    return where(condition, value, select(rest...));
  }
}

}  // namespace tessera
