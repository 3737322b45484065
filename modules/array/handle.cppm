module;
#include <cstddef>
export module tessera.array:handle;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import :buffer;
import :concepts;
import :elements;
import :footprint;
import :layout;
import :strided_copy;
import :view;

// The array: a handle to shared storage.
namespace tessera {

/// Bytes of `shape`; every step is checked. Throws ShapeError if they do not fit in 63 bits.
template <class T, int Rank>
std::ptrdiff_t bytes_of(const Dim<Rank>& shape) {
  return checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(T)));
}

/// Elements of type T along Rank axes. Copying an array copies the handle; both then see the same elements. With P = Place the
/// place is known at run time; with a concrete P checks are static and, on the host, element access is a plain reference.
///
/// A handle on the right of `=` re-points an lvalue array; an expression or scalar on the right is evaluated into its
/// storage (an array without storage gets new storage of the expression's shape). An rvalue, such as the view `a(all, 0)`,
/// always writes elements.
export template <Element T, int Rank, AnyPlace P = Place>
  requires(Rank >= 0)
class Array : public ElementOperations<Array<T, Rank, P>, T, Rank, P> {
 public:
  using value_type = T;
  using place_type = P;
  static constexpr int rank = Rank;

  /// No storage.
  Array() = default;

  /// Uninitialised storage. Throws ShapeError (too large), OutOfMemory, DeviceError.
  explicit Array(const Dim<Rank>& shape, P place = {})
      : Array(make_shared_object<Buffer>(place, bytes_of<T>(shape)),
              {.shape = shape, .strides = contiguous_strides(shape)}, place) {}

  /// Elements of `layout` in a buffer, which must hold them.
  Array(const std::shared_ptr<Buffer>& buffer, const Layout<Rank>& layout, P place)
      : Array(buffer, static_cast<T*>(buffer->data()), layout, place) {}

  /// The evaluated expression in new storage.
  template <Expression E>
    requires AssignableSource<E, T, Rank, P> && (E::rank == Rank)
  Array(const E& expression) {
    assign(*this, expression);
  }

  /// A handle whose place is known as a handle whose place is not.
  template <StaticPlace Q>
    requires std::same_as<P, Place>
  Array(const Array<T, Rank, Q>& other) : Array(other.buffer(), other.data(), other.layout(), other.place()) {}

  /// A handle whose place is checked at run time. Throws PlaceError if it is another.
  explicit Array(const Array<T, Rank, Place>& other)
    requires StaticPlace<P>
      : Array(other.buffer(), other.data(), other.layout(), place_cast<P>(other.place())) {}

