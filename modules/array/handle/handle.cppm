module;
#include <cstddef>
export module tessera.array:handle;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import :assigned;
import :buffer;
import :concepts;
import :elements;
import :footprint;
import :layout;
import :strided_copy;
import :view;

// The array: a name for shared storage.
namespace tessera {

/// Bytes of `shape`; every step is checked. Throws ShapeError if they do not fit in 63 bits.
template <class T, int Rank>
std::ptrdiff_t bytes_of(const Dim<Rank>& shape) {
  return core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(T)));
}

/// Values for an array written in braces, one pair for each axis: {{1, 2}, {3, 4}}.
template <class T, int Rank>
struct NestedListOf {
  using type = std::initializer_list<typename NestedListOf<T, Rank - 1>::type>;
};
template <class T>
struct NestedListOf<T, 0> {
  using type = T;
};
template <class T, int Rank>
using NestedList = typename NestedListOf<T, Rank>::type;

/// The shape of a nested list, by its first lists.
template <class T, int Rank>
void list_shape(const NestedList<T, Rank>& list, std::ptrdiff_t* extents) {
  *extents = std::ssize(list);
  if constexpr (Rank > 1) {
    if (list.size() != 0) list_shape<T, Rank - 1>(*list.begin(), extents + 1);
  }
}

/// Throws ShapeError: the lists of one level differ in length.
[[noreturn]] void throw_ragged(std::ptrdiff_t expected, std::size_t found, int axis);

/// Copies the values of a nested list in row-major order. Throws ShapeError if the lists of one level differ in length.
template <class T, int Rank>
void copy_list(const NestedList<T, Rank>& list, std::span<const std::ptrdiff_t> shape, int axis, T*& to) {
  if (!std::cmp_equal(list.size(), shape[static_cast<std::size_t>(axis)]))
    throw_ragged(shape[static_cast<std::size_t>(axis)], list.size(), axis);
  if constexpr (Rank == 1) {
    to = std::ranges::copy(list, to).out;
  } else {
    for (const auto& inner : list) copy_list<T, Rank - 1>(inner, shape, axis + 1, to);
  }
}

/// Elements of type T along Rank axes: a name for storage that other names may share. `Array<const T, D>` only reads them.
///
/// `=` on a name gives that name the value of the right side and never changes what another name sees. Elements are written through an
/// index, a view or a compound operator: `a(...) = x`, `a[...] = x`, `a += x`. So `a = b` makes a another name for b's storage, and
/// `a = b + 1` computes into a's own storage if no other name shares it and the shape is equal, into new storage otherwise.
///
/// A const array is read only: neither can it be given another value, nor can elements be written through it.
///
/// With P = Place the place is known at run time; with a concrete P checks are static and, on the host, element access is a plain
/// reference.
export template <class T, int Rank, AnyPlace P = Place>
  requires Element<std::remove_const_t<T>> && (Rank >= 0)  // elements are bool, integers, floating and complex numbers
class Array : public ElementOperations<Array<T, Rank, P>, T, Rank, P, Constness::of_elements> {
  static constexpr bool is_read_only = std::is_const_v<T>;

 public:
  using value_type = std::remove_const_t<T>;
  using place_type = P;
  static constexpr int rank = Rank;

  /// No storage.
  Array() = default;

  /// Uninitialised storage; a shape is written Dim{2, 3}, and braces hold values. Throws ShapeError (too large), OutOfMemory, DeviceError.
  template <std::same_as<Dim<Rank>> Shape>
  explicit Array(const Shape& shape, P place = {})
    requires(!is_read_only)
      : Array(BufferShare::make(place, bytes_of<T>(shape)), {.shape = shape, .strides = contiguous_strides(shape)},
              place) {}

  // clang-format off
  template <std::integral Extent, class... More>
    requires(Rank > 0)
  explicit Array(Extent, More...) = delete;  // a shape is written Dim{2, 3}, as in Array<float, 2> a(Dim{2, 3}); values in braces
  // clang-format on

  /// These values, as deep as there are axes: Array<int, 2>{{1, 2}, {3, 4}}. Throws ShapeError if lists of one level differ in length.
  // clang-format off
  Array(NestedList<value_type, Rank> values, P place = {})  // in braces are values, as deep as there are axes; a shape is written Dim{2, 3}; an expression has the rank of the array and elements that fit: write cast<T>(x)
      // clang-format on
    requires(Rank > 0)
      : Array(of_list(values, place)) {}

