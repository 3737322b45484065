module;
#include <array>
#include <cstddef>
#include <new>
#include <utility>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;

// The table of alternatives.
namespace tessera::dynamic {

namespace {

constexpr std::size_t ranks = static_cast<std::size_t>(max_rank) + 1;

template <class T, int Rank>
struct Of {
  using A = Array<T, Rank>;
  static_assert(sizeof(A) <= sizeof(Room) && alignof(A) <= alignof(Room));

  static void make(Room& to, const storage::BufferShare& share, const void* data, const DLayout& from, Place place) {
    Layout<Rank> layout;
    for (int axis = 0; axis < Rank; ++axis) {
      layout.shape = layout.shape.with(axis, from.extents[static_cast<std::size_t>(axis)]);
      layout.strides[static_cast<std::size_t>(axis)] = from.strides[static_cast<std::size_t>(axis)];
    }
    if (share == nullptr) {
      ::new (to.bytes) A();
      return;
    }
    const auto bytes = static_cast<const std::byte*>(data) - static_cast<const std::byte*>(share->data());
    layout.offset = bytes / static_cast<std::ptrdiff_t>(sizeof(T));
    ::new (to.bytes) A(share, layout, place);
  }
  static void copy(Room& to, const Room& from) noexcept { ::new (to.bytes) A(held<A>(from)); }
  static void move(Room& to, Room& from) noexcept { ::new (to.bytes) A(std::move(held<A>(from))); }
  static void drop(Room& room) noexcept { held<A>(room).~A(); }
  static Facts facts(const Room& room) {
    const A& array = held<A>(room);
    return {&array.buffer(), const_cast<std::remove_const_t<T>*>(array.data()), array.shape().extents().data(),
            array.strides().data(), array.place()};
  }
};

template <class T, std::size_t... Rank>
constexpr std::array<Alternative, ranks> of_type(std::index_sequence<Rank...>) {
  return {Alternative{Of<T, static_cast<int>(Rank)>::make, Of<T, static_cast<int>(Rank)>::copy,
                      Of<T, static_cast<int>(Rank)>::move, Of<T, static_cast<int>(Rank)>::drop,
                      Of<T, static_cast<int>(Rank)>::facts}...};
}

template <std::size_t... D>
constexpr auto table_of(std::index_sequence<D...>) {
  constexpr auto rank_numbers = std::make_index_sequence<ranks>{};
  return std::array{of_type<element_t<static_cast<DType>(D)>>(rank_numbers)...,
                    of_type<const element_t<static_cast<DType>(D)>>(rank_numbers)...};
}

}  // namespace

const Alternative& alternative(const Which& which) {
  static constexpr auto table = table_of(std::make_index_sequence<static_cast<std::size_t>(dtype_count)>{});
  const std::size_t type =
      static_cast<std::size_t>(which.dtype) + (which.is_read_only ? static_cast<std::size_t>(dtype_count) : 0);
  return table[type][which.rank];
}

}  // namespace tessera::dynamic
