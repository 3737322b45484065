module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:sort_order;
import tessera.standard;
import tessera.core;

// The order of elements as that of unsigned numbers: a key is made from an element's bits alone, without a branch, and by the same few
// operations for all types of a size.
namespace tessera::sorting {

/// How the bits of elements of a type become keys of as many bits. Numbers come in their order, then NaN of any sign.
template <class Key>
class Order {
 public:
  Order(Kind kind, int mantissa_bits, bool descending) : descending_(descending) {
    if (kind == Kind::signed_integer || kind == Kind::floating) sign_ = sign_bit;
    if (kind != Kind::floating) return;
    negative_ = static_cast<Key>(~sign_bit);
    shift_ = static_cast<Key>((Key{1} << static_cast<unsigned>(mantissa_bits) % (8 * sizeof(Key))) -
                              1);  // NaN with a sign bit would come first
    const Key infinity = static_cast<Key>(static_cast<Key>(~sign_bit) & static_cast<Key>(~shift_));
    last_ = ascending(infinity);
    zero_ = ascending(0);
    negative_zero_ = ascending(sign_bit);
  }

  /// Each element has a key of its own: -0 comes before 0.
  [[gnu::always_inline]] Key exact(Key bits) const { return directed(ascending(bits)); }
  /// Equal elements have equal keys, and so have all NaN.
  [[gnu::always_inline]] Key merged(Key bits) const {
    Key key = ascending(bits);
    key = key == negative_zero_ ? zero_ : key;
    key = key > last_ ? static_cast<Key>(~Key{0}) : key;
    return directed(key);
  }
  /// The bits of the element with this exact key.
  [[gnu::always_inline]] Key bits(Key key) const {
    const Key shifted = static_cast<Key>(directed(key) + shift_);
    const bool is_negative = (shifted & sign_bit) == 0;
    return static_cast<Key>(shifted ^ sign_ ^ (is_negative ? negative_ : Key{0}));
  }
  /// Exact keys of an ascending order above this are those of NaN.
  Key last() const { return last_; }
  /// The bits of the NaN that arithmetic gives, of a floating type.
  Key quiet_nan() const { return static_cast<Key>(static_cast<Key>(~sign_bit) & static_cast<Key>(~(shift_ >> 1))); }

 private:
  static constexpr Key sign_bit = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));

  [[gnu::always_inline]] Key ascending(Key bits) const {
    const Key negative = (bits & sign_bit) != 0 ? negative_ : Key{0};
    return static_cast<Key>(static_cast<Key>(bits ^ sign_ ^ negative) - shift_);
  }
  [[gnu::always_inline]] Key directed(Key key) const {
    return descending_ && key <= last_ ? static_cast<Key>(last_ - key) : key;
  }

  bool descending_;
  Key sign_ = 0;      // what is flipped in all elements
  Key negative_ = 0;  // what is flipped besides in negative ones
  Key shift_ = 0;
  Key last_ = static_cast<Key>(~Key{0});  // ascending keys above are NaN
  Key zero_ = 0, negative_zero_ = 0;
};

/// The order of elements of a type with an order, whose size is that of Key.
template <class Key>
Order<Key> order_of(DType dtype, bool descending) {
  const int mantissa_bits = dtype == DType::float16    ? 10
                            : dtype == DType::bfloat16 ? 7
                            : dtype == DType::float32  ? 23
                                                       : 52;
  return {kind(dtype), mantissa_bits, descending};
}

}  // namespace tessera::sorting
