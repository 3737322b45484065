module;
#include <cstddef>
#include <cstdint>
module tessera.memory:index_tables;
import tessera.standard;
import tessera.core;
import tessera.device;

// Tables of numbers, one for each chunk: where a chunk's blocks start.
namespace tessera::memory {

/// Gives out tables of zeroes. Large ones lie together on huge pages, since they are read here and there.
class IndexTables {
 public:
  IndexTables() = default;
  IndexTables(const IndexTables&) = delete;
  IndexTables& operator=(const IndexTables&) = delete;
  ~IndexTables();

  /// Throws std::bad_alloc.
  std::uint32_t* allocate(std::size_t entries);
  /// The table must hold zeroes again.
  void deallocate(std::uint32_t* table, std::size_t entries) noexcept;

 private:
  struct Region {
    void* pages;
    std::size_t bytes;
  };
  struct Unused {
    std::uint32_t* table;
    std::size_t entries;
  };

  void add_region(std::size_t bytes);

  std::vector<Region> regions_;
  std::vector<Unused> unused_;  // has room for all large tables
  std::size_t large_count_ = 0;
  char* next_ = nullptr;  // the part of the last region that is not given out
  std::size_t left_ = 0;
};

}  // namespace tessera::memory