  // Copying and moving are calls, because an expression does both for each of its leaves.
  [[gnu::noinline]] Array(const Array& other) noexcept
      : buffer_(other.buffer_), data_(other.data_), layout_(other.layout_), place_(other.place_) {}
  /// The other handle is left without storage.
  [[gnu::noinline]] Array(Array&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        data_(std::exchange(other.data_, nullptr)),
        layout_(std::exchange(other.layout_, {})),
        place_(other.place_) {}
  Array& operator=(const Array&) & = default;
  [[gnu::noinline]] Array& operator=(Array&& other) & noexcept {
    Array taken(std::move(other));
    buffer_ = std::move(taken.buffer_);
    data_ = taken.data_;
    layout_ = taken.layout_;
    place_ = taken.place_;
    return *this;
  }

  void operator=(const Array& source) && { assign(*this, source); }

  template <class S>
    requires EvaluatedSource<S> && AssignableSource<S, T, Rank, P>
  [[gnu::always_inline]] Array& operator=(const S& source) & {
    assign(*this, source);
    return *this;
  }
  template <class S>
    requires AssignableSource<S, T, Rank, P>
  [[gnu::always_inline]] void operator=(const S& source) && {
    assign(*this, source);
  }

  /// Waits for the ops that are pending on the elements, as element access, iteration, printing, to() and views do by themselves; data()
  /// does not. Throws OperationFailed if the op failed that should have written them.
  void wait() const { settle(Purpose::change); }

  /// What ops must name that read or write the elements by themselves. Throws SchedulerError without storage.
  const Var& var() const { return buffer_to_name().var(); }

  void settle(Purpose purpose) const {
    if (buffers_have_vars.load(std::memory_order_relaxed) && buffer() != nullptr) [[unlikely]]
      buffer()->settle(purpose, {data_, shape().extents(), strides(), sizeof(T)});
  }

  /// As settle, for work at `place`: on a GPU streams order it after each other, and only ops have to be waited for.
  void settle_for(Place place, Purpose purpose) const {
    if (place.on_host()) return settle(purpose);
    if (buffer() != nullptr) buffer()->settle_ops(purpose, {data_, shape().extents(), strides(), sizeof(T)});
  }

  /// The array has storage.
  explicit operator bool() const { return buffer_.get() != nullptr; }

  T* data() const { return data_; }
  const Dim<Rank>& shape() const { return layout_.shape; }
  const Strides<Rank>& strides() const { return layout_.strides; }
  const Layout<Rank>& layout() const { return layout_; }
  P place() const { return place_; }
  const std::shared_ptr<Buffer>& buffer() const { return buffer_.get(); }

  /// The same storage seen through another layout, relative to this array's first element.
  template <int N>
  Array<T, N, P> with_layout(const Layout<N>& layout) const {
    return {buffer(), data_, layout, place_};
  }

  /// New storage with the same elements, row-major, at the same place; no storage if there is none. Throws OutOfMemory.
  Array clone() const { return copied_to(place_); }

  /// The elements at `place`: this handle if they are there already, otherwise a row-major copy. Throws DeviceError, OutOfMemory.
  template <AnyPlace Q>
  Array<T, Rank, Q> to(Q place) const {
    if (Place(place_) == Place(place)) return Array<T, Rank, Q>(buffer(), data_, layout_, place);
    return copied_to(place);
  }

 private:
  const Buffer& buffer_to_name() const {
    if (buffer() != nullptr) return *buffer();
    throw SchedulerError(to_string(Failure{.operation = "var", .problem = "the array has no storage"}));
  }

  template <Element U, int N, AnyPlace Q>
    requires(N >= 0)
  friend class Array;

  Array(std::shared_ptr<Buffer> buffer, T* data, const Layout<Rank>& layout, P place)
      : buffer_(std::move(buffer)),
        data_(data + layout.offset),
        layout_{.shape = layout.shape, .strides = layout.strides},
        place_(place) {}

  template <AnyPlace Q>
  Array<T, Rank, Q> copied_to(Q place) const {
    if (buffer() == nullptr) return {nullptr, nullptr, {}, place};
    settle_for(Place(place_).on_host() ? Place(place) : Place(place_), Purpose::read);  // a GPU's streams order copies
    Array<T, Rank, Q> copy(shape(), place);
    copy_strided(shape().extents(), sizeof(T), {copy.data(), copy.strides(), place, copy.buffer()->uses()},
                 {data_, strides(), place_, buffer()->uses()});
    return copy;
  }

  BufferShare buffer_;
  T* data_ = nullptr;
  Layout<Rank> layout_;
  [[no_unique_address]] P place_{};
};

template <class T, int Rank, class P>
inline constexpr bool is_array<Array<T, Rank, P>> = true;

/// An array over memory of the user's, row-major, which must outlive every handle to it. Throws ShapeError if the
/// shape is too large.
export template <Element T, int Rank, AnyPlace P = CpuPlace>
Array<T, Rank, P> borrow(T* data, const Dim<Rank>& shape, P place = {}) {
  auto buffer = make_shared_object<Buffer>(memory::Allocation::borrow(data, bytes_of<T>(shape), place));
  return {std::move(buffer), {.shape = shape, .strides = contiguous_strides(shape)}, place};
}

/// A view of the array's elements; the array must outlive it.
export template <Element T, int Rank, AnyPlace P>
ArrayView<T, Rank, P> make_view(const Array<T, Rank, P>& array) {
  array.settle(Purpose::change);
  return {array.data(), array.layout(), array.place()};
}

}  // namespace tessera
