module;
#include <cstddef>
#include <cstdint>
module tessera.memory:chunks;
import tessera.standard;
import tessera.core;
import tessera.device;
import :allocator;
import :upstream;
import :strategy;
import :address_map;
import :index_tables;

// What both strategies share: chunks from the upstream, notes of their blocks, huge blocks. A strategy says how to find a free
// block and what becomes of one that is freed.
namespace tessera::memory {

using BlockIndex = std::uint32_t;  // into the notes; 0 is no block

enum class BlockState : std::uint8_t { unused, live, free };

/// Note of a block of a chunk; two of them in a line of the caches. Sizes and positions count granules.
struct Block {
  struct Links {
    BlockIndex next, previous;
  };
  union Rest {
    Links links{0, 0};   // in the list of free blocks, or `next` among the unused notes
    std::uint64_t born;  // of a live block
  };

  std::uint32_t chunk = 0;
  std::uint32_t start = 0;
  std::uint32_t size = 0;
  BlockIndex left = 0, right = 0;  // neighbours in the chunk
  BlockState state : 2 = BlockState::unused;
  std::uint32_t unasked : 30 = 0;  // bytes of a live block beyond those asked for
  Rest rest;
};
static_assert(sizeof(Block) == 32);

/// Granules, as a power of two, for which a chunk's table has one entry: blocks are mostly longer, and the others are found from
/// their left neighbour.
inline constexpr int table_shift = 3;

/// Memory from the upstream: cut into blocks, or one huge block.
struct Chunk {
  const Strategy* owner = nullptr;
  char* base = nullptr;
  std::ptrdiff_t bytes = 0;
  std::uint32_t number = 0;
  std::uint32_t granules = 0;   // 0: a huge block
  std::uint32_t live = 0;       // granules in live blocks
  BlockIndex first = 0;         // block of the chunk
  BlockIndex* at = nullptr;     // for each few granules the first block that starts among them, or 0
  std::int64_t requested = -1;  // of a huge block; negative while it is kept for the next request
  std::uint64_t born = 0;

  std::size_t entries() const { return (std::size_t{granules} >> table_shift) + 1; }
};

class Chunks : public Strategy {
 public:
  /// Notes that taking a block needs at most, and whether freeing one of n granules needs popcount(n), else none.
  Chunks(std::unique_ptr<Upstream> upstream, Layout layout, std::shared_ptr<AddressMap> map, std::size_t notes_to_take,
         bool needs_notes_to_give);
  ~Chunks() override;

  Place place() const override { return upstream_->place(); }
  void* allocate(std::ptrdiff_t bytes, std::ptrdiff_t alignment, Growth growth) override;
  Retired deallocate(void* pointer) noexcept override;
  bool is_live(const void* pointer) const noexcept override;
  AddressMap& map() noexcept override { return *map_; }
  void trim() noexcept override;
  std::ptrdiff_t allocated() const noexcept override { return allocated_; }
  std::ptrdiff_t reserved() const noexcept override { return reserved_; }
  Holdings holdings() const override;
  void visit(const std::function<void(const Piece&)>& function) const override;

 protected:
  /// Takes a free block of `size` granules at a multiple of `alignment` granules out of its list; 0 if there is none.
  virtual BlockIndex take(std::uint32_t size, std::uint32_t alignment) noexcept = 0;
  /// Makes a block free that was live, or a chunk that is new.
  virtual void give(BlockIndex block) noexcept = 0;
  /// Takes a free block out of its list, to let it go.
  virtual void unlist(BlockIndex block) noexcept = 0;
  /// Granules that a chunk needs so that such a block can be cut out of it.
  virtual std::uint64_t chunk_for(std::uint32_t size, std::uint32_t alignment) const noexcept = 0;
  virtual std::uint32_t largest_free_granules() const noexcept = 0;

  inline Block& block(BlockIndex index) noexcept { return blocks_[index]; }
  inline const Block& block(BlockIndex index) const noexcept { return blocks_[index]; }
  inline Chunk& chunk_of(const Block& block) noexcept { return *chunks_[block.chunk]; }
  inline std::uintptr_t granule_number(const Block& block) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(chunks_[block.chunk]->base) >> shift_) + block.start;
  }

  /// Cuts the block after `size` granules; returns the rest, which is in no list yet.
  BlockIndex split(BlockIndex index, std::uint32_t size) noexcept;
  /// Joins the block to its left neighbour, which grows; the block's note becomes unused.
  void join(BlockIndex left, BlockIndex right) noexcept;

 private:
  Chunk* chunk_at(const void* pointer) const noexcept;
  BlockIndex block_at(const Chunk& chunk, const void* pointer) const noexcept;
  void* allocate_huge(std::ptrdiff_t bytes, std::ptrdiff_t alignment, Growth growth);
  Chunk* kept_huge(std::ptrdiff_t bytes, std::ptrdiff_t alignment) noexcept;
  Retired retire_huge(Chunk& chunk) noexcept;
  void release_kept(std::size_t index) noexcept;
  std::ptrdiff_t whole_blocks(std::ptrdiff_t chunk, std::ptrdiff_t block) const noexcept;
  bool grow(std::uint32_t size, std::uint32_t alignment);
  bool add_chunk(std::ptrdiff_t bytes);
  Chunk* reserve(std::unique_ptr<Chunk> chunk, std::ptrdiff_t alignment);
  void release(Chunk& chunk) noexcept;
  void release_free_chunk(Chunk& chunk) noexcept;
  void make_room(std::ptrdiff_t bytes) noexcept;
  void enter(Chunk& chunk, BlockIndex index) noexcept;
  void leave(Chunk& chunk, BlockIndex index) noexcept;
  inline std::size_t notes_to_give(std::uint32_t size) const noexcept {
    return needs_notes_to_give_ ? static_cast<std::size_t>(std::popcount(size)) : 0;
  }
  inline void require_notes(std::size_t count) {
    if (unused_count_ < count + promised_) [[unlikely]]
      add_notes(count + promised_);
  }
  void add_notes(std::size_t needed);
  BlockIndex new_note() noexcept;
  void drop_note(BlockIndex index) noexcept;

  std::unique_ptr<Upstream> upstream_;
  Layout layout_;
  std::size_t notes_to_take_;
  bool needs_notes_to_give_;
  int shift_;
  IndexTables tables_;
  std::shared_ptr<AddressMap> map_;  // page to Chunk, also of other strategies
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Chunk*> kept_;  // huge blocks that were freed, the oldest first
  std::vector<Block> blocks_;
  BlockIndex unused_ = 0;         // list of unused notes
  std::size_t unused_count_ = 0;  // notes in that list
  std::size_t promised_ = 0;      // notes that freeing live blocks will need
  std::ptrdiff_t reserved_ = 0, allocated_ = 0, idle_ = 0, kept_bytes_ = 0, live_ = 0, huge_count_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace tessera::memory