  /// One value.
  template <ScalarValue V>
    requires(Rank == 0) && (std::same_as<V, value_type> || WeakWith<V, value_type>)
  Array(V value, P place = {}) : Array(of_value(static_cast<value_type>(value), place)) {}

  /// Elements of `layout` in a buffer, which must hold them.
  Array(BufferShare buffer, const Layout<Rank>& layout, P place)
      : buffer_(std::move(buffer)),
        data_(static_cast<T*>(buffer_->data()) + layout.offset),
        layout_{.shape = layout.shape, .strides = layout.strides},
        place_(place) {}

  /// The values of an expression or a view in new storage.
  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && NamedSource<E, value_type, Rank, P>
  Array(const E& expression) {
    assign_name(*this, expression);
  }

  /// A name whose place is not known for what one names whose place is.
  template <StaticPlace Q>
    requires std::same_as<P, Place>
  Array(const Array<T, Rank, Q>& other) : Array(other.buffer(), other.data(), other.layout(), other.place()) {}

  /// A name that reads only.
  template <AnyPlace Q>
    requires is_read_only && (std::same_as<Q, P> || std::same_as<P, Place>)
  Array(const Array<value_type, Rank, Q>& other) : Array(other.buffer(), other.data(), other.layout(), other.place()) {}

  /// A name whose place is checked at run time. Throws PlaceError if it is another.
  explicit Array(const Array<T, Rank, Place>& other)
    requires StaticPlace<P>
      : Array(other.buffer(), other.data(), other.layout(), place_cast<P>(other.place())) {}

  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && MisfitOfName<E, T, Rank, P, Misfit::more_axes>
  explicit Array(const E&) = delete;  // the expression has more axes than the array: index or reduce it
  // clang-format off
  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && MisfitOfName<E, T, Rank, P, Misfit::fewer_axes>
  explicit Array(const E&) = delete;  // the expression has fewer axes than the array: broadcast_to(x, shape) gives it more
  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && MisfitOfName<E, T, Rank, P, Misfit::values>
  explicit Array(const E&) = delete;  // its elements do not fit in the array's: only floats narrow by themselves, write cast<T>(x)
  // clang-format on
  template <class E>
    requires(ExpressionNode<E> || ViewHandle<E>) && MisfitOfName<E, T, Rank, P, Misfit::places>
  explicit Array(const E&) = delete;  // the expression is on another place than the array: move it with to(place)
  template <ArrayHandle A>
    requires MisfitOfName<A, T, Rank, P, Misfit::other_elements>
  explicit Array(const A&) = delete;  // an array of other elements is another array: write cast<T>(b)
  template <ArrayHandle A>
    requires MisfitOfName<A, T, Rank, P, Misfit::places> && StaticPlace<place_of<A>>
  explicit Array(const A&) = delete;  // the array is on another place: move it with to(place)

  // Copying and moving are calls, because an expression does both for each of its leaves.
  // clang-format off
  [[gnu::noinline]] Array(const Array& other) noexcept  // what initialises an array has its rank and elements that fit: write cast<T>(x), index or reduce it
      // clang-format on
      : buffer_(other.buffer_), data_(other.data_), layout_(other.layout_), place_(other.place_) {}
  /// The other name is left without storage.
  [[gnu::noinline]] Array(Array&& other) noexcept
      : buffer_(std::move(other.buffer_)),
        data_(std::exchange(other.data_, nullptr)),
        layout_(std::exchange(other.layout_, {})),
        place_(other.place_) {}

  // An expression converts to an array, so it could be assigned by these two as well. On a volatile array they are the worse choice for it, and
  // the only one for an array.
  // clang-format off
  Array& operator=(const Array& other) volatile& noexcept {  // the right side of = is an array, an expression, a scalar, or values in braces
    // clang-format on
    auto& self = const_cast<Array&>(*this);
    self.buffer_ = other.buffer_;
    self.data_ = other.data_;
    self.layout_ = other.layout_;
    self.place_ = other.place_;
    return self;
  }
  Array& operator=(Array&& other) volatile& noexcept { return const_cast<Array&>(*this).become(std::move(other)); }

  /// Gives this name the value of an expression, or fills it with a scalar. Throws ShapeError (a scalar without storage to fill, and an
  /// expression of another shape that broadcasts to this one: `a(ellipsis) = x` does that), PlaceError, DeviceError, OutOfMemory; the array
  /// is as before then.
  [[gnu::always_inline]] Array& operator=(Assigned<Array, NameAssignment<T, Rank, P>> source) & {
    source.to(*this);
    return *this;
  }

