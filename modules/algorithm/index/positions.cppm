module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:index_positions;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :compress;

// Positions as arrays: where a condition holds, grids of indices, and linear positions as positions along axes.
namespace tessera {

/// Elements of which some are not 0, along at least one axis.
export template <class O>
concept ConditionOperand =
    Operand<O> && (rank_of<O> >= 1 || unsatisfied<"a scalar has no positions: give an array with at least one axis">);

/// The mask of what is not 0.
template <class O>
auto mask_of(const O& x) {
  if constexpr (std::same_as<value_of<O>, bool>) {
    return evaluate(x);
  } else {
    return evaluate(x != value_of<O>(0));
  }
}

/// Throws IndexError: a linear position is outside a shape.
[[noreturn]] void throw_unravelled(std::int64_t position, std::ptrdiff_t elements, const std::string& shape,
                                   const std::source_location& where);

/// The coordinate along each axis of a shape of linear positions in it, an array of int64.
template <int Rank, class Positions>
auto coordinates_of(const Positions& positions, const Dim<Rank>& shape) {
  std::array<Positions, static_cast<std::size_t>(Rank)> found;
  std::int64_t weight = 1;
  for (int axis = Rank; axis-- > 1;) {
    const auto extent = std::max<std::int64_t>(shape[axis], 1);
    found[static_cast<std::size_t>(axis)] = evaluate(positions / weight % extent);
    weight *= extent;
  }
  found[0] = Rank == 1 ? positions : Positions(evaluate(positions / weight));  // nothing lies beyond the first axis
  return found;
}

/// Positions in row-major order, counted along all axes as one, of the elements of x that are true or not 0: flatnonzero of NumPy. Throws as compress().
export template <ConditionOperand O>
auto flatnonzero(const O& x, std::source_location where = std::source_location::current()) {
  const auto mask = mask_of(x);
  using Result = Array<std::int64_t, 1, typename std::remove_cvref_t<decltype(mask)>::place_type>;
  if (Place(mask.place()).on_host()) {
    mask.wait(schedule::Purpose::read);
    const plan::TruePositions positions(mask.data(), mask.size());
    Result result(Dim{positions.count()}, mask.place());
    positions.write(result.data());
    return result;
  }
  const Array<std::int64_t, 1> numbers = arange<std::int64_t>(0, mask.size());
  return Result(compress(mask, reshape(numbers.to(Place(mask.place())), mask.shape()), where));
}

/// For each axis of x the positions along it of the elements that are true or not 0, in row-major order: x(i, j) with `auto [i, j] = nonzero(x)`
/// picks them. Throws as compress().
export template <ConditionOperand O>
auto nonzero(const O& x, std::source_location where = std::source_location::current()) {
  const Dim<rank_of<O>> shape = x.shape();
  return coordinates_of(flatnonzero(x, where), shape);
}

/// The same of a condition, as NumPy's where() of one argument.
export template <ConditionOperand O>
  requires std::same_as<value_of<O>, bool>
auto where(const O& condition, std::source_location where = std::source_location::current()) {
  return nonzero(condition, where);
}

/// The positions of the elements of x that are true or not 0, one in each row. Throws as compress().
export template <ConditionOperand O>
auto argwhere(const O& x, std::source_location where = std::source_location::current()) {
  const auto found = nonzero(x, where);
  return std::apply([](const auto&... each) { return evaluate(stack<1>(each...)); }, found);
}

/// For each axis of `shape` the positions along it of linear positions, which count row by row from 0. Throws IndexError for one outside the shape.
export template <Operand I, int Rank>
  requires Integer<value_of<I>> && (Rank >= 1)
auto unravel_index(const I& positions, const Dim<Rank>& shape,
                   std::source_location where = std::source_location::current()) {
  const auto wide = evaluate(cast<std::int64_t>(positions));
  const std::ptrdiff_t elements = product(shape);
  if (wide.size() > 0) {
    const std::int64_t lowest = item(min(wide)), highest = item(max(wide));
    if (lowest < 0 || highest >= elements)
      throw_unravelled(lowest < 0 ? lowest : highest, elements, to_string(shape), where);
  }
  return coordinates_of(wide, shape);
}

/// Row i holds the position along axis i of each element of a shape: of shape (Rank, extents...).
export template <int Rank>
  requires(Rank >= 1)
auto indices(const Dim<Rank>& shape) {
  return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
    const auto along = [&](int axis) {
      std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> strides{};
      strides[static_cast<std::size_t>(axis)] = 1;
      return viewed(arange<std::int64_t>(0, shape[axis]), [&](const auto& layout) {
        return Layout<Rank>{.shape = shape, .strides = strides, .offset = layout.offset};
      });
    };
    return evaluate(stack<0>(along(Axis)...));
  }(std::make_integer_sequence<int, Rank>());
}

/// Which of two grid axes the first coordinate runs along: NumPy's "xy", along the columns, or "ij", along the rows.
export enum class GridOrder { xy, ij };

/// One array of a grid for each vector of coordinates, which share the vectors' storage: of two vectors of n and m elements matrices of m x n, or of
/// n x m with GridOrder::ij.
export template <GridOrder Order = GridOrder::xy, Elements... Vectors>
  requires(sizeof...(Vectors) >= 1) && ((Vectors::rank == 1) && ...)
auto meshgrid(const Vectors&... vectors) {
  constexpr int rank = sizeof...(Vectors);
  const auto along = [](int number) { return Order == GridOrder::xy && rank > 1 && number < 2 ? 1 - number : number; };
  Dim<rank> shape;
  int number = 0;
  ((shape = shape.with(along(number), vectors.shape()[0]), ++number), ...);
  const auto grid = [&](const auto& vector, int axis) {
    return viewed(vector, [&](const auto& layout) {
      Strides<rank> strides{};
      strides[static_cast<std::size_t>(axis)] = layout.strides[0];
      return Layout<rank>{.shape = shape, .strides = strides, .offset = layout.offset};
    });
  };
  number = 0;
  return std::tuple{grid(vectors, along(number++))...};
}

}  // namespace tessera
