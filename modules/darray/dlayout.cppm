module;
#include <cstddef>
export module tessera.darray:dlayout;
import tessera.standard;
import tessera.core;
import tessera.array;
import :alternative;

// What views do to layouts whose rank is known at run time.
namespace tessera {

/// One of the things between the parentheses of `x({0, all, range(1, -1)})`: an integer, a range, `all`, `newaxis` or `ellipsis`.
export class DIndexer {
 public:
  template <Positional I>
  DIndexer(const I& index) : kind_(Kind::index), index_(Position(index).value) {}
  DIndexer(const Range& range) : kind_(Kind::range), range_(range) {}
  DIndexer(std::remove_cvref_t<decltype(all)>) : kind_(Kind::whole) {}
  DIndexer(std::remove_cvref_t<decltype(newaxis)>) : kind_(Kind::added) {}
  DIndexer(std::remove_cvref_t<decltype(ellipsis)>) : kind_(Kind::rest) {}

  enum class Kind : unsigned char { index, range, whole, added, rest };
  inline Kind kind() const { return kind_; }
  inline std::ptrdiff_t index() const { return index_; }
  inline const Range& range() const { return range_; }

 private:
  Kind kind_;
  std::ptrdiff_t index_ = 0;
  Range range_{};
};

namespace dynamic {

/// Row-major strides without gaps. Throws ShapeError if the shape is too large.
export DLayout row_major(std::span<const std::ptrdiff_t> shape);
/// The elements lie in row-major order without gaps.
export bool is_row_major(const DLayout& layout);

/// The part that the indexers name. Throws IndexError as for static arrays: an index out of range, more indices than axes, two
/// ellipses, step 0; and ShapeError for more than max_rank axes.
export DLayout sliced(const DLayout& from, std::span<const DIndexer> indexers);

/// Axes in the order `axes`. Throws IndexError if `axes` is no permutation.
export DLayout transposed(const DLayout& from, std::span<const int> axes);
/// Axes in reverse order.
export DLayout reversed(const DLayout& from);
/// Axis source[k] becomes axis destination[k], the others keep their order. Throws IndexError for axes out of range or named twice.
export DLayout moved(const DLayout& from, std::span<const int> source, std::span<const int> destination,
                     const char* operation = "moveaxis");

/// Which axes are named. Throws IndexError for axes out of range or named twice.
export std::array<bool, static_cast<std::size_t>(max_rank)> marked(std::span<const int> axes, int rank,
                                                                   const char* operation);
/// The marked axes backwards.
export DLayout flipped(const DLayout& from, std::span<const bool> marks);
/// Axes of extent 1 at the named positions of the result. Throws IndexError, and ShapeError for more than max_rank axes.
export DLayout expanded(const DLayout& from, std::span<const int> axes, const char* operation = "expand_dims");
/// Without the named axes. Throws IndexError, and ShapeError if an extent is not 1.
export DLayout squeezed(const DLayout& from, std::span<const int> axes);
/// All windows of the given extents along the named axes. Throws IndexError, ShapeError.
export DLayout windowed(const DLayout& from, std::span<const int> axes, std::span<const std::ptrdiff_t> window);

/// The shape with a -1 replaced by what is left. Throws ShapeError if the element counts differ, or for two -1.
export DDim inferred(std::span<const std::ptrdiff_t> shape, std::ptrdiff_t elements,
                     std::span<const std::ptrdiff_t> from);
/// The same elements under another shape, if a view can express that.
export std::optional<DLayout> reshaped(const DLayout& from, const DDim& shape);

/// Axes of extent 1 repeat. Throws ShapeError if the shape does not broadcast to `to`.
export DLayout broadcasted(const DLayout& from, const DDim& to);

/// Distance of an element from the first. Throws IndexError outside the shape or for another number of indices than axes.
export std::ptrdiff_t offset_of(const DLayout& layout, std::span<const std::ptrdiff_t> index);

}  // namespace dynamic

}  // namespace tessera
