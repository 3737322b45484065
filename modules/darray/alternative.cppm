module;
#include <cstddef>
#include <cstdint>
#include <new>
export module tessera.darray:alternative;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// What a dynamic array can hold: Array<T, D> and Array<const T, D> of every element type and rank, and a table of what can be done with
// each without knowing which it is.
namespace tessera::dynamic {

/// How an array lies in memory, whatever its type.
export struct Facts {
  const storage::BufferShare* share;
  void* data;
  const std::ptrdiff_t* extents;
  const std::ptrdiff_t* strides;
  Place place;
};

/// A layout of any rank, relative to the first element of a buffer or of an array; strides and offset in elements.
export struct DLayout {
  int rank = 0;
  std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> extents{};
  std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> strides{};
  std::ptrdiff_t offset = 0;

  inline std::span<const std::ptrdiff_t> shape() const { return {extents.data(), static_cast<std::size_t>(rank)}; }
  inline std::span<const std::ptrdiff_t> steps() const { return {strides.data(), static_cast<std::size_t>(rank)}; }
};

/// Which alternative an array is.
export struct Which {
  DType dtype = DType::float32;
  std::uint8_t rank = 0;
  bool is_read_only = false;

  friend bool operator==(const Which&, const Which&) = default;
};

/// Memory for any alternative.
export struct alignas(Array<std::complex<double>, max_rank>) Room {
  std::byte bytes[sizeof(Array<std::complex<double>, max_rank>)];
};

/// What can be done with one alternative.
export struct Alternative {
  void (*make)(Room& to, const storage::BufferShare& share, const void* data, const DLayout& layout, Place place);
  void (*copy)(Room& to, const Room& from) noexcept;
  void (*move)(Room& to, Room& from) noexcept;
  void (*drop)(Room& room) noexcept;
  Facts (*facts)(const Room& room);
};

/// The table's row of that alternative.
export const Alternative& alternative(const Which& which);

/// The array in the room, which must hold it.
export template <class A>
A& held(Room& room) {
  return *std::launder(reinterpret_cast<A*>(room.bytes));
}
export template <class A>
const A& held(const Room& room) {
  return *std::launder(reinterpret_cast<const A*>(room.bytes));
}

export using core::with_element;

}  // namespace tessera::dynamic
