module;
#include <cstddef>
export module tessera.array:view;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :assigned;
import :concepts;
import :elements;
import :index;
import :iterator;
import :layout;
import :slicing;

// Views that borrow their memory: no reference count, for tiny arrays in hot loops and for algorithms over ranges.
namespace tessera {

/// Shape and strides over memory that someone else owns and keeps alive: a window, whose `=` writes elements whether it is named or not.
/// `ArrayView<const T, D>` only reads them.
export template <class T, int Rank, AnyPlace P = CpuPlace>
  requires Element<std::remove_const_t<T>>
class ArrayView : public ElementOperations<ArrayView<T, Rank, P>, T, Rank, P, Constness::of_itself> {
  static constexpr bool is_read_only = std::is_const_v<T>;

 public:
  using value_type = std::remove_const_t<T>;
  using place_type = P;
  static constexpr int rank = Rank;

  /// Row-major memory of `shape` at `data`.
  ArrayView(T* data, const Dim<Rank>& shape, P place = {})
      : data_(data), layout_{.shape = shape, .strides = contiguous_strides(shape)}, place_(place) {}

  /// Elements of `layout` around `data`.
  ArrayView(T* data, const Layout<Rank>& layout, P place)
      : data_(data + layout.offset), layout_{.shape = layout.shape, .strides = layout.strides}, place_(place) {}

  ArrayView(const ArrayView&) = default;

  /// A view that reads only.
  ArrayView(const ArrayView<value_type, Rank, P>& other)
    requires is_read_only
      : ArrayView(other.data(), other.layout(), other.place()) {}

  /// Writes the elements of `source`, broadcast to this view's shape. Throws ShapeError if it does not fit.
  [[gnu::always_inline]] const ArrayView& operator=(
      Assigned<const ArrayView, ElementsAssignment<T, Rank, P>> source) const&&
    requires(!is_read_only)
  {
    source.to(*this);
    return *this;
  }
  [[gnu::always_inline]] const ArrayView& operator=(
      Assigned<const ArrayView, OtherElementsAssignment<ArrayView>> source) const&
    requires(!is_read_only)
  {
    source.to(*this);
    return *this;
  }
  // Of a view's own type, to one that has a name. What is volatile is no temporary, for which the first of these is better.
  const ArrayView& operator=(const ArrayView& source) const volatile&
    requires(!is_read_only)
  {
    const auto& self = const_cast<const ArrayView&>(*this);
    assign(self, source);
    return self;
  }
  ArrayView& operator=(const ArrayView& source) &
    requires(!is_read_only)
  {
    assign(*this, source);
    return *this;
  }

  // The usual mistakes, each with its sentence.
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::more_axes>
  void operator=(const S&) const = delete;  // the source has more axes than the view: index or reduce it
  // clang-format off
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::values>
  void operator=(const S&) const = delete;  // the elements do not fit: only floats narrow by themselves, write cast<T>(x)
  // clang-format on
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::places>
  void operator=(const S&) const = delete;  // the source is on another place than the view: move it with to(place)
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::none> && is_read_only
  void operator=(const S&) const = delete;  // a view of const elements is read only

  /// A view knows no ops: it was made when none was pending.
  void wait(schedule::Purpose) const {}

  T* data() const { return data_; }
  const Dim<Rank>& shape() const { return layout_.shape; }
  const Strides<Rank>& strides() const { return layout_.strides; }
  const Layout<Rank>& layout() const { return layout_; }
  P place() const { return place_; }

  template <int N>
  ArrayView<T, N, P> with_layout(const Layout<N>& layout) const {
    return {data_, layout, place_};
  }

  /// The elements in an array of their own, row-major, at the same place. Throws OutOfMemory.
  auto clone() const { return copy(*this); }
  /// The elements in an array at `place`. Throws DeviceError, OutOfMemory.
  template <AnyPlace Q>
  auto to(Q place) const {
    return clone().to(place);
  }

  /// The same view for expressions, which read it and are of one type whether it is read only or not.
  ArrayView<value_type, Rank, P> as_operand() const
    requires is_read_only
  {
    return {const_cast<value_type*>(data_), layout_, place_};
  }

 private:
  T* data_;
  Layout<Rank> layout_;
  [[no_unique_address]] P place_;
};

template <class T, int Rank, class P>
inline constexpr bool is_view<ArrayView<T, Rank, P>> = true;

}  // namespace tessera

// The iterators of a view hold its shape and strides, so they outlive it.
template <class T, int Rank, class P>
inline constexpr bool std::ranges::enable_borrowed_range<tessera::ArrayView<T, Rank, P>> = true;

namespace tessera {

/// A view of row-major host memory.
export template <class T, int Rank>
  requires Element<std::remove_const_t<T>>
ArrayView<T, Rank> make_view(T* data, const Dim<Rank>& shape) {
  return {data, shape};
}

/// Iterates over row-major host memory of `shape`, from its first element.
export template <class T, int Rank>
  requires Element<std::remove_const_t<T>>
ViewIterator<T, Rank> make_iterator(T* data, const Dim<Rank>& shape) {
  return {data, shape, contiguous_strides(shape), 0};
}

/// The elements of an array in row-major order, from the first.
export template <Elements A>
  requires requires(A& array) { array.begin(); }
auto make_iterator(A&& array) {
  return array.begin();
}

/// The elements in row-major order, from the one at an index on. Throws IndexError outside the shape.
export template <Elements A>
  requires requires(A& array) { array.begin(); }
auto make_iterator(A&& array, const std::type_identity_t<Index<rank_of<A>>>& index) {
  std::ptrdiff_t position = 0;
  for (int axis = 0; axis < rank_of<A>; ++axis) {
    const std::ptrdiff_t extent = array.shape()[axis];
    position = position * extent + storage::resolve(index[axis], extent, axis);
  }
  return array.begin() + position;
}

/// The value of an element, wherever it lives: get(a, {i, j}), get(a, ddim). Throws IndexError outside the shape.
export template <Elements A>
value_of<A> get(const A& array, const std::type_identity_t<Index<rank_of<A>>>& index) {
  return array[index];
}

/// Writes an element: set(a, {i, j}, value). Throws IndexError outside the shape.
export template <Elements A, class V>
  requires WritableElements<std::remove_reference_t<A>>
void set(A&& array, const std::type_identity_t<Index<rank_of<A>>>& index, const V& value) {
  array[index] = value;
}

}  // namespace tessera
