module;
#include <array>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
export module tessera.array:index;
import tessera.core;
import :layout;

// The index of one element, with the place in the user's code where it was written.
namespace tessera {

/// One integer per axis; negative ones count from the end. Written in braces, it remembers its source location for error
/// messages: `a[{0, -1}]`.
export template <int Rank>
class Index {
 public:
  using Where = std::source_location;
  using I = std::ptrdiff_t;

  constexpr Index(Where where = Where::current()) requires(Rank == 0) : where_(where) {}
  constexpr Index(std::integral auto i, Where where = Where::current()) requires(Rank == 1) : values_{I(i)}, where_(where) {}
  constexpr Index(std::integral auto i, std::integral auto j, Where where = Where::current()) requires(Rank == 2)
      : values_{I(i), I(j)}, where_(where) {}
  constexpr Index(std::integral auto i, std::integral auto j, std::integral auto k, Where where = Where::current()) requires(Rank == 3)
      : values_{I(i), I(j), I(k)}, where_(where) {}
  constexpr Index(std::integral auto i, std::integral auto j, std::integral auto k, std::integral auto l,
                  Where where = Where::current()) requires(Rank == 4)
      : values_{I(i), I(j), I(k), I(l)}, where_(where) {}

  /// Five axes and more.
  template <std::integral... Integers>
    requires(sizeof...(Integers) == Rank && Rank > 4)
  constexpr Index(Integers... values) : values_{I(values)...} {}

  constexpr Index(const Dim<Rank>& position, Where where = Where::current()) requires(Rank > 0) : where_(where) {
    for (int axis = 0; axis < Rank; ++axis) values_[static_cast<std::size_t>(axis)] = position[axis];
  }

  constexpr std::ptrdiff_t operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }
  constexpr const std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)>& values() const { return values_; }
  constexpr const Where& where() const { return where_; }

 private:
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> values_{};
  Where where_;
};

[[noreturn]] void throw_index_error(int axis, std::span<const std::ptrdiff_t> index, std::span<const std::ptrdiff_t> shape,
                                    const std::source_location& where);

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

}  // namespace tessera
