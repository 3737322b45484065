module;
#include <cstddef>
export module tessera.array:reshaping;
import tessera.standard;
import tessera.core;
import tessera.device;
import :concepts;
import :handle;
import :index;
import :layout;
import :named_axes;
import :slicing;
import :view;
import :viewed;

// Functions that give the same elements another shape.
namespace tessera {

/// Elements start, start + step, ... before stop of each axis, sharing the storage; the rules of range(). Throws IndexError for step 0.
export template <Operand A>
decltype(auto) slice(A&& array, const std::type_identity_t<Index<rank_of<A>>>& start,
                     const std::type_identity_t<Index<rank_of<A>>>& stop,
                     const std::type_identity_t<Index<rank_of<A>>>& step) {
  return viewed(std::forward<A>(array), [=]<int Rank>(const Layout<Rank>& layout) {
    return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
      return sliced(layout, range(start[Axis], stop[Axis], step[Axis])...);
    }(std::make_integer_sequence<int, Rank>{});
  });
}

/// slice with steps of 1.
export template <Operand A>
decltype(auto) slice(A&& array, const std::type_identity_t<Index<rank_of<A>>>& start,
                     const std::type_identity_t<Index<rank_of<A>>>& stop) {
  return viewed(std::forward<A>(array), [=]<int Rank>(const Layout<Rank>& layout) {
    return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
      return sliced(layout, range(start[Axis], stop[Axis])...);
    }(std::make_integer_sequence<int, Rank>{});
  });
}

/// Axis i of the result is axis axes[i] of the array, sharing the storage. Throws IndexError if `axes` is not a permutation.
export template <Operand A>
decltype(auto) transpose(A&& array,
                         const std::type_identity_t<std::array<int, static_cast<std::size_t>(rank_of<A>)>>& axes) {
  return viewed(std::forward<A>(array), [=](const auto& layout) { return transposed(layout, axes); });
}

/// The axes in reverse order.
export template <Operand A>
decltype(auto) transpose(A&& array) {
  return viewed(std::forward<A>(array), [](const auto& layout) { return reversed_axes(layout); });
}

[[noreturn]] inline void throw_reshape_error(const std::string& from, const std::string& to, std::ptrdiff_t from_count,
                                             std::ptrdiff_t to_count, const std::source_location& where) {
  throw ShapeError(to_string(Failure{
      .operation = "reshape",
      .problem = from + " has " + std::to_string(from_count) + " elements, " + to + " has " + std::to_string(to_count),
      .advice = "a new shape keeps the number of elements",
      .where = where}));
}

namespace storage {

/// The layout of the same elements under another shape, if there is one. Throws ShapeError if the element counts differ.
export template <int Rank, int To>
std::optional<Layout<To>> reshaped(const Dim<Rank>& from, const Strides<Rank>& strides, std::ptrdiff_t size,
                                   const Dim<To>& shape, const std::source_location& where) {
  const std::ptrdiff_t count = product(shape);
  if (count != size) throw_reshape_error(to_string(from), to_string(shape), size, count, where);
  Layout<To> layout{.shape = shape, .strides = contiguous_strides(shape)};
  if (is_contiguous(from, strides)) return layout;
  const auto found = reshaped_strides(from.extents(), strides, shape.extents());
  if (!found) return std::nullopt;
  for (int axis = 0; axis < To; ++axis)
    layout.strides[static_cast<std::size_t>(axis)] = (*found)[static_cast<std::size_t>(axis)];
  return layout;
}

}  // namespace storage
using storage::reshaped;

/// The same elements in row-major order under another shape: a view that shares the storage where strides allow one, a
/// copy otherwise. Throws ShapeError if the element counts differ.
export template <class T, int Rank, AnyPlace P, int To>
Array<T, To, P> reshape(const Array<T, Rank, P>& array, const Dim<To>& shape,
                        std::source_location where = std::source_location::current()) {
  const auto layout = reshaped(array.shape(), array.strides(), array.size(), shape, where);
  if (layout) return array.with_layout(*layout);
  return array.clone().with_layout(Layout<To>{.shape = shape, .strides = contiguous_strides(shape)});
}

/// The same window with another shape. Throws ShapeError if the element counts differ, and where strides do not allow it: a view owns no
/// memory for a copy.
export template <class T, int Rank, AnyPlace P, int To>
ArrayView<T, To, P> reshape(const ArrayView<T, Rank, P>& view, const Dim<To>& shape,
                            std::source_location where = std::source_location::current()) {
  const auto layout = reshaped(view.shape(), view.strides(), view.size(), shape, where);
  if (layout) return view.with_layout(*layout);
  throw ShapeError(to_string(
      Failure{.operation = "reshape",
              .problem = "no strides see this view of shape " + to_string(view.shape()) + " as " + to_string(shape),
              .advice = "copy the elements first: reshape(copy(view), shape)",
              .where = where}));
}

