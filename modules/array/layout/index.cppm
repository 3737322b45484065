module;
#include <cstddef>
#include <cstdint>
export module tessera.array:index;
import tessera.standard;
import tessera.core;
import :layout;

// The index of one element, with the place in the user's code where it was written.
namespace tessera {

/// The integer as a position; unsigned ones beyond PTRDIFF_MAX, which no array reaches, become PTRDIFF_MAX instead of negative.
template <std::integral I>
constexpr std::ptrdiff_t position_value(I value) {
  if constexpr (std::unsigned_integral<I> && sizeof(I) >= sizeof(std::ptrdiff_t)) {
    if (value > static_cast<I>(PTRDIFF_MAX)) return PTRDIFF_MAX;
  }
  return static_cast<std::ptrdiff_t>(value);
}

/// An element of an array of integers, or an expression of rank 0: it stands for its value, as in `a(best(0))` and `a(argmax(a))`.
template <class V>
concept IntegerElement =
    requires { typename V::value_type; } && std::integral<typename V::value_type> &&
    !std::same_as<typename V::value_type, bool> && std::convertible_to<const V&, typename V::value_type>;

/// What may be the position of an element.
export template <class I>
concept Positional = std::integral<I> || IntegerElement<I>;

template <IntegerElement V>
std::ptrdiff_t position_value(const V& element) {
  return position_value(static_cast<typename V::value_type>(element));
}

/// One integer of `a(i, j)`, with the place in the user's code where it was written.
export struct Position {
  std::ptrdiff_t value;
  std::source_location where;

  template <std::integral I>
  constexpr Position(I at, std::source_location written = std::source_location::current())
      : value(position_value(at)), where(written) {}
  template <IntegerElement V>
  Position(const V& at, std::source_location written = std::source_location::current())
      : value(position_value(at)), where(written) {}
};

/// Throws IndexError.
[[noreturn]] inline void throw_wrong_index_rank(const DDim& position, int rank, const std::source_location& where) {
  throw IndexError(
      to_string(Failure{.operation = "element access",
                        .problem = "the index " + to_string(position) + " has " + std::to_string(position.rank()) +
                                   " axes, the array has " + std::to_string(rank),
                        .advice = "give one position for each axis",
                        .where = where}));
}

/// One integer per axis; negative ones count from the end. Written in braces, it remembers its source location for error
/// messages: `a[{0, -1}]`.
export template <int Rank>
class Index {
 public:
  using Where = std::source_location;

  constexpr Index(Where where = Where::current())
    requires(Rank == 0)
      : where_(where) {}
  constexpr Index(const Positional auto& i, Where where = Where::current())
    requires(Rank == 1)
      : values_{position_value(i)}, where_(where) {}
  constexpr Index(const Positional auto& i, const Positional auto& j, Where where = Where::current())
    requires(Rank == 2)
      : values_{position_value(i), position_value(j)}, where_(where) {}
  constexpr Index(const Positional auto& i, const Positional auto& j, const Positional auto& k,
                  Where where = Where::current())
    requires(Rank == 3)
      : values_{position_value(i), position_value(j), position_value(k)}, where_(where) {}
  constexpr Index(const Positional auto& i, const Positional auto& j, const Positional auto& k,
                  const Positional auto& l, Where where = Where::current())
    requires(Rank == 4)
      : values_{position_value(i), position_value(j), position_value(k), position_value(l)}, where_(where) {}

  /// Five axes and more.
  template <Positional... Integers>
    requires(sizeof...(Integers) == Rank && Rank > 4)
  constexpr Index(const Integers&... values) : values_{position_value(values)...} {}

  constexpr Index(const Dim<Rank>& position, Where where = Where::current())
    requires(Rank > 0)
      : where_(where) {
    for (int axis = 0; axis < Rank; ++axis) values_[static_cast<std::size_t>(axis)] = position[axis];
  }

  /// A position whose number of axes is known at run time. Throws IndexError if it is not Rank.
  Index(const DDim& position, Where where = Where::current()) : where_(where) {
    if (position.rank() != Rank) throw_wrong_index_rank(position, Rank, where);
    for (int axis = 0; axis < Rank; ++axis) values_[static_cast<std::size_t>(axis)] = position[axis];
  }

  constexpr void set(const std::array<Position, static_cast<std::size_t>(Rank)>& positions) {
    for (std::size_t axis = 0; axis < positions.size(); ++axis) values_[axis] = positions[axis].value;
  }

  constexpr std::ptrdiff_t operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }
  constexpr const std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)>& values() const { return values_; }
  constexpr const Where& where() const { return where_; }

 private:
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> values_{};
  Where where_;
};

/// An Index of the positions of `a(i, j)`; the place is that of the first one.
template <int Rank>
constexpr Index<Rank> index_of(const std::array<Position, static_cast<std::size_t>(Rank)>& positions) {
  Dim<Rank> none;
  Index<Rank> index(none, positions[0].where);
  index.set(positions);
  return index;
}
template <>
constexpr Index<0> index_of<0>(const std::array<Position, 0>&) {
  return {};
}

[[noreturn]] void throw_index_error(int axis, std::span<const std::ptrdiff_t> index,
                                    std::span<const std::ptrdiff_t> shape, const std::source_location& where);

namespace storage {

/// Distance of an element from the array's first one, in elements. Throws IndexError for an index outside the shape.
export template <int Rank>
constexpr std::ptrdiff_t offset_of(const Index<Rank>& index, const Dim<Rank>& shape, const Strides<Rank>& strides) {
  std::ptrdiff_t offset = 0;
  for (int axis = 0; axis < Rank; ++axis) {
    const std::ptrdiff_t extent = shape[axis];
    const std::ptrdiff_t i = index[axis] < 0 ? index[axis] + extent : index[axis];
    if (i < 0 || i >= extent) throw_index_error(axis, index.values(), shape.extents(), index.where());
    offset += i * strides[static_cast<std::size_t>(axis)];
  }
  return offset;
}

}  // namespace storage
using storage::offset_of;

}  // namespace tessera
