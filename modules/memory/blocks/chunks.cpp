module;
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :chunks;

// Blocks of chunks and their notes.
namespace tessera::memory {

namespace {

constexpr std::ptrdiff_t largest_request = PTRDIFF_MAX / 4;  // rounding up cannot overflow below it

std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t multiple) { return (value + multiple - 1) & -multiple; }

/// Notes of many blocks are read here and there: on huge pages their addresses are found sooner.
void advise_huge_pages(void* pointer, std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  if (bytes < huge_page) return;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(pointer) + 4095) & ~std::uintptr_t{4095};
  madvise(reinterpret_cast<void*>(begin), bytes - 4096, MADV_HUGEPAGE);
}

}  // namespace

Chunks::Chunks(std::unique_ptr<Upstream> upstream, Layout layout, std::shared_ptr<AddressMap> map,
               std::size_t notes_to_take, bool needs_notes_to_give)
    : upstream_(std::move(upstream)),
      layout_(layout),
      notes_to_take_(notes_to_take),
      needs_notes_to_give_(needs_notes_to_give),
      shift_(std::countr_zero(static_cast<std::uint64_t>(layout.granule))),
      map_(std::move(map)) {
  blocks_.emplace_back();  // number 0 is no block
}

Chunks::~Chunks() {
  for (const auto& chunk : chunks_) {  // with blocks that are live still: their memory goes all the same
    if (!chunk) continue;
    upstream_->deallocate(chunk->base, chunk->bytes);
    if (chunk->granules != 0) tables_.deallocate(chunk->at, chunk->entries());
  }
}

void* Chunks::allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, Growth growth) {
  if (bytes > largest_request || alignment > largest_request) return nullptr;
  if (bytes >= layout_.huge || alignment > map_page) return allocate_huge(bytes, alignment, growth);
  const auto size = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(round_up(bytes, layout_.granule) >> shift_, 1));
  const auto aligned = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(alignment >> shift_, 1));
  require_notes(notes_to_take_ + notes_to_give(size));
  BlockIndex index = take(size, aligned);
  if (index == 0) {
    if (growth == Growth::forbidden || !grow(size, aligned)) return nullptr;
    index = take(size, aligned);
  }
  Block& made = blocks_[index];
  made.state = BlockState::live;
  made.unasked = static_cast<std::uint32_t>((static_cast<std::ptrdiff_t>(made.size) << shift_) - bytes);
  made.rest.born = ++count_;
  promised_ += notes_to_give(made.size);
  Chunk& chunk = chunk_of(made);
  const std::ptrdiff_t made_bytes = static_cast<std::ptrdiff_t>(made.size) << shift_;
  if (chunk.live == 0) idle_ -= chunk.bytes;
  chunk.live += made.size;
  allocated_ += made_bytes;
  ++live_;
  return chunk.base + (static_cast<std::ptrdiff_t>(made.start) << shift_);
}

Retired Chunks::deallocate(void* pointer) noexcept {
  Chunk* chunk = chunk_at(pointer);
  if (chunk == nullptr) return {};
  if (chunk->granules == 0) return pointer == chunk->base && chunk->requested >= 0 ? retire_huge(*chunk) : Retired{};
  const BlockIndex index = block_at(*chunk, pointer);
  if (index == 0 || blocks_[index].state != BlockState::live) return {};
  const Block& old = blocks_[index];
  __builtin_prefetch(&blocks_[old.right], 1);  // both may be misses, one beside the other
  __builtin_prefetch(&blocks_[old.left], 1);
  const std::ptrdiff_t bytes_of_block = static_cast<std::ptrdiff_t>(old.size) << shift_;
  const Retired retired{bytes_of_block - old.unasked, bytes_of_block};
  promised_ -= notes_to_give(old.size);
  allocated_ -= retired.bytes;
  --live_;
  chunk->live -= old.size;
  if (chunk->live == 0) idle_ += chunk->bytes;
  give(index);
  return retired;
}

Chunk* Chunks::chunk_at(const void* pointer) const noexcept {
  void* entry = map_->find(pointer);
  if (entry == nullptr || (reinterpret_cast<std::uintptr_t>(entry) & 1) != 0) return nullptr;
  auto* chunk = static_cast<Chunk*>(entry);
  return chunk->owner == this ? chunk : nullptr;
}

BlockIndex Chunks::block_at(const Chunk& chunk, const void* pointer) const noexcept {
  const auto offset = static_cast<const char*>(pointer) - chunk.base;
  if (offset < 0 || offset >= chunk.bytes || (offset & (layout_.granule - 1)) != 0) return 0;
  const auto start = static_cast<std::uint32_t>(offset >> shift_);
  BlockIndex index = chunk.at[start >> table_shift];
  while (index != 0 && blocks_[index].start < start) index = blocks_[index].right;
  return index != 0 && blocks_[index].start == start ? index : 0;
}

