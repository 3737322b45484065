module;
#include <cstddef>
export module tessera.array:pointer;
import tessera.core;
import tessera.device;

// A pointer that knows where it points.
namespace tessera {

/// Address of one element at a place. `get` and `put` work on every place; on a device they wait for the copy.
export template <Element T>
class PlacedPointer {
 public:
  PlacedPointer(T* pointer, Place place) : pointer_(pointer), place_(place) {}

  T get() const {
    if (place_.on_host()) return *pointer_;
    T value;
    device::copy_bytes(&value, CpuPlace{}, pointer_, place_, sizeof(T));
    return value;
  }

  void put(T value) const {
    if (place_.on_host()) {
      *pointer_ = value;
    } else {
      device::copy_bytes(pointer_, place_, &value, CpuPlace{}, sizeof(T));
    }
  }

  T* address() const { return pointer_; }
  Place place() const { return place_; }
  PlacedPointer operator+(std::ptrdiff_t elements) const { return {pointer_ + elements, place_}; }
  friend bool operator==(const PlacedPointer&, const PlacedPointer&) = default;

 private:
  T* pointer_;
  Place place_;
};

}  // namespace tessera
