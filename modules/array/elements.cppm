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
import :pointer;
import :reference;
import :slicing;

// What arrays and views share: element access, slicing, transposition, compound assignment, iteration.
namespace tessera {

/// Throws PlaceError if the host cannot read memory of `place`.
export inline void require_host(Place place, const char* operation) {
  if (place.on_host()) return;
  throw PlaceError(
      to_string(Failure{.operation = operation,
                        .problem = "the elements are on " + to_string(place) + ", which the host cannot read",
                        .advice = "copy them with to(CpuPlace{})"}));
}

/// Throws PlaceError unless both are places of the host, or one GPU.
export inline void require_same_place(Place a, Place b, const char* operation) {
  if (a == b || (a.on_host() && b.on_host())) return;
  throw PlaceError(to_string(Failure{.operation = operation,
                                     .problem = "an operand is on " + to_string(a) + ", another on " + to_string(b),
                                     .advice = "move one with to(place)"}));
}

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

/// Base of Array and ArrayView (`Derived`), which offer data(), layout(), place(), with_layout(Layout<N>), and settle(Purpose), which
/// waits for ops that are pending on the elements.
export template <class Derived, class Value, int Rank, class P>
class ElementOperations {
 public:
  /// Number of elements; 0 without storage.
  std::ptrdiff_t size() const {
    if constexpr (Rank == 0) return self().data() == nullptr ? 0 : 1;
    return product(self().shape());
  }
  bool is_contiguous() const { return tessera::is_contiguous(self().shape(), self().strides()); }

  /// Address of the first element.
  PlacedPointer<Value> pointer() const { return {self().data(), self().place()}; }

  /// One element: T& where the place is known to be the host's, Reference<T> otherwise, which reads and writes on every
  /// place. Negative indices count from the end. Throws IndexError outside the shape.
  decltype(auto) operator[](const Index<Rank>& index) const {
    if constexpr (Rank == 0) require_storage(self().data());
    self().settle(Purpose::change);
    Value* element = self().data() + offset_of(index, self().shape(), self().strides());
    if constexpr (HostPlace<P>) {
      return static_cast<Value&>(*element);
    } else {
      return Reference<Value>(PlacedPointer<Value>(element, self().place()));
    }
  }

  /// A view that shares the storage: integers drop an axis, range(start, stop, step) and all keep it, newaxis adds
  /// one, ellipsis stands for the axes not named. Throws IndexError for an index outside its axis and for step 0.
  template <class... I>
    requires(sizeof...(I) > 0) && (Indexer<I> && ...) &&
            (consumed_axes<I...> <= Rank || unsatisfied<"more indices than axes">) &&
            (ellipses<I...> <= 1 || unsatisfied<"an index may hold one ellipsis">)
  auto operator()(const I&... indexers) const {
    return self().with_layout(sliced(self().layout(), indexers...));
  }

  /// The axes in reverse order, sharing the storage; for two axes, the transposed matrix.
  auto T() const {
    std::array<int, static_cast<std::size_t>(Rank)> axes{};
    for (int axis = 0; axis < Rank; ++axis) axes[static_cast<std::size_t>(axis)] = Rank - 1 - axis;
    return self().with_layout(transposed(self().layout(), axes));
  }

  /// `a += source` and its like evaluate `a + source` into the elements, broadcast to this shape. Throw as assignment does.
  template <class S>
    requires AssignableSource<S, Value, Rank, P>
  const Derived& operator+=(const S& source) const {
    assign(self(), self() + source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, Value, Rank, P>
  const Derived& operator-=(const S& source) const {
    assign(self(), self() - source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, Value, Rank, P>
  const Derived& operator*=(const S& source) const {
    assign(self(), self() * source);
    return self();
  }
  template <class S>
    requires AssignableSource<S, Value, Rank, P>
  const Derived& operator/=(const S& source) const {
    assign(self(), self() / source);
    return self();
  }

  /// Elements in row-major order. Throws PlaceError if they are not on the host.
  ViewIterator<Value, Rank> begin() const
    requires IterablePlace<P>
  {
    require_host(self().place(), "begin");
    self().settle(Purpose::change);
    return {self().data(), self().shape(), self().strides(), 0};
  }
  ViewIterator<Value, Rank> end() const
    requires IterablePlace<P>
  {
    require_host(self().place(), "end");
    return {self().data(), self().shape(), self().strides(), size()};
  }

 private:
  friend Derived;
  ElementOperations() = default;  // of a Derived only

  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace tessera
