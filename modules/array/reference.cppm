export module tessera.array:reference;
import tessera.standard;
import tessera.core;
import tessera.device;
import :pointer;

// What indexing returns when the element may be on any place.
namespace tessera {

/// Stands for one element: reads on conversion to T, writes on assignment, wherever the element lives.
export template <Element T>
class Reference {
 public:
  explicit Reference(PlacedPointer<T> pointer) : pointer_(pointer) {}
  Reference(const Reference&) = default;

  operator T() const { return pointer_.get(); }

  /// 16-bit elements read as float too, the type in which they are computed with.
  operator float() const
    requires(!std::same_as<compute_t<T>, T>)
  {
    return static_cast<float>(pointer_.get());
  }

  const Reference& operator=(T value) const {
    pointer_.put(value);
    return *this;
  }
  const Reference& operator=(const Reference& other) const { return *this = other.pointer_.get(); }
  Reference& operator=(const Reference& other) {
    pointer_.put(other.pointer_.get());
    return *this;
  }
  const Reference& operator+=(T value) const { return *this = static_cast<T>(pointer_.get() + value); }
  const Reference& operator-=(T value) const { return *this = static_cast<T>(pointer_.get() - value); }
  const Reference& operator*=(T value) const { return *this = static_cast<T>(pointer_.get() * value); }
  const Reference& operator/=(T value) const { return *this = static_cast<T>(pointer_.get() / value); }

  // Comparisons of std::complex are templates that would not see through the conversion.
  friend bool operator==(const Reference& element, const T& value)
    requires Complex<T>
  {
    return element.pointer_.get() == value;
  }
  friend bool operator==(const Reference& a, const Reference& b)
    requires Complex<T>
  {
    return a.pointer_.get() == b.pointer_.get();
  }

  friend std::ostream& operator<<(std::ostream& out, const Reference& element) { return out << element.pointer_.get(); }

 private:
  PlacedPointer<T> pointer_;
};

}  // namespace tessera
