module;
#include <cstddef>
export module tessera.array:slicing;
import tessera.standard;
import tessera.core;
import :index;
import :layout;

// NumPy's basic indexing: integers drop an axis, ranges with steps, all, newaxis, ellipsis.
namespace tessera {

struct All {
  /// The reduction `all(x)` of tessera.expr, which could not have the name of this object: all_of(x).
  template <class O, class... Keep>
  constexpr auto operator()(O&& x, Keep... keep) const
    requires requires { all_of(std::forward<O>(x), keep...); }
  {
    return all_of(std::forward<O>(x), keep...);
  }
};
struct NewAxis {};
struct Ellipsis {};
struct None {};

/// The whole axis in `a(all, 0)`. Called, it is a reduction: `all(x)` is all_of(x), whether all elements are true or not 0.
export inline constexpr All all{};
/// A new axis of extent 1.
export inline constexpr NewAxis newaxis{};
/// As many whole axes as are left.
export inline constexpr Ellipsis ellipsis{};
/// An open bound of a range.
export inline constexpr None none{};

/// Part of an axis: start, start + step, ... before stop. Bounds count from the end when negative and are cut to the axis,
/// as in NumPy.
export struct Range {
  std::optional<std::ptrdiff_t> start;
  std::optional<std::ptrdiff_t> stop;
  std::ptrdiff_t step = 1;
};

/// An integer, an element of integers, or `none`.
template <class B>
concept Bound = Positional<B> || std::same_as<B, None>;

constexpr std::optional<std::ptrdiff_t> bound_value(None) { return std::nullopt; }
constexpr std::optional<std::ptrdiff_t> bound_value(const Positional auto& value) { return position_value(value); }

/// range(stop)
export constexpr Range range(const Bound auto& stop) { return {std::nullopt, bound_value(stop), 1}; }

/// range(start, stop, step); a negative step goes backwards: range(none, none, -1) reverses.
export constexpr Range range(const Bound auto& start, const Bound auto& stop, const Positional auto& step) {
  return {bound_value(start), bound_value(stop), position_value(step)};
}
export constexpr Range range(const Bound auto& start, const Bound auto& stop) {
  return {bound_value(start), bound_value(stop), 1};
}

/// Something that may stand between the parentheses of `a(...)`.
export template <class I>
concept Indexer = Positional<I> || std::same_as<I, Range> || std::same_as<I, All> || std::same_as<I, NewAxis> ||
                  std::same_as<I, Ellipsis>;

/// Axes of the source that the indexers name, ellipsis aside.
template <class... I>
inline constexpr int consumed_axes = (0 + ... + int(!std::same_as<I, NewAxis> && !std::same_as<I, Ellipsis>));

template <class... I>
inline constexpr int ellipses = (0 + ... + int(std::same_as<I, Ellipsis>));

/// Rank of `a(indexers...)` for an array of rank `Rank`.
template <int Rank, class... I>
inline constexpr int sliced_rank = Rank + (0 + ... +
                                           (std::same_as<I, NewAxis> ? 1
                                            : Positional<I>          ? -1
                                                                     : 0));

namespace storage {

/// What a range takes of an axis.
export struct AxisPart {
  std::ptrdiff_t first;  // index of the first element
  std::ptrdiff_t count;
  std::ptrdiff_t step;
};

/// The part of an axis of `extent` elements. Throws IndexError for step 0.
export AxisPart resolve(const Range& range, std::ptrdiff_t extent, int axis);

/// The position of `index` on an axis. Throws IndexError outside it.
export std::ptrdiff_t resolve(std::ptrdiff_t index, std::ptrdiff_t extent, int axis);

/// Throws IndexError: an index that picks is outside its axis.
export [[noreturn]] void throw_picked_index(const char* operation, const std::string& index, std::ptrdiff_t position,
                                            int axis, std::ptrdiff_t extent, const std::source_location& where = {});
/// The same of an index at a position of several axes.
export [[noreturn]] void throw_picked_index(const char* operation, const std::string& index,
                                            std::span<const std::ptrdiff_t> position, int axis, std::ptrdiff_t extent);

}  // namespace storage
using storage::AxisPart;
using storage::resolve;

// Builds the layout of a slice axis by axis.
template <int Rank, int Result>
struct Slicer {
  const Layout<Rank>& from;
  Layout<Result> to{.offset = from.offset};
  int source = 0;
  int target = 0;
  int whole_axes = 0;  // what an ellipsis stands for

  void append(std::ptrdiff_t extent, std::ptrdiff_t stride) {
    to.shape = to.shape.with(target, extent);
    to.strides[static_cast<std::size_t>(target++)] = stride;
  }
  std::ptrdiff_t stride() const { return from.strides[static_cast<std::size_t>(source)]; }
  std::ptrdiff_t extent() const { return from.shape.extents()[static_cast<std::size_t>(source)]; }
  bool is_empty() const {
    bool has_none = false;
    for (const std::ptrdiff_t extent : from.shape.extents()) has_none = has_none || extent == 0;
    return has_none;
  }
  /// Of so many positions along the axis. It wraps only where there are no elements, so that extents have no bound.
  std::ptrdiff_t distance(std::ptrdiff_t positions) const {
    return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(stride()) * static_cast<std::size_t>(positions));
  }
  void move(std::ptrdiff_t positions) {
    to.offset = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(to.offset) +
                                            static_cast<std::size_t>(distance(positions)));
  }

  void take(const Positional auto& index) {
    move(resolve(position_value(index), extent(), source));
    ++source;
  }
  void take(const Range& range) {
    const AxisPart part = resolve(range, extent(), source);
    move(part.first);
    append(part.count,
           part.count > 1 ? distance(part.step) : stride());  // a huge step of a single element must not wrap
    ++source;
  }
  void take(All) {
    append(extent(), stride());
    ++source;
  }
  void take(NewAxis) { append(1, 0); }
  void take(Ellipsis) {
    for (int axis = 0; axis < whole_axes; ++axis) take(All{});
  }
};

namespace storage {

export template <int Rank, Indexer... I>
Layout<sliced_rank<Rank, I...>> sliced(const Layout<Rank>& layout, const I&... indexers) {
  Slicer<Rank, sliced_rank<Rank, I...>> slicer{.from = layout};
  slicer.whole_axes = Rank - consumed_axes<I...>;
  (slicer.take(indexers), ...);
  if constexpr (ellipses<I...> == 0) slicer.take(ellipsis);
  if (slicer.is_empty()) slicer.to.offset = layout.offset;  // there is nothing to point at
  return slicer.to;
}

}  // namespace storage
using storage::sliced;

}  // namespace tessera
