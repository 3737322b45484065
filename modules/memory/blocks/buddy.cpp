module;
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;
import :chunks;

// The buddy system (Knowlton 1965): free blocks are powers of two at multiples of their size; a freed one merges with its buddy,
// the block whose position differs in the bit of the size. A live block is exactly as long as asked for: what lies behind it is
// free as smaller powers of two, and when it is freed it falls apart into such powers, which merge again.
namespace tessera::memory {

namespace {

constexpr int order_count = 32;

int order_of(std::uint32_t size) { return std::countr_zero(size); }

class Buddy final : public Chunks {
 public:
  Buddy(std::unique_ptr<Upstream> upstream, Layout layout, std::shared_ptr<AddressMap> map)
      : Chunks(std::move(upstream), layout, std::move(map), 2 * order_count, true) {}

  std::string_view name() const noexcept override { return "buddy"; }

 protected:
  BlockIndex take(std::uint32_t size, std::uint32_t alignment) noexcept override {
    const std::uint32_t whole = std::bit_ceil(std::max(size, alignment));
    const std::uint32_t fitting = orders_ & -whole;
    if (fitting == 0) return 0;
    const int found = std::countr_zero(fitting);
    const BlockIndex index = heads_[static_cast<std::size_t>(found)];
    unlist(index);
    while (block(index).size > whole) list(split(index, block(index).size / 2));
    if (size < whole) cut_to_powers(split(index, size));
    return index;
  }

  void give(BlockIndex index) noexcept override {
    while (true) {  // the largest power that begins here, then the rest
      const std::uint32_t start = block(index).start, size = block(index).size;
      const std::uint32_t aligned = start == 0 ? size : std::min(size, start & -start);
      const std::uint32_t power = std::bit_floor(aligned);
      const BlockIndex rest = power < size ? split(index, power) : 0;
      merge(index);
      if (rest == 0) return;
      index = rest;
    }
  }

  void unlist(BlockIndex index) noexcept override {
    const Block& gone = block(index);
    const auto order = static_cast<std::size_t>(order_of(gone.size));
    if (gone.rest.links.next != 0) block(gone.rest.links.next).rest.links.previous = gone.rest.links.previous;
    if (gone.rest.links.previous != 0) {
      block(gone.rest.links.previous).rest.links.next = gone.rest.links.next;
    } else {
      heads_[order] = gone.rest.links.next;
      if (gone.rest.links.next == 0) orders_ &= ~(1u << order);
    }
  }

  std::uint64_t chunk_for(std::uint32_t size, std::uint32_t alignment) const noexcept override {
    return std::bit_ceil(std::max(std::uint64_t{size}, std::uint64_t{alignment}));
  }
  std::uint32_t largest_free_granules() const noexcept override {
    return orders_ == 0 ? 0 : 1u << (std::bit_width(orders_) - 1);
  }

 private:
  void list(BlockIndex index) noexcept {
    Block& freed = block(index);
    const auto order = static_cast<std::size_t>(order_of(freed.size));
    freed.state = BlockState::free;
    freed.rest.links.previous = 0;
    freed.rest.links.next = heads_[order];
    if (freed.rest.links.next != 0) block(freed.rest.links.next).rest.links.previous = index;
    heads_[order] = index;
    orders_ |= 1u << order;
  }

  /// The tail of a power of two becomes smaller powers, each free; none has a free buddy, which would reach into the head.
  void cut_to_powers(BlockIndex index) noexcept {
    while (true) {
      const std::uint32_t power = block(index).start & -block(index).start;
      const BlockIndex rest = power < block(index).size ? split(index, power) : 0;
      list(index);
      if (rest == 0) return;
      index = rest;
    }
  }

  bool is_free(BlockIndex index, std::uint32_t size) const noexcept {
    return index != 0 && block(index).state == BlockState::free && block(index).size == size;
  }

  /// Merges a power of two with its buddy as long as that is free, and lists the result.
  void merge(BlockIndex index) noexcept {
    while (true) {
      const std::uint32_t size = block(index).size;
      const bool buddy_is_left = (block(index).start & size) != 0;
      const BlockIndex buddy = buddy_is_left ? block(index).left : block(index).right;
      if (!is_free(buddy, size)) break;
      unlist(buddy);
      const BlockIndex left = buddy_is_left ? buddy : index;
      join(left, buddy_is_left ? index : buddy);
      index = left;
    }
    list(index);
  }

  std::uint32_t orders_ = 0;  // which of the next have a block
  std::array<BlockIndex, order_count> heads_{};
};

}  // namespace

std::unique_ptr<Strategy> make_buddy(std::unique_ptr<Upstream> upstream, Layout layout,
                                     std::shared_ptr<AddressMap> map) {
  return std::make_unique<Buddy>(std::move(upstream), layout, std::move(map));
}

std::unique_ptr<Strategy> make_buddy(std::unique_ptr<Upstream> upstream, Layout layout) {
  return make_buddy(std::move(upstream), layout, std::make_shared<AddressMap>());
}

}  // namespace tessera::memory
