module;
#include <cstddef>
#include <cstdint>
module tessera.memory:address_map;
import tessera.standard;

// From an address to what lies there, in two loads, or three where a page is shared: a table of tables of pages, all of it outside
// the memory that it describes.
namespace tessera::memory {

/// Bytes of a page of the map, and the alignment of all chunks: each page belongs to one of them.
inline constexpr std::ptrdiff_t map_page = std::ptrdiff_t{1} << 16;

/// Bytes of a part of a page: what lies in one page may differ from part to part.
inline constexpr std::ptrdiff_t map_part = std::ptrdiff_t{1} << 12;

/// Any thread may look up any address while another changes the map. Values are pointers to what is aligned to four bytes at
/// least; their lowest bit is the user's, the next one the map's.
class AddressMap {
 public:
  AddressMap();  // throws std::bad_alloc
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;
  ~AddressMap();

  /// What was set for an address; null for every other address there is.
  inline void* find(const void* pointer) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address >> address_bits != 0) return nullptr;
    const Leaf* leaf = root_->leaves[address >> (page_bits + leaf_bits)].load(std::memory_order_acquire);
    if (leaf == nullptr) return nullptr;
    void* entry = leaf->pages[address >> page_bits & (leaf_size - 1)].load(std::memory_order_acquire);
    if (const Parts* parts = parts_of(entry))
      return parts->entries[address >> part_bits & (part_count - 1)].load(std::memory_order_acquire);
    return entry;
  }

  /// Makes room for the pages of a range, so that set cannot fail. Throws std::bad_alloc.
  void prepare(const void* base, std::ptrdiff_t bytes);

  /// Sets the value of each page of a range that was prepared.
  void set(const void* base, std::ptrdiff_t bytes, void* value) noexcept;

  /// Makes room for a range of whole parts within pages that were prepared, so that set_parts cannot fail. Throws std::bad_alloc.
  void prepare_parts(const void* base, std::ptrdiff_t bytes);

  /// Sets the value of each part of a range that was prepared.
  void set_parts(const void* base, std::ptrdiff_t bytes, void* value) noexcept;

 private:
  static constexpr int part_bits = 12, page_bits = 16, leaf_bits = 16, address_bits = 48;
  static constexpr std::size_t leaf_size = std::size_t{1} << leaf_bits;
  static constexpr std::size_t part_count = std::size_t{1} << (page_bits - part_bits);
  static constexpr std::uintptr_t shared = 2;  // the bit of an entry that leads to a page's parts

  struct Leaf {
    std::atomic<void*> pages[leaf_size];
  };
  struct Root {
    std::atomic<Leaf*> leaves[std::size_t{1} << (address_bits - page_bits - leaf_bits)];
  };
  struct alignas(64) Parts {
    std::atomic<void*> entries[part_count];
    Parts* next = nullptr;       // of those that are not used
    Parts* next_made = nullptr;  // of all; they stay, for threads that look up an address that was freed
  };

  static inline Parts* parts_of(void* entry) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(entry);
    return (bits & shared) != 0 ? reinterpret_cast<Parts*>(bits - shared) : nullptr;
  }
  inline std::atomic<void*>& page_at(std::uintptr_t address) const noexcept {
    Leaf* leaf = root_->leaves[address >> (page_bits + leaf_bits)].load(std::memory_order_relaxed);
    return leaf->pages[address >> page_bits & (leaf_size - 1)];
  }
  void share(std::atomic<void*>& page);
  void set_page(std::atomic<void*>& page, void* value) noexcept;

  Root* root_;
  Parts* unused_ = nullptr;
  Parts* made_ = nullptr;
};

}  // namespace tessera::memory
