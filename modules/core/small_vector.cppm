module;
#include <cstddef>
#include <cstdint>
export module tessera.core:small_vector;
import tessera.standard;

// A vector for what is nearly always short, on ways where an allocation would cost more than the work.
namespace tessera {

namespace core {

/// A vector of plain values, of which `Room` lie within the object; memory is allocated only for more of them. It has what std::vector has, as
/// far as it is needed. Throws std::bad_alloc.
export template <class T, std::size_t Room>
  requires(std::is_trivially_copyable_v<T> && Room > 0)
class SmallVector {
 public:
  using value_type = T;

  constexpr SmallVector() noexcept {}
  constexpr SmallVector(std::size_t count, const T& value) { resize(count, value); }
  constexpr SmallVector(std::initializer_list<T> values) { append(values.begin(), values.size()); }
  constexpr SmallVector(const SmallVector& other) { append(other.data(), other.size_); }
  constexpr SmallVector(SmallVector&& other) noexcept { take(other); }
  constexpr SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    append(other.data(), other.size_);
    return *this;
  }
  constexpr SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    delete[] more_;
    take(other);
    return *this;
  }
  constexpr ~SmallVector() { delete[] more_; }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return more_ != nullptr ? more_ : within_; }
  constexpr const T* data() const { return more_ != nullptr ? more_ : within_; }
  constexpr T* begin() { return data(); }
  constexpr T* end() { return data() + size_; }
  constexpr const T* begin() const { return data(); }
  constexpr const T* end() const { return data() + size_; }
  constexpr T& operator[](std::size_t at) { return data()[at]; }
  constexpr const T& operator[](std::size_t at) const { return data()[at]; }
  constexpr T& front() { return *data(); }
  constexpr const T& front() const { return *data(); }
  constexpr T& back() { return data()[size_ - 1]; }
  constexpr const T& back() const { return data()[size_ - 1]; }

  constexpr void reserve(std::size_t room) {
    if (room <= room_) return;
    T* const larger = new T[std::max(room, 2 * room_)];
    std::copy_n(data(), size_, larger);
    delete[] more_;
    more_ = larger;
    room_ = std::max(room, 2 * room_);
  }
  constexpr void push_back(const T& value) {
    const T copied = value;  // which may lie in here
    reserve(size_ + 1);
    data()[size_++] = copied;
  }
  constexpr void resize(std::size_t count, const T& value = T()) {
    reserve(count);
    for (T* each = data() + size_; each < data() + count; ++each) *each = value;
    size_ = count;
  }
  /// Values that are not in here.
  constexpr void append(const T* values, std::size_t count) {
    reserve(size_ + count);
    std::copy_n(values, count, data() + size_);
    size_ += count;
  }
  constexpr void clear() { size_ = 0; }

  friend constexpr bool operator==(const SmallVector& a, const SmallVector& b) { return std::ranges::equal(a, b); }

 private:
  constexpr void take(SmallVector& other) noexcept {
    more_ = std::exchange(other.more_, nullptr);
    room_ = std::exchange(other.room_, Room);
    size_ = std::exchange(other.size_, 0);
    if (more_ == nullptr) std::copy_n(other.within_, size_, within_);
  }

  std::size_t size_ = 0;
  std::size_t room_ = Room;
  T* more_ = nullptr;
  T within_[Room];  // not initialised: most of it is not used
};

}  // namespace core

}  // namespace tessera
