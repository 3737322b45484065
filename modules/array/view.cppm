module;
#include <cstddef>
export module tessera.array:view;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :concepts;
import :elements;
import :iterator;
import :layout;

// Views that borrow their memory: no reference count, for tiny arrays in hot loops and for algorithms over ranges.
namespace tessera {

/// Shape and strides over memory that someone else owns and keeps alive. Assigning to a view writes elements.
export template <Element T, int Rank, AnyPlace P = CpuPlace>
class ArrayView : public ElementOperations<ArrayView<T, Rank, P>, T, Rank, P> {
 public:
  using value_type = T;
  using place_type = P;
  static constexpr int rank = Rank;

  /// Row-major memory of `shape` at `data`.
  ArrayView(T* data, const Dim<Rank>& shape, P place = {})
      : data_(data), layout_{.shape = shape, .strides = contiguous_strides(shape)}, place_(place) {}

  /// Elements of `layout` around `data`.
  ArrayView(T* data, const Layout<Rank>& layout, P place)
      : data_(data + layout.offset), layout_{.shape = layout.shape, .strides = layout.strides}, place_(place) {}

  ArrayView(const ArrayView&) = default;

  /// Writes the elements of `source`, broadcast to this view's shape. Throws ShapeError if it does not fit.
  const ArrayView& operator=(const ArrayView& source) const {
    assign(*this, source);
    return *this;
  }
  ArrayView& operator=(const ArrayView& source) {
    assign(*this, source);
    return *this;
  }
  template <class S>
    requires AssignableSource<S, T, Rank, P>
  [[gnu::always_inline]] const ArrayView& operator=(const S& source) const {
    assign(*this, source);
    return *this;
  }

  /// A view knows no ops: it was made when none was pending.
  void settle(Purpose) const {}

  T* data() const { return data_; }
  const Dim<Rank>& shape() const { return layout_.shape; }
  const Strides<Rank>& strides() const { return layout_.strides; }
  const Layout<Rank>& layout() const { return layout_; }
  P place() const { return place_; }

  template <int N>
  ArrayView<T, N, P> with_layout(const Layout<N>& layout) const {
    return {data_, layout, place_};
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
export template <Element T, int Rank>
ArrayView<T, Rank> make_view(T* data, const Dim<Rank>& shape) {
  return {data, shape};
}

/// Iterates over row-major host memory of `shape`, from its first element.
export template <Element T, int Rank>
ViewIterator<T, Rank> make_iterator(T* data, const Dim<Rank>& shape) {
  return {data, shape, contiguous_strides(shape), 0};
}

/// The elements of an array in row-major order, from the first.
export template <Elements A>
auto make_iterator(const A& array) {
  return array.begin();
}

}  // namespace tessera
