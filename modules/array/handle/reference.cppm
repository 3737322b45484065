export module tessera.array:reference;
import tessera.standard;
import tessera.core;
import tessera.device;
import :pointer;

// What indexing returns when the element may be on any place.
namespace tessera {

// Friends that are found beside a Reference only: a template here, instead of in the class, is one template.
struct ReferenceFriends {
  // clang-format off
  template <class... A>
  friend int printf(const char*, const A&...) = delete;  // an element on any place is no float or int for C: write float(a[i])
  // clang-format on
};

/// Stands for one element: reads on conversion to T, writes on assignment, wherever the element lives. It is made to be used at once:
/// `auto t = a[0]` would be the element and not its value, so what has been named that way refuses to be read or written.
export template <Element T>
class Reference : ReferenceFriends {
 public:
  using value_type = T;

  explicit Reference(PlacedPointer<T> pointer) : pointer_(pointer) {}
  Reference(const Reference& other) : pointer_(other.pointer_) {}  // not trivial, so that std::printf refuses it

  operator T() const& { return pointer_.get(); }
  operator T() && { return pointer_.get(); }
  operator T() & = delete;  // this is the element itself, not its value: write float t = a[0] instead of auto t = a[0]

  /// 16-bit elements read as float too, the type in which they are computed with.
  operator float() const&
    requires(!std::same_as<compute_t<T>, T>)
  {
    return static_cast<float>(pointer_.get());
  }

  /// The value, for those who cannot convert.
  T get() const { return pointer_.get(); }

  // clang-format off
  Reference& operator=(Reference&) && = delete;  // the right side is an element itself, not its value: write float t = a[0], not auto t = a[0]
  // clang-format on
  const Reference& operator=(T value) const&& {
    pointer_.put(value);
    return *this;
  }
  const Reference& operator=(const Reference& other) const&& {
    pointer_.put(other.get());
    return *this;
  }
  const Reference& operator=(const Reference& other) && {
    pointer_.put(other.get());
    return *this;
  }
  // clang-format off
  Reference& operator=(const Reference&) & = delete;  // it would write the element: write float t = a[0], not auto t = a[0]
  Reference& operator=(T) & = delete;  // it would write the element: write float t = a[0], not auto t = a[0]

  // The element meets the value as in C++, and only the result is converted: k(0) *= 1.5 makes 3 of 2.
#define TESSERA_COMPOUND(sign)                                                     \
  const Reference& operator sign##=(T value) const { return put(pointer_.get() sign value); } \
  template <class V>                                                               \
    requires std::is_arithmetic_v<T> && std::is_arithmetic_v<V> && (!std::same_as<T, V>) \
  const Reference& operator sign##=(V value) const {                               \
    return put(pointer_.get() sign value);                                         \
  }
  // clang-format on
  TESSERA_COMPOUND(+)
  TESSERA_COMPOUND(-)
  TESSERA_COMPOUND(*)
  TESSERA_COMPOUND(/)
#undef TESSERA_COMPOUND
  const Reference& operator%=(T value) const
    requires Integer<T>
  {
    return put(pointer_.get() % value);
  }
  const Reference& operator&=(T value) const
    requires(Integer<T> || std::same_as<T, bool>)
  {
    return put(pointer_.get() & value);
  }
  const Reference& operator|=(T value) const
    requires(Integer<T> || std::same_as<T, bool>)
  {
    return put(pointer_.get() | value);
  }
  const Reference& operator^=(T value) const
    requires(Integer<T> || std::same_as<T, bool>)
  {
    return put(pointer_.get() ^ value);
  }
  const Reference& operator<<=(int count) const
    requires Integer<T>
  {
    return put(pointer_.get() << count);
  }
  const Reference& operator>>=(int count) const
    requires Integer<T>
  {
    return put(pointer_.get() >> count);
  }
  const Reference& operator++() const
    requires Real<T>
  {
    return put(pointer_.get() + T(1));
  }
  const Reference& operator--() const
    requires Real<T>
  {
    return put(pointer_.get() - T(1));
  }
  T operator++(int) const
    requires Real<T>
  {
    const T before = pointer_.get();
    put(before + T(1));
    return before;
  }
  T operator--(int) const
    requires Real<T>
  {
    const T before = pointer_.get();
    put(before - T(1));
    return before;
  }

  /// The values change places.
  friend void swap(const Reference& a, const Reference& b) {
    const T kept = a.get();
    a.put(b.get());
    b.put(kept);
  }

  // What std::complex offers is made of templates and members, which see through no conversion.
  auto real() const
    requires Complex<T>
  {
    return pointer_.get().real();
  }
  auto imag() const
    requires Complex<T>
  {
    return pointer_.get().imag();
  }
  friend bool operator==(const Reference& element, const T& value)
    requires Complex<T>
  {
    return element.get() == value;
  }
  friend bool operator==(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.get() == b.get();
  }
  friend auto abs(const Reference& element) {
    const T value = element.get();
    if constexpr (Complex<T>) {
      return std::abs(value);
    } else {
      return static_cast<T>(value < T(0) ? -value : value);
    }
  }
  friend T operator+(const Reference& a, const T& b)
    requires Complex<T>
  {
    return a.get() + b;
  }
  friend T operator-(const Reference& a, const T& b)
    requires Complex<T>
  {
    return a.get() - b;
  }
  friend T operator*(const Reference& a, const T& b)
    requires Complex<T>
  {
    return a.get() * b;
  }
  friend T operator/(const Reference& a, const T& b)
    requires Complex<T>
  {
    return a.get() / b;
  }
  friend T operator+(const T& a, const Reference& b)
    requires Complex<T>
  {
    return a + b.get();
  }
  friend T operator-(const T& a, const Reference& b)
    requires Complex<T>
  {
    return a - b.get();
  }
  friend T operator*(const T& a, const Reference& b)
    requires Complex<T>
  {
    return a * b.get();
  }
  friend T operator/(const T& a, const Reference& b)
    requires Complex<T>
  {
    return a / b.get();
  }
  friend T operator+(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.get() + b.get();
  }
  friend T operator-(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.get() - b.get();
  }
  friend T operator*(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.get() * b.get();
  }
  friend T operator/(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.get() / b.get();
  }

  friend std::ostream& operator<<(std::ostream& out, const Reference& element) { return out << element.pointer_.get(); }

 private:
  template <class V>
  const Reference& put(V value) const {
    pointer_.put(static_cast<T>(value));
    return *this;
  }

  PlacedPointer<T> pointer_;
};

}  // namespace tessera

// std::max(a[0], 2.f): the functions deduce one type from both arguments and see through no conversion.
namespace std {
export template <class T>
T max(const tessera::Reference<T>& a, const type_identity_t<T>& b) {
  return (max)(a.get(), b);
}
export template <class T>
T max(const type_identity_t<T>& a, const tessera::Reference<T>& b) {
  return (max)(a, b.get());
}
export template <class T>
T max(const tessera::Reference<T>& a, const tessera::Reference<T>& b) {
  return (max)(a.get(), b.get());
}
export template <class T>
T min(const tessera::Reference<T>& a, const type_identity_t<T>& b) {
  return (min)(a.get(), b);
}
export template <class T>
T min(const type_identity_t<T>& a, const tessera::Reference<T>& b) {
  return (min)(a, b.get());
}
export template <class T>
T min(const tessera::Reference<T>& a, const tessera::Reference<T>& b) {
  return (min)(a.get(), b.get());
}
}  // namespace std
