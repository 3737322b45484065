module;
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :chunks;

// What chunks and huge blocks take from the upstream and give back to it.
namespace tessera::memory {

namespace {

constexpr std::ptrdiff_t system_page = 4096;
constexpr std::size_t most_kept = 64;
constexpr std::ptrdiff_t growth_part = 16;  // of what is reserved: a new chunk's size

std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t multiple) { return (value + multiple - 1) & -multiple; }

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
