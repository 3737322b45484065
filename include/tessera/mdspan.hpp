// Arrays as std::mdspan and back, without a copy, where the standard library has <mdspan>; empty elsewhere, as with libstdc++ 12. Imports
// tessera.
#pragma once

#include <version>

#ifdef __cpp_lib_mdspan

#include <array>
#include <cstddef>
#include <mdspan>
#include <string>
#include <type_traits>

import tessera;

namespace tessera {

/// The elements of an array or a view on the host, where they lie; waits for ops that are pending on them. It does not keep the storage.
/// Throws PlaceError for elements on a GPU, and ShapeError for what no mdspan expresses: steps backwards and axes that repeat.
template <Elements A>
  requires(ViewHandle<A> || std::is_lvalue_reference_v<A>)
auto as_mdspan(A&& array) {
  const auto view = [&] {
    if constexpr (ViewHandle<A>) {
      return array;
    } else {
      return make_view(array);
    }
  }();
  constexpr auto rank = static_cast<std::size_t>(std::remove_cvref_t<A>::rank);
  if (!Place(view.place()).on_host())
    throw PlaceError(to_string(
        Failure{.operation = "as_mdspan",
                .problem = "the elements are on " + to_string(Place(view.place())) + ", which the host cannot read",
                .advice = "move them: to(CpuPlace{})"}));
  std::array<std::ptrdiff_t, rank> extents{}, strides{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    extents[axis] = view.shape()[static_cast<int>(axis)];
    strides[axis] = extents[axis] > 1 ? view.strides()[axis] : 1;
    if (strides[axis] <= 0)
      throw ShapeError(to_string(Failure{.operation = "as_mdspan",
                                         .problem = "an mdspan has no stride of " + std::to_string(strides[axis]) +
                                                    " elements, as axis " + std::to_string(axis) + " has",
                                         .operands = {"the shape is " + to_string(view.shape())},
                                         .advice = "copy the elements: copy(x)"}));
  }
  using Extents = std::dextents<std::ptrdiff_t, rank>;
  using T = std::remove_pointer_t<decltype(view.data())>;
  return std::mdspan<T, Extents, std::layout_stride>(view.data(),
                                                     std::layout_stride::mapping<Extents>(Extents(extents), strides));
}

/// A window on the elements of an mdspan, which must outlive it: an operand of expressions, and `=` writes the elements.
template <class T, class Extents, class Layout>
  requires Element<std::remove_const_t<T>>
ArrayView<T, static_cast<int>(Extents::rank())> as_view(const std::mdspan<T, Extents, Layout>& span) {
  constexpr int rank = static_cast<int>(Extents::rank());
  tessera::Layout<rank> layout;
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    layout.shape = layout.shape.with(axis, static_cast<std::ptrdiff_t>(span.extent(at)));
    layout.strides[at] = static_cast<std::ptrdiff_t>(span.stride(at));
  }
  return {span.data_handle(), layout, CpuPlace{}};
}

}  // namespace tessera

#endif
