module;
#include <cstddef>
export module tessera.array:owning_reference;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :buffer;
import :concepts;
import :elements;
import :handle;
import :index;
import :pointer;

// An element that may be kept.
namespace tessera {

/// One element, with a share of its storage: unlike what `a[{i, j}]` gives, it may outlive the array. Reading and writing wait for the ops
/// that are pending on it, and work on every place.
export template <Element T>
class OwningReference {
 public:
  using value_type = T;

  OwningReference(storage::BufferShare share, PlacedPointer<T> pointer) : share_(std::move(share)), pointer_(pointer) {}
  OwningReference(const OwningReference&) = default;
  OwningReference(OwningReference&&) noexcept = default;
  ~OwningReference() = default;

  T get() const {
    wait(schedule::Purpose::read);
    return pointer_.get();
  }
  operator T() const { return get(); }

  const OwningReference& operator=(T value) const {
    wait(schedule::Purpose::change);
    pointer_.put(value);
    return *this;
  }
  void operator=(const OwningReference&) = delete;  // an element or another name for one: write r = other.get()

 private:
  void wait(schedule::Purpose purpose) const { share_->wait(purpose, {pointer_.address(), {}, {}, sizeof(T)}); }

  storage::BufferShare share_;
  PlacedPointer<T> pointer_;
};

/// A reference to an element that keeps the array's storage. Throws IndexError outside the shape.
export template <Element T, int Rank, AnyPlace P>
OwningReference<T> make_reference(const Array<T, Rank, P>& array, const std::type_identity_t<Index<Rank>>& index) {
  if constexpr (Rank == 0) require_storage(array.data());
  std::ptrdiff_t offset = 0;
  for (int axis = 0; axis < Rank; ++axis)
    offset +=
        storage::resolve(index[axis], array.shape()[axis], axis) * array.strides()[static_cast<std::size_t>(axis)];
  return {array.buffer(), PlacedPointer<T>(array.data() + offset, array.place())};
}

}  // namespace tessera