/// reshape<2>(array, shape) with a shape whose rank is known at run time. Throws ShapeError also if the ranks differ.
export template <int To, Operand A>
  requires(!ArrayParameter<A>)
auto reshape(const A& array, const DDim& shape, std::source_location where = std::source_location::current()) {
  return reshape(array, get<To>(shape), where);
}

/// The extents with a single -1 replaced by what keeps `count` elements. Throws ShapeError for two, or none that fits.
std::ptrdiff_t inferred_extent(std::initializer_list<std::ptrdiff_t> extents, std::ptrdiff_t count);

/// Elements of an operand.
template <Operand O>
std::ptrdiff_t size_of(const O& x) {
  if constexpr (requires { x.size(); }) {
    return x.size();
  } else {
    return product(Dim<rank_of<O>>(x.shape()));
  }
}

/// reshape(array, 3, -1): one extent may be -1 and is computed. Throws ShapeError for two of them or if none fits.
export template <Operand A, std::integral... Extent>
  requires(sizeof...(Extent) > 0 && !ArrayParameter<A>)
auto reshape(const A& array, Extent... extents) {
  const std::ptrdiff_t inferred = inferred_extent({static_cast<std::ptrdiff_t>(extents)...}, size_of(array));
  return reshape(array,
                 Dim<static_cast<int>(sizeof...(Extent))>{
                     (std::cmp_equal(extents, -1) ? inferred : static_cast<std::ptrdiff_t>(extents))...},
                 std::source_location{});  // unknown behind a parameter pack
}

/// reshape(array, {3, -1}).
export template <Operand A, std::integral Extent, std::size_t Count>
  requires(!ArrayParameter<A>)
auto reshape(const A& array, const Extent (&extents)[Count]) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return reshape(array, extents[I]...);
  }(std::make_index_sequence<Count>{});
}

/// All elements in row-major order along one axis: a view where strides allow it, a copy otherwise.
export template <Operand A>
  requires(!ArrayParameter<A>)
auto flatten(const A& array) {
  return reshape(array, Dim<1>{size_of(array)});
}

/// The layout without the marked axes. Throws ShapeError if one has another extent than 1.
template <int Result, int Rank>
Layout<Result> squeezed(const Layout<Rank>& from, const std::array<bool, static_cast<std::size_t>(Rank)>& dropped) {
  Layout<Result> layout{.offset = from.offset};
  for (int axis = 0, target = 0; axis < Rank; ++axis) {
    if (!dropped[static_cast<std::size_t>(axis)]) {
      layout.shape = layout.shape.with(target, from.shape[axis]);
      layout.strides[static_cast<std::size_t>(target++)] = from.strides[static_cast<std::size_t>(axis)];
    } else if (from.shape[axis] != 1) {
      throw ShapeError(to_string(Failure{.operation = "squeeze",
                                         .problem = "axis " + std::to_string(axis) + " of " + to_string(from.shape) +
                                                    " has extent " + std::to_string(from.shape[axis]),
                                         .advice = "only axes of extent 1 can be dropped"}));
    }
  }
  return layout;
}

/// Without the named axes, whose extents must be 1, sharing the storage. Throws ShapeError if one is not.
export template <int... Axis, Operand A>
  requires(sizeof...(Axis) > 0) && AxesOf<rank_of<A>, Axis...>
decltype(auto) squeeze(A&& array) {  // axes in range, each once
  constexpr int result_rank = rank_of<A> - static_cast<int>(sizeof...(Axis));
  return viewed(std::forward<A>(array), []<int Rank>(const Layout<Rank>& layout) {
    return squeezed<result_rank>(layout, named_axes<Rank, Axis...>());
  });
}

/// The elements repeated along axes of extent 1 and new leading axes, sharing the storage (stride 0: the result cannot
/// be written). Throws ShapeError under NumPy's rules.
export template <Operand A, int To>
  requires(To >= rank_of<A> || unsatisfied<"broadcasting adds axes and drops none">)
decltype(auto) broadcast_to(A&& array, const Dim<To>& shape) {  // broadcasting adds axes and drops none
  return viewed(std::forward<A>(array), [=](const auto& layout) { return broadcasted(layout, shape); });
}

}  // namespace tessera
