module;
#include <cstddef>
export module tessera.core:dim;
import tessera.standard;
import :error;
import :checked;

// Shapes whose rank is known at compile time. Their run-time counterpart is DDim (ddim.cppm).
namespace tessera {

/// Highest rank that a dynamic shape can hold; static shapes may go beyond it.
export inline constexpr int max_rank = 9;

/// Throws IndexError: a shape of this rank has no such axis.
[[noreturn]] void throw_no_axis(int axis, int rank);

/// The axis that a number which is none from the start counts from the end. Throws IndexError if there is no such axis.
constexpr std::size_t axis_from_end(int axis, int rank) {
  if (axis >= 0 || axis < -rank) throw_no_axis(axis, rank);
  return static_cast<std::size_t>(axis + rank);
}

/// Extent of each axis of an array, slowest first.
export template <int Rank>
  requires(Rank >= 0)
class Dim {  // one extent for each axis: Dim{2, 3} for rank 2
 public:
  static constexpr int rank = Rank;

  constexpr Dim() = default;

  /// One extent per axis; implicit, so that `Array<float, 2> a({2, 3})` reads well. Throws ShapeError if any is negative.
  // clang-format off
  template <std::integral... Extent>
    requires(sizeof...(Extent) == Rank && Rank > 0)
  constexpr Dim(Extent... extent) : extents_{checked_extent(extent)...} {}  // one extent for each axis: Dim{2, 3} for rank 2
  // clang-format on

  /// The extent of an axis; negative ones count from the end. Throws IndexError for an axis that is not there.
  constexpr std::ptrdiff_t operator[](int axis) const {
    if (static_cast<unsigned>(axis) >= static_cast<unsigned>(Rank)) [[unlikely]]
      return extents_[axis_from_end(axis, Rank)];
    return extents_[static_cast<std::size_t>(axis)];
  }
  constexpr std::span<const std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents() const {
    return std::span<const std::ptrdiff_t, static_cast<std::size_t>(Rank)>(extents_);
  }

  /// The same shape with one extent replaced. Throws ShapeError if it is negative.
  constexpr Dim with(int axis, std::ptrdiff_t extent) const {
    Dim changed = *this;
    changed.extents_[static_cast<std::size_t>(axis)] = checked_extent(extent);
    return changed;
  }

  /// Number by number: compared as bytes, an extent that has just been written is read together with its neighbour, and waited for.
  friend constexpr bool operator==(const Dim& a, const Dim& b) {
    std::ptrdiff_t difference = 0;
    for (std::size_t axis = 0; axis < a.extents_.size(); ++axis) difference |= a.extents_[axis] ^ b.extents_[axis];
    return difference == 0;
  }

 private:
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents_{};
};

export template <std::integral... Extent>
Dim(Extent...) -> Dim<static_cast<int>(sizeof...(Extent))>;

/// The shape with the given extents.
export template <std::integral... Extent>
constexpr Dim<static_cast<int>(sizeof...(Extent))> make_dim(Extent... extent) {
  return {extent...};
}

/// Number of elements; 0 if any extent is 0, whatever the others are. Throws ShapeError if it does not fit in ptrdiff_t.
export template <int Rank>
constexpr std::ptrdiff_t product(const Dim<Rank>& shape) {
  for (const std::ptrdiff_t extent : shape.extents()) {
    if (extent == 0) return 0;
  }
  std::ptrdiff_t count = 1;
  for (const std::ptrdiff_t extent : shape.extents()) count = checked_multiply(count, extent);
  return count;
}

namespace core {

/// "(2, 3)", and "(3,)" for one axis, as Python prints a tuple.
export std::string shape_text(std::span<const std::ptrdiff_t> extents);

}  // namespace core
using core::shape_text;

export template <int Rank>
std::string to_string(const Dim<Rank>& shape) {
  return shape_text(shape.extents());
}

/// Writes a shape as to_string() has it: "(2, 3)".
export template <int Rank>
std::ostream& operator<<(std::ostream& out, const Dim<Rank>& shape) {
  return out << to_string(shape);
}

}  // namespace tessera