bool Chunks::is_live(const void* pointer) const noexcept {
  const Chunk* chunk = chunk_at(pointer);
  if (chunk == nullptr) return false;
  if (chunk->granules == 0) return pointer == chunk->base && chunk->requested >= 0;
  return blocks_[block_at(*chunk, pointer)].state == BlockState::live;
}

BlockIndex Chunks::split(BlockIndex index, std::uint32_t size) noexcept {
  const BlockIndex rest = new_note();
  Block& whole = blocks_[index];
  blocks_[rest] = {.chunk = whole.chunk,
                   .start = whole.start + size,
                   .size = whole.size - size,
                   .left = index,
                   .right = whole.right,
                   .state = BlockState::free,
                   .rest = {}};
  if (whole.right != 0) blocks_[whole.right].left = rest;
  whole.right = rest;
  whole.size = size;
  enter(chunk_of(whole), rest);
  return rest;
}

void Chunks::join(BlockIndex left, BlockIndex right) noexcept {
  Block& kept = blocks_[left];
  const Block& gone = blocks_[right];
  leave(chunk_of(kept), right);
  kept.size += gone.size;
  kept.right = gone.right;
  if (gone.right != 0) blocks_[gone.right].left = left;
  drop_note(right);
}

void Chunks::enter(Chunk& chunk, BlockIndex index) noexcept {
  const std::uint32_t start = blocks_[index].start;
  BlockIndex& entry = chunk.at[start >> table_shift];
  if (entry == 0 || start < blocks_[entry].start) entry = index;
}

void Chunks::leave(Chunk& chunk, BlockIndex index) noexcept {
  const Block& gone = blocks_[index];
  BlockIndex& entry = chunk.at[gone.start >> table_shift];
  if (entry != index) return;
  const bool has_other = gone.right != 0 && blocks_[gone.right].start >> table_shift == gone.start >> table_shift;
  entry = has_other ? gone.right : 0;
}

void Chunks::add_notes(std::size_t needed) {
  const std::size_t before = blocks_.size();
  const std::size_t more = std::max(needed - unused_count_, before / 2 + 16);
  if (before + more > UINT32_MAX) throw std::bad_alloc();
  std::vector<Block> larger;
  larger.reserve(before + more);
  advise_huge_pages(larger.data(), (before + more) * sizeof(Block));
  larger.assign(blocks_.begin(), blocks_.end());
  larger.resize(before + more);
  blocks_.swap(larger);
  for (std::size_t index = before + more; index-- > before;) drop_note(static_cast<BlockIndex>(index));
}

BlockIndex Chunks::new_note() noexcept {
  const BlockIndex index = unused_;
  unused_ = blocks_[index].rest.links.next;
  --unused_count_;
  return index;
}

void Chunks::drop_note(BlockIndex index) noexcept {
  blocks_[index].state = BlockState::unused;
  blocks_[index].rest.links = {unused_, 0};
  unused_ = index;
  ++unused_count_;
}

Holdings Chunks::holdings() const {
  std::ptrdiff_t largest = static_cast<std::ptrdiff_t>(largest_free_granules()) << shift_;
  const auto chunks = std::count_if(chunks_.begin(), chunks_.end(), [](const auto& chunk) { return chunk != nullptr; });
  return {.reserved = reserved_,
          .allocated = allocated_,
          .cached = kept_bytes_,
          .largest_free = largest,
          .live = live_,
          .chunks = chunks};
}

void Chunks::visit(const std::function<void(const Piece&)>& function) const {
  for (const auto& chunk : chunks_) {
    if (!chunk) continue;
    if (chunk->granules == 0) {
      const auto state = chunk->requested >= 0 ? Piece::State::live : Piece::State::cached;
      function({chunk->base, chunk->bytes, 0, chunk->bytes, std::max<std::ptrdiff_t>(chunk->requested, 0), chunk->born,
                state});
      continue;
    }
    for (BlockIndex index = chunk->first; index != 0; index = blocks_[index].right) {
      const Block& piece = blocks_[index];
      const bool live = piece.state == BlockState::live;
      const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(piece.size) << shift_;
      function({chunk->base, chunk->bytes, static_cast<std::ptrdiff_t>(piece.start) << shift_, bytes,
                live ? bytes - piece.unasked : 0, live ? piece.rest.born : 0,
                live ? Piece::State::live : Piece::State::free});
    }
  }
}

}  // namespace tessera::memory