  /// Gives this name the values in braces; none leave it without storage. Throws ShapeError if lists of one level differ in length.
  Array& operator=(NestedList<value_type, Rank> values) &
    requires(Rank > 0)
  {
    return become(values.size() == 0 ? Array() : Array(values));
  }

  // The usual mistakes, each with its sentence.
  template <class S>
    requires MisfitOfName<S, T, Rank, P, Misfit::more_axes>
  void operator=(const S&) const = delete;  // the source has more axes than the array: index or reduce it
  template <class S>
    requires MisfitOfName<S, T, Rank, P, Misfit::fewer_axes>
  void operator=(const S&) & = delete;  // the source has fewer axes than the array: a(ellipsis) = x broadcasts
  // clang-format off
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::values>
  void operator=(const S&) const = delete;  // the elements do not fit: only floats narrow by themselves, write cast<T>(x)
  template <class S>
    requires MisfitOfElements<S, T, Rank, P, Misfit::places>
  void operator=(const S&) const = delete;  // the source is on another place than the array: move it with to(place)
  template <class S>
    requires MisfitOfName<S, T, Rank, P, Misfit::other_elements>
  void operator=(const S&) & = delete;  // an array of other elements is another array: write cast<T>(b), or a(ellipsis) = b
  template <class S>
    requires(MisfitOfName<S, T, Rank, P, Misfit::read_only> && !is_read_only)
  void operator=(const S&) & = delete;  // an array that only reads cannot become one that writes: write copy(b)
  void operator=(Assigned<const Array, ElementsAssignment<T, Rank, P>>) const volatile& = delete;  // a const array is read only, and so are its parts and Array<const T, D>
  void operator=(Assigned<const Array, ElementsAssignment<T, Rank, P>>) const&& = delete;  // a const array is read only, and so are its parts and Array<const T, D>
  // clang-format on

  /// What is no name is a view, such as a(all, 0): its elements are written. Throws as above, and ShapeError without storage.
  [[gnu::always_inline]] void operator=(Assigned<const Array, ElementsAssignment<T, Rank, P>> source) &&
    requires(!is_read_only)
  {
    source.to(*this);
  }
  void operator=(NestedList<value_type, Rank> values) &&
    requires(!is_read_only && Rank > 0)
  {
    assign(*this, of_list(values, place_));
  }

  /// Waits for the ops that are pending on the elements, as element access, iteration, printing, to() and views do by themselves; data()
  /// does not. Throws OperationFailed if the op failed that should have written them.
  void wait() const { wait(schedule::Purpose::change); }

  /// What ops must name that read or write the elements by themselves. Throws SchedulerError without storage.
  const Var& var() const { return buffer_to_name().var(); }
  /// The variance along axes, as var(a): a.var<0>().
  using ElementOperations<Array<T, Rank, P>, T, Rank, P, Constness::of_elements>::var;

  void wait(schedule::Purpose purpose) const {
    if (buffers_have_vars.load(std::memory_order_relaxed) && buffer() != nullptr) [[unlikely]]
      buffer()->wait(purpose, {data_, shape().extents(), strides(), sizeof(T)});
  }

  /// As wait, for work at `place`: on a GPU streams order it after each other, and only ops have to be waited for.
  void wait_at(Place place, schedule::Purpose purpose) const {
    if (place.on_host()) return wait(purpose);
    if (buffer() != nullptr) buffer()->wait_for_ops(purpose, {data_, shape().extents(), strides(), sizeof(T)});
  }

  bool has_storage() const { return buffer_.get() != nullptr; }

  T* data() const { return data_; }
  const Dim<Rank>& shape() const { return layout_.shape; }
  const Strides<Rank>& strides() const { return layout_.strides; }
  const Layout<Rank>& layout() const { return layout_; }
  P place() const { return place_; }
  /// The storage, which views and other names share; equal for those that do.
  const BufferShare& buffer() const { return buffer_; }

  /// The same storage seen through another layout, relative to this array's first element.
  template <int N>
  Array<T, N, P> with_layout(const Layout<N>& layout) const {
    if constexpr (Rank == 0) require_storage(data_);  // others have no elements then
    return {buffer(), data_, layout, place_};
  }

