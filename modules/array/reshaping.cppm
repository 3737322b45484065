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
import :slicing;
import :view;

// Functions that give the same elements another shape.
namespace tessera {

/// Elements start, start + step, ... before stop of each axis, sharing the storage; the rules of range(). Throws IndexError for step 0.
export template <Elements A>
auto slice(const A& array, const std::type_identity_t<Index<A::rank>>& start,
           const std::type_identity_t<Index<A::rank>>& stop, const std::type_identity_t<Index<A::rank>>& step) {
  return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
    return array(range(start[Axis], stop[Axis], step[Axis])...);
  }(std::make_integer_sequence<int, A::rank>{});
}

/// slice with steps of 1.
export template <Elements A>
auto slice(const A& array, const std::type_identity_t<Index<A::rank>>& start,
           const std::type_identity_t<Index<A::rank>>& stop) {
  return [&]<int... Axis>(std::integer_sequence<int, Axis...>) {
    return array(range(start[Axis], stop[Axis])...);
  }(std::make_integer_sequence<int, A::rank>{});
}

/// Axis i of the result is axis axes[i] of the array, sharing the storage. Throws IndexError if `axes` is not a permutation.
export template <Elements A>
auto transpose(const A& array, const std::type_identity_t<std::array<int, static_cast<std::size_t>(A::rank)>>& axes) {
  return array.with_layout(transposed(array.layout(), axes));
}

/// The axes in reverse order.
export template <Elements A>
auto transpose(const A& array) {
  return array.T();
}

[[noreturn]] inline void throw_reshape_error(const std::string& from, const std::string& to, std::ptrdiff_t from_count,
                                             std::ptrdiff_t to_count, const std::source_location& where) {
  throw ShapeError(to_string(Failure{
      .operation = "reshape",
      .problem = from + " has " + std::to_string(from_count) + " elements, " + to + " has " + std::to_string(to_count),
      .advice = "a new shape keeps the number of elements",
      .where = where}));
}

/// The same elements in row-major order under another shape: a view that shares the storage where strides allow one, a
/// copy otherwise. Throws ShapeError if the element counts differ.
export template <Element T, int Rank, AnyPlace P, int To>
Array<T, To, P> reshape(const Array<T, Rank, P>& array, const Dim<To>& shape,
                        std::source_location where = std::source_location::current()) {
  const std::ptrdiff_t count = product(shape);
  if (count != array.size())
    throw_reshape_error(to_string(array.shape()), to_string(shape), array.size(), count, where);
  Layout<To> layout{.shape = shape, .strides = contiguous_strides(shape)};
  if (array.is_contiguous()) return array.with_layout(layout);
  const auto strides = reshaped_strides(array.shape().extents(), array.strides(), shape.extents());
  if (!strides) return array.clone().with_layout(layout);
  for (int axis = 0; axis < To; ++axis)
    layout.strides[static_cast<std::size_t>(axis)] = (*strides)[static_cast<std::size_t>(axis)];
  return array.with_layout(layout);
}

/// The extents with a single -1 replaced by what keeps `count` elements. Throws ShapeError for two, or none that fits.
export std::ptrdiff_t inferred_extent(std::initializer_list<std::ptrdiff_t> extents, std::ptrdiff_t count);

/// reshape(array, 3, -1): one extent may be -1 and is computed. Throws ShapeError for two of them or if none fits.
export template <Element T, int Rank, AnyPlace P, std::integral... Extent>
  requires(sizeof...(Extent) > 0)
auto reshape(const Array<T, Rank, P>& array, Extent... extents) {
  const std::ptrdiff_t inferred = inferred_extent({static_cast<std::ptrdiff_t>(extents)...}, array.size());
  return reshape(array,
                 Dim<static_cast<int>(sizeof...(Extent))>{
                     (std::cmp_equal(extents, -1) ? inferred : static_cast<std::ptrdiff_t>(extents))...},
                 std::source_location{});  // unknown behind a parameter pack
}

/// All elements in row-major order along one axis: a view where strides allow it, a copy otherwise.
export template <Element T, int Rank, AnyPlace P>
Array<T, 1, P> flatten(const Array<T, Rank, P>& array) {
  return reshape(array, Dim<1>{array.size()});
}

/// Without the named axes, whose extents must be 1, sharing the storage. Throws ShapeError if one is not.
export template <int... Axis, Elements A>
  requires(sizeof...(Axis) > 0) && (sizeof...(Axis) <= A::rank)
auto squeeze(const A& array) {
  constexpr int result_rank = A::rank - static_cast<int>(sizeof...(Axis));
  std::array<bool, static_cast<std::size_t>(A::rank)> dropped{};
  for (const int axis : {checked_axis(Axis, A::rank, "squeeze")...}) {
    const bool twice = dropped[static_cast<std::size_t>(axis)];
    if (array.shape()[axis] != 1 || twice) {
      throw ShapeError(to_string(
          Failure{.operation = "squeeze",
                  .problem = "axis " + std::to_string(axis) + " of " + to_string(array.shape()) +
                             (twice ? " is named twice" : " has extent " + std::to_string(array.shape()[axis])),
                  .advice = "only axes of extent 1 can be dropped, each once"}));
    }
    dropped[static_cast<std::size_t>(axis)] = true;
  }
  Layout<result_rank> layout;
  for (int axis = 0, target = 0; axis < A::rank; ++axis) {
    if (dropped[static_cast<std::size_t>(axis)]) continue;
    layout.shape = layout.shape.with(target, array.shape()[axis]);
    layout.strides[static_cast<std::size_t>(target++)] = array.strides()[static_cast<std::size_t>(axis)];
  }
  return array.with_layout(layout);
}

/// The elements repeated along axes of extent 1 and new leading axes, sharing the storage (stride 0: writing to it
/// writes each element many times). Throws ShapeError under NumPy's rules.
export template <Elements A, int To>
  requires(To >= A::rank)
auto broadcast_to(const A& array, const Dim<To>& shape) {
  return array.with_layout(broadcasted(array.layout(), shape));
}

}  // namespace tessera
