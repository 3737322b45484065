module;
#include <cstddef>
export module tessera.array:elements;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :concepts;
import :index;
import :iterator;
import :layout;
import :members;
import :picking;
import :pointer;
import :reference;
import :slicing;

// What arrays and views share: element access, slicing, transposition, iteration. Compound assignment is in compound.cppm.

// clang 19 takes the const of a deduced class type, which makes a const array's slices const, for that of a number.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wignored-qualifiers"

namespace tessera {

namespace storage {

/// Throws PlaceError if the host cannot read memory of `place`.
export inline void require_host(Place place, const char* operation) {
  if (place.on_host()) return;
  throw PlaceError(
      to_string(Failure{.operation = operation,
                        .problem = "the elements are on " + to_string(place) + ", which the host cannot read",
                        .advice = "copy them with to(CpuPlace{})"}));
}

}  // namespace storage
using storage::require_host;

/// A place whose elements the host may be able to walk over.
template <class P>
concept IterablePlace = !std::same_as<P, GpuPlace> ||
                        unsatisfied<"the host cannot iterate over elements on a GPU: copy them with to(CpuPlace{})">;

/// An array of rank 0 has one element, unless it has no storage at all.
inline void require_storage(const void* data) {
  if (data != nullptr) return;
  throw IndexError(to_string(Failure{.operation = "element access",
                                     .problem = "the array of rank 0 has no storage",
                                     .advice = "give it some: zeros<T>(Dim<0>{}), or assign an expression of rank 0"}));
}

/// What an index stands for: V& where the place is known to be the host's; on other places a Reference to an element that can be written, the
/// value of one that cannot.
template <class P, class V>
[[gnu::always_inline]] inline decltype(auto) element_at(V* element, [[maybe_unused]] P place) {
  if constexpr (HostPlace<P>) {
    return static_cast<V&>(*element);
  } else if constexpr (std::is_const_v<V>) {
    return PlacedPointer<std::remove_const_t<V>>(const_cast<std::remove_const_t<V>*>(element), place).get();
  } else {
    return Reference<V>(PlacedPointer<V>(element, place));
  }
}

template <std::size_t>
using PositionOf = Position;

/// `a(i, j)`: as many integers as axes.
template <class Derived, class Axes>
class ElementCalls;
template <class Derived, std::size_t... Axis>
class ElementCalls<Derived, std::index_sequence<Axis...>> {
 public:
  /// One element, as `a[{i, j}]`. Negative positions count from the end. Throws IndexError outside the shape.
  // clang-format off
  [[gnu::always_inline]] decltype(auto) operator()(PositionOf<Axis>... at) const {  // elements of a const array only read
    // clang-format on
    return static_cast<const Derived&>(*this)[index_of<static_cast<int>(sizeof...(Axis))>({at...})];
  }
  [[gnu::always_inline]] decltype(auto) operator()(PositionOf<Axis>... at) {
    return static_cast<Derived&>(*this)[index_of<static_cast<int>(sizeof...(Axis))>({at...})];
  }
};

/// Integers for all axes are an element, not a slice.
export template <int Rank, class... I>
concept SliceIndexers = (Indexer<I> && ...) && !((Positional<I> && ...) && sizeof...(I) == Rank) &&
                        (consumed_axes<I...> <= Rank || unsatisfied<"more indices than axes">) &&
                        (ellipses<I...> <= 1 || unsatisfied<"an index may hold one ellipsis">);

// The usual mistakes between the parentheses of `a(...)`.
namespace storage {

/// `a(...)` with more indices than axes.
export template <int Rank, class... I>
concept TooManyIndexers = (Indexer<I> && ...) && (consumed_axes<I...> > Rank);
/// `a(...)` with two ellipses.
export template <int Rank, class... I>
concept TwoEllipses = (Indexer<I> && ...) && (consumed_axes<I...> <= Rank) && (ellipses<I...> > 1);
/// `a(...)` with a fraction between the parentheses.
export template <class... I>
concept NoIndexer = (std::floating_point<I> || ...) && !(Operand<I> || ...);
/// `a(...)` with an array or an expression between the parentheses that is no vector of integers, or one too many.
export template <int Rank, class... I>
concept OperandAsIndexer = ((Operand<I> && !Positional<I>) || ...) && !PickingIndexers<Rank, I...>;

}  // namespace storage
using storage::NoIndexer;
using storage::OperandAsIndexer;
using storage::PickingIndexers;
using storage::TooManyIndexers;
using storage::TwoEllipses;

/// Whether elements can be written through a const array or view of a type: a view is a window, whose constness is its own; a const array is
/// read only, and so are its slices.
enum class Constness { of_elements, of_itself };

/// Base of Array and ArrayView (`Derived`), which offer data(), layout(), place(), with_layout(Layout<N>), and wait(Purpose), which
/// waits for ops that are pending on the elements. `Value` is const for elements that can only be read.
template <class Derived, class Value, int Rank, class P, Constness Const>
class ElementOperations : public ElementCalls<Derived, std::make_index_sequence<static_cast<std::size_t>(Rank)>>,
                          public OperandMembers<Derived, std::remove_const_t<Value>, Rank> {
  static constexpr bool deep = Const == Constness::of_elements;
  using ConstValue = std::conditional_t<deep, const Value, Value>;

 public:
  /// Number of elements; 0 without storage.
  std::ptrdiff_t size() const {
    if constexpr (Rank == 0) return self().data() == nullptr ? 0 : 1;
    return product(self().shape());
  }
  bool is_contiguous() const { return tessera::is_contiguous(self().shape(), self().strides()); }

  /// Address of the first element.
  PlacedPointer<std::remove_const_t<Value>> pointer() const {
    return {const_cast<std::remove_const_t<Value>*>(self().data()), self().place()};
  }

  /// One element: a reference where the place is known to be the host's, a Reference otherwise, which reads and writes on every
  /// place; of a const array, a const reference or the value. Negative indices count from the end. Throws IndexError outside the shape.
  // clang-format off
  decltype(auto) operator[](const Index<Rank>& index) const {  // one integer for each axis: a[{i, j}] for rank 2; elements of a const array only read
    // clang-format on
    return element_at<P>(static_cast<ConstValue*>(address<ConstValue>(index)), self().place());
  }
  decltype(auto) operator[](const Index<Rank>& index)
    requires deep
  {
    return element_at<P>(address<Value>(index), self().place());
  }

  template <std::floating_point I>
  void operator[](I) const = delete;  // indices are integers
  template <std::integral I>
    requires(Rank > 1)
  void operator[](I) const = delete;  // an element of several axes is a(i, j) or a[{i, j}], a row is a(i, ellipsis)

  using ElementCalls<Derived, std::make_index_sequence<static_cast<std::size_t>(Rank)>>::operator();

  /// A view that shares the storage: integers drop an axis, range(start, stop, step) and all keep it, newaxis adds
  /// one, ellipsis stands for the axes not named. Throws IndexError for an index outside its axis and for step 0.
  template <class... I>
    requires deep && (sizeof...(I) > 0) && SliceIndexers<Rank, I...>
  const auto operator()(const I&... indexers) const {
    return self().with_layout(sliced(self().layout(), indexers...));
  }
  template <class... I>
    requires deep && (sizeof...(I) > 0) && SliceIndexers<Rank, I...>
  auto operator()(const I&... indexers) {
    return self().with_layout(sliced(self().layout(), indexers...));
  }
  template <class... I>
    requires(!deep) && (sizeof...(I) > 0) && SliceIndexers<Rank, I...>
  auto operator()(const I&... indexers) const {
    return self().with_layout(sliced(self().layout(), indexers...));
  }

  /// The elements that arrays of integers and masks pick, as an operand of expressions that copies nothing: it reads them where they are
  /// needed. Negative indices count from the end; a mask picks where it is true, along as many axes as it has. Several are broadcast together. As
  /// in NumPy their axes stand where they stand, or first where something stands between what picks: arrays, masks and integers. Of elements that can be
  /// written it is a target too: x(indices) = e, x(mask) += 1. Evaluation throws IndexError for an index out of range, before it writes.
  template <class... I>
    requires PickingIndexers<Rank, I...>
  auto operator()(const I&... indexers) const {
    if constexpr (std::is_const_v<ConstValue>) {
      return picked(self(), indexers...);
    } else {
      return picked_to_write(self(), indexers...);
    }
  }
  template <class... I>
    requires deep && (!std::is_const_v<Value>) && PickingIndexers<Rank, I...>
  auto operator()(const I&... indexers) {
    return picked_to_write(self(), indexers...);
  }

  template <class... I>
    requires TooManyIndexers<Rank, I...>
  void operator()(const I&...) const = delete;  // more indices than axes
  template <class... I>
    requires TwoEllipses<Rank, I...>
  void operator()(const I&...) const = delete;  // an index may hold one ellipsis
  template <class... I>
    requires NoIndexer<I...>
  void operator()(const I&...) const = delete;  // indices are integers, range(...), all, newaxis and ellipsis
  template <class... I>
    requires OperandAsIndexer<Rank, I...>
  void operator()(const I&...) const = delete;  // arrays of integers and masks pick, along no more axes than there are

  /// The axes in reverse order, sharing the storage; for two axes, the transposed matrix.
  const auto T() const
    requires deep
  {
    return self().with_layout(reversed_axes(self().layout()));
  }
  auto T()
    requires deep
  {
    return self().with_layout(reversed_axes(self().layout()));
  }
  auto T() const
    requires(!deep)
  {
    return self().with_layout(reversed_axes(self().layout()));
  }

  /// Elements in row-major order. Throws PlaceError if they are not on the host.
  ViewIterator<ConstValue, Rank> begin() const
    requires IterablePlace<P>
  {
    return first<ConstValue>();
  }
  ViewIterator<Value, Rank> begin()
    requires deep && IterablePlace<P>
  {
    return first<Value>();
  }
  void begin() const  // the host cannot iterate over elements on a GPU: copy them with to(CpuPlace{})
    requires(!IterablePlace<P>)
  = delete;
  ViewIterator<ConstValue, Rank> end() const
    requires IterablePlace<P>
  {
    require_host(self().place(), "end");
    return {self().data(), self().shape(), self().strides(), size()};
  }
  ViewIterator<Value, Rank> end()
    requires deep && IterablePlace<P>
  {
    require_host(self().place(), "end");
    return {self().data(), self().shape(), self().strides(), size()};
  }

 protected:
  ElementOperations() = default;

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  template <class V>
  static constexpr schedule::Purpose purpose_of =
      std::is_const_v<V> ? schedule::Purpose::read : schedule::Purpose::change;

  /// Of an element that is accessed as V.
  template <class V>
  [[gnu::always_inline]] Value* address(const Index<Rank>& index) const {
    if constexpr (Rank == 0) require_storage(self().data());
    self().wait(purpose_of<V>);
    return self().data() + offset_of(index, self().shape(), self().strides());
  }

  template <class V>
  ViewIterator<V, Rank> first() const {
    require_host(self().place(), "begin");
    self().wait(purpose_of<V>);
    return {self().data(), self().shape(), self().strides(), 0};
  }
};

}  // namespace tessera

#pragma clang diagnostic pop