  /// New storage with the same elements, row-major, at the same place; no storage if there is none. Throws OutOfMemory.
  Array<value_type, Rank, P> clone() const { return copied_to(place_); }

  /// The elements at `place`: this array if they are there already, otherwise a row-major copy. Throws DeviceError, OutOfMemory.
  template <AnyPlace Q>
  Array<T, Rank, Q> to(Q place) const {
    if (Place(place_) == Place(place)) return Array<T, Rank, Q>(buffer(), data_, layout_, place);
    return copied_to(place);
  }

  /// This name becomes something that an op keeps until it has run; see BufferShare.
  void hold() const { buffer_.hold(); }

  /// The same array for expressions, which read it and are of one type whether it is read only or not.
  Array<value_type, Rank, P> as_operand() const
    requires is_read_only
  {
    return {buffer(), const_cast<value_type*>(data_), layout_, place_};
  }

 private:
  const Buffer& buffer_to_name() const {
    if (has_storage()) return *buffer();
    throw SchedulerError(to_string(Failure{.operation = "var", .problem = "the array has no storage"}));
  }

  template <class U, int N, AnyPlace Q>
    requires Element<std::remove_const_t<U>> && (N >= 0)
  friend class Array;

  static Array<value_type, Rank, P> of_list(const NestedList<value_type, Rank>& values, P place) {
    std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents{};
    list_shape<value_type, Rank>(values, extents.data());
    Dim<Rank> shape;
    for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
    const Array<value_type, Rank, CpuPlace> array(shape);
    value_type* to = array.data();
    copy_list<value_type, Rank>(values, extents, 0, to);
    return Array<value_type, Rank, Place>(array).to(place);
  }
  static Array<value_type, 0, P> of_value(const value_type& value, P place) {
    const Array<value_type, 0, CpuPlace> array(Dim<0>{});
    *array.data() = value;
    return Array<value_type, 0, Place>(array).to(place);
  }

  Array(BufferShare buffer, T* data, const Layout<Rank>& layout, P place)
      : buffer_(std::move(buffer)),
        data_(data + layout.offset),
        layout_{.shape = layout.shape, .strides = layout.strides},
        place_(place) {}

  template <AnyPlace Q>
  Array<value_type, Rank, Q> copied_to(Q place) const {
    if (buffer() == nullptr) return {BufferShare(), nullptr, {}, place};
    wait_at(Place(place_).on_host() ? Place(place) : Place(place_),
            schedule::Purpose::read);  // a GPU's streams order copies
    Array<value_type, Rank, Q> copy(shape(), place);
    copy_strided(shape().extents(), {{copy.data(), copy.strides(), sizeof(T)}, place, copy.buffer()->uses()},
                 {{const_cast<value_type*>(data_), strides(), sizeof(T)}, place_, buffer()->uses()});
    return copy;
  }

  [[gnu::noinline]] Array& become(Array&& other) noexcept {
    Array taken(std::move(other));
    buffer_ = std::move(taken.buffer_);
    data_ = taken.data_;
    layout_ = taken.layout_;
    place_ = taken.place_;
    return *this;
  }

  BufferShare buffer_;
  T* data_ = nullptr;
  Layout<Rank> layout_;
  [[no_unique_address]] P place_{};
};

template <class T, int Rank, class P>
inline constexpr bool is_array<Array<T, Rank, P>> = true;

/// A window on memory of the user's, row-major, which must outlive it: its `=` always writes elements. Throws ShapeError if the shape is
/// too large.
export template <class T, int Rank, AnyPlace P = CpuPlace>
  requires Element<std::remove_const_t<T>>
ArrayView<T, Rank, P> borrow(T* data, const Dim<Rank>& shape, P place = {}) {
  static_cast<void>(bytes_of<T>(shape));
  return {data, shape, place};
}

/// A view of the array's elements; the array must outlive it. Of a const array it reads only.
export template <ArrayHandle A>
auto make_view(A&& array) {
  using T = std::remove_pointer_t<decltype(array.data())>;
  using Seen = std::conditional_t<std::is_const_v<std::remove_reference_t<A>>, const T, T>;
  if constexpr (std::remove_cvref_t<A>::rank == 0) require_storage(array.data());
  array.wait(schedule::Purpose::change);
  return ArrayView<Seen, std::remove_cvref_t<A>::rank, typename std::remove_cvref_t<A>::place_type>(
      array.data(), array.layout(), array.place());
}

}  // namespace tessera
