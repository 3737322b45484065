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

// Two-level segregated fit (Masmano, Ripoll, Crespo, Real 2004), its boundary tags in notes outside of the memory.
namespace tessera::memory {

namespace {

constexpr int second_bits = 4;
constexpr std::uint32_t second_count = 1u << second_bits;
constexpr int first_count = 32 - second_bits + 1;

struct ListNumber {
  int first;
  std::uint32_t second;
};

/// The list in which a free block of this size is.
ListNumber list_of(std::uint32_t size) {
  if (size < second_count) return {0, size};
  const int high = std::bit_width(size) - 1;
  return {high - second_bits + 1, size >> (high - second_bits) & (second_count - 1)};
}

class SegregatedFit final : public Chunks {
 public:
  SegregatedFit(std::unique_ptr<Upstream> upstream, Layout layout, std::shared_ptr<AddressMap> map)
      : Chunks(std::move(upstream), layout, std::move(map), 2, false) {}

  std::string_view name() const noexcept override { return "segregated fit"; }

 protected:
  BlockIndex take(std::uint32_t size, std::uint32_t alignment) noexcept override {
    const std::uint32_t wanted = size + alignment - 1;
    BlockIndex index = find(wanted);
    if (index == 0) return 0;
    unlist(index);
    if (const auto before = static_cast<std::uint32_t>(-granule_number(block(index)) & (alignment - 1)); before != 0) {
      const BlockIndex aligned = split(index, before);
      list(index);
      index = aligned;
    }
    if (block(index).size > size) list(split(index, size));
    return index;
  }

  void give(BlockIndex index) noexcept override {
    if (const BlockIndex right = block(index).right; right != 0 && block(right).state == BlockState::free) {
      unlist(right);
      join(index, right);
    }
    if (const BlockIndex left = block(index).left; left != 0 && block(left).state == BlockState::free) {
      unlist(left);
      join(left, index);
      index = left;
    }
    list(index);
  }

  void unlist(BlockIndex index) noexcept override {
    const Block& gone = block(index);
    if (gone.rest.links.next != 0) block(gone.rest.links.next).rest.links.previous = gone.rest.links.previous;
    if (gone.rest.links.previous != 0) {
      block(gone.rest.links.previous).rest.links.next = gone.rest.links.next;
      return;
    }
    const auto [first, second] = list_of(gone.size);
    head(first, second) = gone.rest.links.next;
    if (gone.rest.links.next != 0) return;
    seconds_[static_cast<std::size_t>(first)] &= ~(1u << second);
    if (seconds_[static_cast<std::size_t>(first)] == 0) firsts_ &= ~(1u << first);
  }

  std::uint64_t chunk_for(std::uint32_t size, std::uint32_t alignment) const noexcept override {
    return std::uint64_t{size} + alignment - 1;
  }

  std::uint32_t largest_free_granules() const noexcept override {
    if (firsts_ == 0) return 0;
    const int first = std::bit_width(firsts_) - 1;
    const auto second = static_cast<std::uint32_t>(std::bit_width(seconds_[static_cast<std::size_t>(first)]) - 1);
    std::uint32_t largest = 0;
    for (BlockIndex index = head(first, second); index != 0; index = block(index).rest.links.next)
      largest = std::max(largest, block(index).size);
    return largest;
  }

 private:
  BlockIndex& head(int first, std::uint32_t second) noexcept { return heads_[static_cast<std::size_t>(first)][second]; }
  BlockIndex head(int first, std::uint32_t second) const noexcept {
    return heads_[static_cast<std::size_t>(first)][second];
  }

  void list(BlockIndex index) noexcept {
    Block& freed = block(index);
    const auto [first, second] = list_of(freed.size);
    freed.state = BlockState::free;
    freed.rest.links.previous = 0;
    freed.rest.links.next = head(first, second);
    if (freed.rest.links.next != 0) block(freed.rest.links.next).rest.links.previous = index;
    head(first, second) = index;
    seconds_[static_cast<std::size_t>(first)] |= 1u << second;
    firsts_ |= 1u << first;
  }

  /// A block of at least `size`: the first of its own list if that fits, else of the next list, where all fit, else any of its own.
  BlockIndex find(std::uint32_t size) const noexcept {
    const auto [first, second] = list_of(size);
    const BlockIndex own = head(first, second);
    if (own != 0 && block(own).size >= size) return own;
    if (const BlockIndex larger = first_above(first, second); larger != 0) return larger;
    for (BlockIndex index = own; index != 0; index = block(index).rest.links.next) {
      if (block(index).size >= size) return index;
    }
    return 0;
  }

  BlockIndex first_above(int first, std::uint32_t second) const noexcept {
    if (const std::uint32_t above = seconds_[static_cast<std::size_t>(first)] & (~1u << second); above != 0)
      return head(first, static_cast<std::uint32_t>(std::countr_zero(above)));
    const std::uint32_t larger = firsts_ & static_cast<std::uint32_t>(~std::uint64_t{1} << first);
    if (larger == 0) return 0;
    const int next = std::countr_zero(larger);
    return head(next, static_cast<std::uint32_t>(std::countr_zero(seconds_[static_cast<std::size_t>(next)])));
  }

  std::uint32_t firsts_ = 0;  // which of the next have a block
  std::array<std::uint32_t, first_count> seconds_{};
  std::array<std::array<BlockIndex, second_count>, first_count> heads_{};
};

}  // namespace

std::unique_ptr<Strategy> make_segregated_fit(std::unique_ptr<Upstream> upstream, Layout layout,
                                              std::shared_ptr<AddressMap> map) {
  return std::make_unique<SegregatedFit>(std::move(upstream), layout, std::move(map));
}

std::unique_ptr<Strategy> make_segregated_fit(std::unique_ptr<Upstream> upstream, Layout layout) {
  return make_segregated_fit(std::move(upstream), layout, std::make_shared<AddressMap>());
}

}  // namespace tessera::memory
