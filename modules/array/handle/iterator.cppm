module;
#include <cstddef>
export module tessera.array:iterator;
import tessera.standard;
import tessera.core;
import :layout;

// Random access to the elements of host memory in row-major order.
namespace tessera {

/// Position in the row-major order of a layout; a std::random_access_iterator over T&.
export template <class T, int Rank>
class ViewIterator {
 public:
  using value_type = std::remove_const_t<T>;
  using reference = T&;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  ViewIterator() = default;
  ViewIterator(T* data, const Dim<Rank>& shape, const Strides<Rank>& strides, std::ptrdiff_t position)
      : data_(data),
        shape_(shape),
        strides_(strides),
        position_(position),
        contiguous_(is_contiguous(shape, strides)) {}

  T& operator*() const { return at(position_); }
  T* operator->() const { return &at(position_); }
  T& operator[](std::ptrdiff_t n) const { return at(position_ + n); }

  ViewIterator& operator+=(std::ptrdiff_t n) {
    position_ += n;
    return *this;
  }
  ViewIterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
  ViewIterator& operator++() { return *this += 1; }
  ViewIterator& operator--() { return *this += -1; }
  ViewIterator operator++(int) {
    ViewIterator before = *this;
    ++*this;
    return before;
  }
  ViewIterator operator--(int) {
    ViewIterator before = *this;
    --*this;
    return before;
  }

  friend ViewIterator operator+(ViewIterator it, std::ptrdiff_t n) { return it += n; }
  friend ViewIterator operator+(std::ptrdiff_t n, ViewIterator it) { return it += n; }
  friend ViewIterator operator-(ViewIterator it, std::ptrdiff_t n) { return it -= n; }
  friend std::ptrdiff_t operator-(const ViewIterator& a, const ViewIterator& b) { return a.position_ - b.position_; }
  friend bool operator==(const ViewIterator& a, const ViewIterator& b) { return a.position_ == b.position_; }
  friend std::strong_ordering operator<=>(const ViewIterator& a, const ViewIterator& b) {
    return a.position_ <=> b.position_;
  }

 private:
  T& at(std::ptrdiff_t position) const {
    if (contiguous_) return data_[position];
    std::ptrdiff_t offset = 0;
    for (int axis = Rank; axis-- > 0;) {
      offset += position % shape_[axis] * strides_[static_cast<std::size_t>(axis)];
      position /= shape_[axis];
    }
    return data_[offset];
  }

  T* data_ = nullptr;
  Dim<Rank> shape_;
  Strides<Rank> strides_{};
  std::ptrdiff_t position_ = 0;
  bool contiguous_ = true;
};

}  // namespace tessera
