module;
#include <cstddef>
export module tessera.core:ddim;
import tessera.standard;
import :checked;
import :dim;
import :error;

// Shapes whose rank is known at run time only.
namespace tessera {

/// Extent of each axis, slowest first; rank 0 to max_rank.
export class DDim {  // a shape of at most max_rank axes
 public:
  DDim() = default;

  /// Throws ShapeError if an extent is negative or there are more than max_rank of them.
  explicit DDim(std::span<const std::ptrdiff_t> extents);

  template <int Rank>
    requires(Rank <= max_rank)
  DDim(const Dim<Rank>& shape) : DDim(std::span<const std::ptrdiff_t>(shape.extents())) {}

  int rank() const { return rank_; }
  /// The extent of an axis; negative ones count from the end. Throws IndexError for an axis that is not there.
  std::ptrdiff_t operator[](int axis) const {
    if (static_cast<unsigned>(axis) >= static_cast<unsigned>(rank_)) [[unlikely]]
      return extents_[axis_from_end(axis, rank_)];
    return extents_[static_cast<std::size_t>(axis)];
  }
  std::span<const std::ptrdiff_t> extents() const { return {extents_.data(), static_cast<std::size_t>(rank_)}; }

  friend bool operator==(const DDim& a, const DDim& b) { return std::ranges::equal(a.extents(), b.extents()); }

 private:
  std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> extents_{};
  int rank_ = 0;
};

/// The shape with the given extents. Throws ShapeError if one is negative or there are more than max_rank.
export DDim make_ddim(std::initializer_list<std::ptrdiff_t> extents);

/// Number of elements, under the rules of product(Dim).
export std::ptrdiff_t product(const DDim& shape);

export std::string to_string(const DDim& shape);
export std::ostream& operator<<(std::ostream& out, const DDim& shape);

/// The static shape of a dynamic one. Throws ShapeError if the ranks differ.
export template <int Rank>
Dim<Rank> get(const DDim& shape) {
  if (shape.rank() != Rank) {
    throw ShapeError(to_string(Failure{.operation = "get<Rank>",
                                       .problem = "rank " + std::to_string(Rank) + " was asked for, the shape " +
                                                  to_string(shape) + " has rank " + std::to_string(shape.rank())}));
  }
  return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
    if constexpr (Rank == 0) {
      return Dim<0>{};
    } else {
      return Dim<Rank>{shape[Axis]...};
    }
  }(std::make_integer_sequence<int, Rank>{});
}

template <int Rank, class Function>
decltype(auto) visit_rank(Function&& function, const DDim& shape) {
  if constexpr (Rank < max_rank) {
    if (shape.rank() != Rank) return visit_rank<Rank + 1>(std::forward<Function>(function), shape);
  }
  return std::forward<Function>(function)(get<Rank>(shape));
}

/// Calls `function` with the static shape, Dim<0> to Dim<max_rank>; every call must return the same type.
export template <class Function>
decltype(auto) visit(Function&& function, const DDim& shape) {
  return visit_rank<0>(std::forward<Function>(function), shape);
}

}  // namespace tessera
