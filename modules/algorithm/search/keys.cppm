module;
#include <cstddef>
#include <cstdint>
#include <cstring>
export module tessera.algorithm:keys;
import tessera.standard;
import tessera.core;
import :rows;
import :sort_order;
import :host_elements;

// Elements as the unsigned numbers that are in their order (sort_order.cppm), made when they are looked at: algorithms that compare are
// compiled for four sizes, not for all types.
namespace tessera::sorting {

/// Elements are read and written as numbers of their size, whatever they are.
template <class Key>
[[gnu::always_inline]] inline Key load_bits(const Key* at) {
  Key bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}
template <class Key>
[[gnu::always_inline]] inline void store_bits(Key* at, Key bits) {
  std::memcpy(at, &bits, sizeof bits);
}

/// Elements by their merged keys: equal elements have equal keys, and so have all NaN, whose key is the largest.
template <class Key>
class MergedKeys {
 public:
  explicit MergedKeys(const rows::Vector& values, bool descending = false)
      : from_(static_cast<const Key*>(values.data)),
        order_(order_of<Key>(values.dtype, descending)),
        has_nan_(kind(values.dtype) == Kind::floating) {}

  [[gnu::always_inline]] Key operator[](std::ptrdiff_t i) const { return order_.merged(load_bits(from_ + i)); }
  /// The key equals none, not even itself: that of NaN.
  [[gnu::always_inline]] bool is_nan(Key key) const { return has_nan_ && key == static_cast<Key>(~Key{0}); }
  /// The bits of an element with this key.
  Key bits(Key key) const { return is_nan(key) ? order_.quiet_nan() : order_.bits(key); }

 private:
  const Key* from_;
  Order<Key> order_;
  bool has_nan_;
};

/// Calls body with a number of the element's size.
template <class Body>
decltype(auto) with_key(DType dtype, const Body& body) {
  switch (item_size(dtype)) {
    case 1: return body(std::uint8_t{});
    case 2: return body(std::uint16_t{});
    case 4: return body(std::uint32_t{});
    default: return body(std::uint64_t{});
  }
}

}  // namespace tessera::sorting
