module;
#include <cstddef>
#include <cstdint>
module tessera.memory:address_map;
import tessera.standard;

// From an address to what lies there, in two loads: a table of tables of pages, all of it outside the memory that it describes.
namespace tessera::memory {

/// Bytes of a page of the map, and the alignment of all chunks: each page belongs to one of them.
inline constexpr std::ptrdiff_t map_page = std::ptrdiff_t{1} << 16;

/// Any thread may look up any address while another changes the map.
class AddressMap {
 public:
  AddressMap();  // throws std::bad_alloc
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;
  ~AddressMap();

  /// What was set for the page of an address; null for every other address there is.
  inline void* find(const void* pointer) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address >> address_bits != 0) return nullptr;
    const Leaf* leaf = root_->leaves[address >> (page_bits + leaf_bits)].load(std::memory_order_acquire);
    if (leaf == nullptr) return nullptr;
    return leaf->pages[address >> page_bits & (leaf_size - 1)].load(std::memory_order_acquire);
  }

  /// Makes room for the pages of a range, so that set cannot fail. Throws std::bad_alloc.
  void prepare(const void* base, std::ptrdiff_t bytes);

  /// Sets the value of each page of a range that was prepared.
  void set(const void* base, std::ptrdiff_t bytes, void* value) noexcept;

 private:
  static constexpr int page_bits = 16, leaf_bits = 16, address_bits = 48;
  static constexpr std::size_t leaf_size = std::size_t{1} << leaf_bits;

  struct Leaf {
    std::atomic<void*> pages[leaf_size];
  };
  struct Root {
    std::atomic<Leaf*> leaves[std::size_t{1} << (address_bits - page_bits - leaf_bits)];
  };

  Root* root_;
};

}  // namespace tessera::memory
