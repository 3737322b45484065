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

// Blocks of chunks and their notes; what chunks and huge blocks take from the upstream and give back to it.
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

namespace {

constexpr std::size_t most_kept = 64;
constexpr std::ptrdiff_t growth_part = 16;  // of what is reserved: a new chunk's size

}  // namespace

/// Arrays of one size leave no tail of a chunk that holds a few of them.
std::ptrdiff_t Chunks::whole_blocks(std::ptrdiff_t chunk, std::ptrdiff_t block) const noexcept {
  const std::ptrdiff_t whole = chunk / block * block;
  return chunk / block < 16 && whole >= layout_.smallest_chunk ? whole : chunk;
}

bool Chunks::grow(std::uint32_t size, std::uint32_t alignment) {
  const auto needed = static_cast<std::uint64_t>(chunk_for(size, alignment)) << shift_;
  const std::ptrdiff_t least = round_up(static_cast<std::ptrdiff_t>(needed), std::max(layout_.granule, system_page));
  const auto part = static_cast<std::ptrdiff_t>(std::bit_floor(static_cast<std::uint64_t>(reserved_ / growth_part)));
  const std::ptrdiff_t wanted =
      whole_blocks(std::max(least, std::clamp(part, layout_.smallest_chunk, layout_.largest_chunk)), least);
  require_notes(1 + notes_to_take_ + notes_to_give(size));
  make_room(wanted);
  if (add_chunk(wanted)) return true;
  trim();
  return add_chunk(wanted) || (least < wanted && add_chunk(least));
}

bool Chunks::add_chunk(std::ptrdiff_t bytes) {
  auto made = std::make_unique<Chunk>();
  made->bytes = bytes;
  made->granules = static_cast<std::uint32_t>(bytes >> shift_);
  const std::size_t entries = made->entries();
  BlockIndex* const table = tables_.allocate(entries);
  made->at = table;
  Chunk* chunk = nullptr;
  try {
    chunk = reserve(std::move(made), map_page);
  } catch (...) {
    tables_.deallocate(table, entries);
    throw;
  }
  if (chunk == nullptr) {
    tables_.deallocate(table, entries);
    return false;
  }
  map_->set(chunk->base, bytes, chunk);
  idle_ += bytes;
  const BlockIndex whole = new_note();
  blocks_[whole] = {.chunk = chunk->number, .size = chunk->granules, .state = BlockState::free, .rest = {}};
  chunk->first = whole;
  enter(*chunk, whole);
  give(whole);
  return true;
}

Chunk* Chunks::reserve(std::unique_ptr<Chunk> chunk, std::ptrdiff_t alignment) {
  auto place = std::find(chunks_.begin(), chunks_.end(), nullptr);
  if (place == chunks_.end()) {
    chunks_.emplace_back();
    place = chunks_.end() - 1;
  }
  chunk->base = static_cast<char*>(upstream_->allocate(chunk->bytes, alignment));
  if (chunk->base == nullptr) return nullptr;
  try {
    map_->prepare(chunk->base, chunk->granules == 0 ? 1 : chunk->bytes);
  } catch (...) {
    upstream_->deallocate(chunk->base, chunk->bytes);
    throw;
  }
  chunk->owner = this;
  chunk->number = static_cast<std::uint32_t>(place - chunks_.begin());
  reserved_ += chunk->bytes;
  *place = std::move(chunk);
  return place->get();
}

void Chunks::release(Chunk& chunk) noexcept {
  upstream_->deallocate(chunk.base, chunk.bytes);
  reserved_ -= chunk.bytes;
  idle_ -= chunk.bytes;
  chunks_[chunk.number].reset();
}

void Chunks::release_free_chunk(Chunk& chunk) noexcept {
  for (BlockIndex index = chunk.first; index != 0;) {
    const BlockIndex next = blocks_[index].right;
    chunk.at[blocks_[index].start >> table_shift] = 0;
    unlist(index);
    drop_note(index);
    index = next;
  }
  tables_.deallocate(chunk.at, chunk.entries());
  map_->set(chunk.base, chunk.bytes, nullptr);
  release(chunk);
}

void Chunks::release_kept(std::size_t index) noexcept {
  Chunk& chunk = *kept_[index];
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(index));
  kept_bytes_ -= chunk.bytes;
  --huge_count_;
  map_->set(chunk.base, 1, nullptr);
  release(chunk);
}

void Chunks::make_room(std::ptrdiff_t bytes) noexcept {
  const std::ptrdiff_t allowance = (allocated_ + bytes) / 16;
  while (idle_ > allowance && !kept_.empty()) release_kept(0);
  for (std::size_t i = 0; i < chunks_.size() && idle_ > allowance; ++i) {
    if (chunks_[i] && chunks_[i]->granules != 0 && chunks_[i]->live == 0) release_free_chunk(*chunks_[i]);
  }
}

void Chunks::trim() noexcept {
  while (!kept_.empty()) release_kept(kept_.size() - 1);
  for (std::size_t i = 0; i < chunks_.size() && idle_ > 0; ++i) {
    if (chunks_[i] && chunks_[i]->granules != 0 && chunks_[i]->live == 0) release_free_chunk(*chunks_[i]);
  }
}

Chunk* Chunks::kept_huge(std::ptrdiff_t bytes, std::ptrdiff_t alignment) noexcept {
  std::size_t best = kept_.size();
  for (std::size_t i = kept_.size(); i-- > 0;) {
    const Chunk& chunk = *kept_[i];
    if (chunk.bytes < bytes || chunk.bytes - bytes > bytes / 8) continue;
    if ((reinterpret_cast<std::uintptr_t>(chunk.base) & static_cast<std::uintptr_t>(alignment - 1)) != 0) continue;
    if (best == kept_.size() || chunk.bytes < kept_[best]->bytes) best = i;
    if (chunk.bytes == bytes) break;
  }
  if (best == kept_.size()) return nullptr;
  Chunk* chunk = kept_[best];
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(best));
  kept_bytes_ -= chunk->bytes;
  idle_ -= chunk->bytes;
  return chunk;
}

void* Chunks::allocate_huge(std::ptrdiff_t bytes, std::ptrdiff_t alignment, Growth growth) {
  const std::ptrdiff_t size = round_up(std::max<std::ptrdiff_t>(bytes, 1), std::max(layout_.granule, system_page));
  const std::ptrdiff_t aligned = std::max(alignment, map_page);
  Chunk* chunk = kept_huge(size, alignment);
  if (chunk == nullptr) {
    if (growth == Growth::forbidden) return nullptr;
    kept_.reserve(static_cast<std::size_t>(huge_count_) + 1);
    make_room(size);
    const auto fresh = [&] {
      auto made = std::make_unique<Chunk>();
      made->bytes = size;
      return reserve(std::move(made), aligned);
    };
    chunk = fresh();
    if (chunk == nullptr) {
      trim();
      chunk = fresh();
    }
    if (chunk == nullptr) return nullptr;
    ++huge_count_;
    map_->set(chunk->base, 1, chunk);
  }
  chunk->requested = bytes;
  chunk->born = ++count_;
  allocated_ += chunk->bytes;
  ++live_;
  return chunk->base;
}

Retired Chunks::retire_huge(Chunk& chunk) noexcept {
  const Retired retired{chunk.requested, chunk.bytes};
  allocated_ -= chunk.bytes;
  idle_ += chunk.bytes;
  --live_;
  chunk.requested = -1;
  kept_bytes_ += chunk.bytes;
  kept_.push_back(&chunk);  // there is room for all of them
  if (kept_.size() > most_kept) release_kept(0);
  return retired;
}

}  // namespace tessera::memory
